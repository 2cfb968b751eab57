"""Rules that variables of OpenMP and of pinning agree with the threads axis and each other.

Source: OpenMP Application Programming Interface 5.2 (2021), chapter 21.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waywiser.study.configurations import Configuration
from waywiser.study.remark import Remark, error, warning
from waywiser.study.rules.subject import Setting, Subject, by_text, mention

BINDINGS = frozenset({"true", "false", "primary", "master", "close", "spread"})
PLACES = re.compile(r"(threads|cores|ll_caches|numa_domains|sockets)(?:\((\d+)\))?")
RIVALS = ("KMP_AFFINITY", "GOMP_CPU_AFFINITY")


def thread_count(subject: Subject) -> Iterator[Remark]:
    def remarks() -> Iterator[tuple[str, str, Configuration]]:
        for configuration in subject.configurations:
            setting = subject.environment(configuration).get("OMP_NUM_THREADS")
            if setting is None or setting.value.split(",")[0].strip() == str(configuration.threads):
                continue
            text = (
                f"OMP_NUM_THREADS = {setting.value}, but the configuration has "
                f"{configuration.threads}"
            )
            yield setting.key, text, configuration

    for (key, text), configurations in by_text(remarks()).items():
        yield error(
            key,
            f"{mention(configurations)}: {text}; leave it out, axes.threads sets it for every "
            "launcher",
        )


def places(subject: Subject) -> Iterator[Remark]:
    def remarks() -> Iterator[tuple[str, str, Configuration]]:
        for configuration in subject.configurations:
            environment = subject.environment(configuration)
            for key, text in _contradictions(configuration, environment):
                yield key, text, configuration

    for (key, text), configurations in by_text(remarks()).items():
        yield warning(key, f"{mention(configurations)}: {text}")


def _contradictions(
    configuration: Configuration, environment: dict[str, Setting]
) -> Iterator[tuple[str, str]]:
    bind, where = environment.get("OMP_PROC_BIND"), environment.get("OMP_PLACES")
    kinds = [word.strip().lower() for word in bind.value.split(",")] if bind else []
    if bind and (strange := [kind for kind in kinds if kind not in BINDINGS]):
        yield (
            bind.key,
            (
                f"OMP_PROC_BIND = {strange[0] or '(nothing)'} is not a binding; expected one of "
                f"{', '.join(sorted(BINDINGS))}"
            ),
        )
    if bind and where and kinds == ["false"]:
        yield where.key, "OMP_PROC_BIND = false binds nothing, so that OMP_PLACES has no effect"
    if bind and kinds != ["false"]:
        for rival in RIVALS:
            if rival in environment:
                yield (
                    environment[rival].key,
                    (
                        f"{rival} and OMP_PROC_BIND both bind the threads, and OMP_PROC_BIND is "
                        "what counts; leave one out"
                    ),
                )
    if where is None or "{" in where.value:
        return
    match = PLACES.fullmatch(where.value.strip().lower())
    if match is None:
        yield (
            where.key,
            (
                f"OMP_PLACES = {where.value} names no places; expected threads, cores, ll_caches, "
                "numa_domains or sockets, with a number as in cores(8)"
            ),
        )
    elif match[1] in {"threads", "cores"} and match[2]:
        count, threads, free = (
            int(match[2]),
            configuration.threads,
            configuration.application.free_cores,
        )
        if count < threads:
            yield where.key, f"{threads} threads share the {count} places of OMP_PLACES"
        elif match[1] == "cores" and free and count > threads:
            yield (
                where.key,
                (
                    f"OMP_PLACES has {count} places for {threads} threads, and so has the core "
                    f"that is to stay free, too; write cores({threads})"
                ),
            )


def pinning_domain(subject: Subject) -> Iterator[Remark]:
    """Check Intel MPI's I_MPI_PIN_DOMAIN=SIZE[:LAYOUT], by default in logical processors."""

    def remarks() -> Iterator[tuple[str, str, Configuration]]:
        for configuration in subject.configurations:
            environment = subject.environment(configuration)
            domain = environment.get("I_MPI_PIN_DOMAIN")
            size = domain.value.split(":")[0] if domain else ""
            needed = configuration.cores_per_rank
            if domain and size.isdecimal() and 0 < int(size) < needed:
                text = (
                    f"I_MPI_PIN_DOMAIN = {domain.value} pins each rank to {size} CPUs, "
                    f"but {configuration.threads} threads"
                )
                if configuration.application.free_cores:
                    text += f" and {configuration.application.free_cores} free"
                yield domain.key, f"{text} need {needed}", configuration

    for (key, text), configurations in by_text(remarks()).items():
        yield warning(key, f"{mention(configurations)}: {text}")
