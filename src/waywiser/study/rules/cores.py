"""Rules that ranks, threads and free cores fit the nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from waywiser.launch.binding import quoted
from waywiser.launch.launchers.open_mpi import OPEN_MPI
from waywiser.launch.launchers.table import OWN_LAUNCHERS
from waywiser.study.configurations import Configuration
from waywiser.study.remark import Remark, error, warning
from waywiser.study.rules.subject import Subject, mention
from waywiser.units import counted

ALLOWANCE = re.compile(
    r"--?(oversubscribe|overcommit)|-O|\S*:oversubscribe\S*|(--?bind-to|--cpu-bind)[ =]none",
    re.IGNORECASE,
)
"""Options that let ranks share cores, in one word or two."""

ALLOWING_VARIABLES = {
    "OMPI_MCA_rmaps_base_oversubscribe": ("1", "true", "yes"),
    "PRTE_MCA_rmaps_default_mapping_policy": (":oversubscribe",),
    "I_MPI_PIN": ("0", "off", "no", "disable"),
}

HOSTS = frozenset(
    {"hosts", "host", "H", "hostfile", "machinefile", "machine", "f", "nodelist", "w"}
)

# Progress threads; Intel MPI Library Developer Reference 2021 ("Asynchronous Progress Control"),
# MPICH's README.envvar, SeisSol's documentation ("Environment variables").
PROGRESS_THREADS = {
    "I_MPI_ASYNC_PROGRESS": ("1", "on", "yes", "enable"),
    "MPICH_ASYNC_PROGRESS": ("1", "on", "yes", "true"),
    "MPIR_CVAR_ASYNC_PROGRESS": ("1", "on", "yes", "true"),
    "SEISSOL_COMMTHREAD": ("1", "on", "yes", "true"),
}


def unknown_nodes(subject: Subject) -> Iterator[Remark]:
    resources = subject.study.resources
    if not subject.cores_per_node:
        yield error(
            "resources.cores_per_node",
            f'with scheduler = "{resources.scheduler}" say how many cores a node has; without that '
            "nothing can be bound or checked",
        )


def nodes_of_one_machine(subject: Subject) -> Iterator[Remark]:
    if not subject.study.resources.local:
        return
    wide = [
        configuration
        for configuration in subject.configurations
        if configuration.nodes > 1
        and not HOSTS & {w.lstrip("-") for w in subject.launcher_words(configuration)}
    ]
    if wide:
        yield error(
            "axes.nodes",
            f"{mention(wide)} asks for {wide[0].nodes} nodes, but a local run has one; name a "
            "scheduler in [resources], or the hosts in launcher_arguments",
        )


def uneven_nodes(subject: Subject) -> Iterator[Remark]:
    if few := [
        configuration
        for configuration in subject.configurations
        if configuration.ranks < configuration.nodes
    ]:
        configuration = few[0]
        yield error(
            "axes.ranks",
            f"{mention(few)} has {counted(configuration.ranks, 'rank')} for {configuration.nodes} "
            "nodes; give each node one at least",
        )
    uneven = [p for p in subject.configurations if p.ranks > p.nodes and p.ranks % p.nodes]
    if uneven:
        configuration = uneven[0]
        yield warning(
            "axes.ranks",
            f"{mention(uneven)} has {configuration.ranks} ranks on {configuration.nodes} nodes, so "
            "that some nodes have more than others",
        )


def ranks_exceed_cores(subject: Subject) -> Iterator[Remark]:
    yield from _where(
        subject,
        "axes.ranks",
        lambda configuration, cores: _on_node(configuration) > cores,
        lambda configuration, cores: (
            f"{_on_node(configuration)} ranks on a node are more than its {counted(cores, 'core')} "
            "(slots)"
        ),
    )


def threads_exceed_cores(subject: Subject) -> Iterator[Remark]:
    yield from _where(
        subject,
        "axes.threads",
        lambda configuration, cores: (
            _on_node(configuration) <= cores < _on_node(configuration) * configuration.threads
        ),
        lambda configuration, cores: (
            f"{counted(_on_node(configuration), 'rank')} x "
            f"{counted(configuration.threads, 'thread')} on a node are more than its "
            f"{counted(cores, 'core')}"
        ),
    )


def no_free_core(subject: Subject) -> Iterator[Remark]:
    def lacks(configuration: Configuration, cores: int) -> bool:
        ranks = _on_node(configuration)
        return ranks * configuration.threads <= cores < ranks * configuration.cores_per_rank

    yield from _where(
        subject,
        "axes.threads",
        lacks,
        lambda configuration, cores: (
            f"{counted(_on_node(configuration), 'rank')} x "
            f"{counted(configuration.threads, 'thread')} leave no core free for each rank's "
            f"communication thread on a node of {counted(cores, 'core')}: with free_cores = "
            f"{configuration.application.free_cores} it would need "
            f"{_on_node(configuration) * configuration.cores_per_rank}"
        ),
    )


def forgotten_free_core(subject: Subject) -> Iterator[Remark]:
    """Warn of a progress thread without a core of its own: it polls and slows a worker thread."""
    asking: dict[str, list[Configuration]] = {}
    for configuration in subject.configurations:
        if configuration.application.free_cores or configuration.ranks == 1:
            continue
        environment = subject.environment(configuration)
        for name, values in PROGRESS_THREADS.items():
            if name in environment and environment[name].value.lower() in values:
                asking.setdefault(name, []).append(configuration)
        if (
            configuration.application.reader == "seissol"
            and "SEISSOL_COMMTHREAD" not in environment
        ):
            asking.setdefault("SeisSol", []).append(configuration)
    for asker, configurations in asking.items():
        yield warning(
            f"application.{configurations[0].values['application']}.free_cores",
            f"{asker} gives each rank of {mention(configurations)} a communication thread, and no "
            "core is left free for it; write free_cores = 1",
        )


def _on_node(configuration: Configuration) -> int:
    """The number of ranks on the fullest node."""
    return -(-configuration.ranks // configuration.nodes)


def _where(
    subject: Subject,
    key: str,
    holds: Callable[[Configuration, int], bool],
    text: Callable[[Configuration, int], str],
) -> Iterator[Remark]:
    """One remark on all configurations that do not fit: an error, or a warning if the file allows
    it."""
    cores = subject.cores_per_node
    wrong = [
        configuration
        for configuration in subject.configurations
        if cores and holds(configuration, cores)
    ]
    allowed = [configuration for configuration in wrong if _allowed(subject, configuration)]
    forbidden = [configuration for configuration in wrong if not _allowed(subject, configuration)]
    if forbidden:
        yield error(
            key,
            f"{mention(forbidden)}: {text(forbidden[0], cores)}; ask for fewer, or let them share "
            f"cores with launcher_arguments = {_how_to_allow(subject, forbidden)}",
        )
    if allowed:
        yield warning(
            key,
            f"{mention(allowed)}: {text(allowed[0], cores)}; its runs fail the validity gate, "
            "and nothing can be decided by them",
        )


def _how_to_allow(subject: Subject, configurations: list[Configuration]) -> str:
    libraries = dict.fromkeys(
        subject.library(str(configuration.values["mpi"])) for configuration in configurations
    )
    kinds = [kind for name, kind in OWN_LAUNCHERS.items() if name in libraries]
    texts = [f"[{quoted(kind.shares_cores)}] for {kind.name}" for kind in kinds]
    return ", ".join(texts) or f"[{quoted(OPEN_MPI.shares_cores)}]"


def _allowed(subject: Subject, configuration: Configuration) -> bool:
    words = subject.launcher_words(configuration)
    if any(ALLOWANCE.fullmatch(text) for text in (*words, *map(" ".join, pairwise(words)))):
        return True
    variables = {
        name: setting.value for name, setting in subject.environment(configuration).items()
    }
    variables |= {words[i + 1]: words[i + 2] for i in range(len(words) - 2) if words[i] == "-genv"}
    return any(
        variables.get(name, "").lower() in values for name, values in ALLOWING_VARIABLES.items()
    )
