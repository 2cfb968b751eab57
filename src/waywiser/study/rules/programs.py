"""Rules that a study's programs, input files and readers of output exist."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from waywiser.errors import InvalidCommand, there_is_no
from waywiser.launch.binding import library_environment
from waywiser.launch.check import check_family, check_pairing
from waywiser.launch.launchers.table import NO_LAUNCHER, OWN_LAUNCHERS
from waywiser.model.study import LIBRARIES
from waywiser.study.collect import RUN_TIME
from waywiser.study.configurations import Configuration
from waywiser.study.launchers import ALONE, UNSEEN, library_of
from waywiser.study.paths import file_named
from waywiser.study.peak import with_peak
from waywiser.study.remark import Remark, error, warning
from waywiser.study.rules.subject import Subject, mention
from waywiser.study.setting import is_sweep, program_words


def launchers(subject: Subject) -> Iterator[Remark]:
    for name, launcher in subject.launchers.items():
        choice = subject.study.mpi[name]
        library = library_of(name, choice)
        if isinstance(launcher, str):
            key, _, text = launcher.partition(": ")
            yield error(key, text)
        elif choice.library and name in LIBRARIES and name != choice.library:
            yield error(
                f"mpi.{name}.library",
                f'"{choice.library}" under the name of another library, {LIBRARIES[name]}; name '
                f"the table mpi.{choice.library}, or after what it is for",
            )
        elif library and launcher.kind.library not in ("", library):
            yield error(
                f"mpi.{name}.library" if choice.library else f"mpi.{name}.launcher",
                f"{launcher.path} is the launcher of {launcher.library}, not of "
                f'{LIBRARIES[library]} ("{library}"); give that library\'s launcher, or name the '
                "library that it is",
            )
        elif launcher.version == UNSEEN:
            yield warning(
                f"mpi.{name}.launcher",
                f"{launcher.path} is not recognised by its file, and a check starts nothing that a "
                f"study file names: it counts as {LIBRARIES[library]}'s until the first run",
            )
        elif choice.modules and not library:
            yield warning(
                f"mpi.{name}.library",
                f"say which library it is ({', '.join(LIBRARIES)}): the launcher that its modules "
                f"bring cannot be asked before the job runs, and {launcher.path} may be another's",
            )


def refused_root(subject: Subject) -> Iterator[Remark]:
    """Refuse a launcher that does not start anything for root, where the study runs as root."""
    if os.geteuid() != 0 or not subject.study.resources.local:
        return
    for name in subject.study.mpi:
        launcher = subject.launcher(name)
        if launcher is None or not launcher.kind.as_root:
            continue
        if any(
            not _allows_root(subject, configuration, launcher.kind.as_root)
            for configuration in subject.configurations
            if configuration.values["mpi"] == name
        ):
            yield error(
                f"mpi.{name}.launcher_arguments",
                f"{launcher} does not run as root without {launcher.kind.as_root}; add "
                f'launcher_arguments = ["{launcher.kind.as_root}"], or run as another user',
            )


def _allows_root(subject: Subject, configuration: Configuration, option: str) -> bool:
    """True if a configuration has the launcher's option, or Open MPI's or PRRTE's variables
    instead."""
    if option in subject.launcher_words(configuration):
        return True
    settings = subject.environment(configuration)
    variables = os.environ | {name: setting.value for name, setting in settings.items()}
    return any(
        variables.get(name) == variables.get(f"{name}_CONFIRM") == "1"
        for name in ("OMPI_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT")
    )


def several_ranks_alone(subject: Subject) -> Iterator[Remark]:
    """Refuse several ranks without a launcher, which start as one rank."""
    many = [
        configuration
        for configuration in subject.configurations
        if configuration.mpi.launcher == ALONE and configuration.ranks > 1
    ]
    if many:
        yield error(
            "axes.ranks",
            f'{mention(many)} has {many[0].ranks} ranks, and launcher = "none" starts one; give '
            f"mpi.{many[0].values['mpi']} a launcher",
        )


def executables(subject: Subject) -> Iterator[Remark]:
    for configuration in subject.configurations:
        launcher = subject.launcher(str(configuration.values["mpi"]))
        if (
            launcher is None
            or configuration.application.workload
            or configuration.application.shell
        ):
            continue
        try:
            program_words(configuration, launcher, subject.directory)
        except InvalidCommand as reason:
            key, _, text = str(reason).partition(": ")
            if key.startswith("application."):
                yield error(key, text)


def workloads(subject: Subject) -> Iterator[Remark]:
    here = subject.installations
    known = sorted({built for mpi in here.values() for built in mpi.workloads})
    for configuration in subject.configurations:
        name, mpi = configuration.application.workload, str(configuration.values["mpi"])
        program = f"ww-{name.removeprefix('ww-')}"
        own = configuration.mpi.programs.get(str(configuration.values["application"]))
        if not name or own or mpi not in here or program in here[mpi].workloads:
            continue
        key = f"application.{configuration.values['application']}.workload"
        if program in known:
            compiler = here[mpi].compilers.get("mpicxx", "mpicxx")
            yield error(
                key,
                f"{program} is not built for {here[mpi].name} ([mpi.{mpi}]); "
                f"`waywiser build {program.removeprefix('ww-')} --with {compiler}` builds it",
            )
        else:
            names = [built.removeprefix("ww-") for built in known]
            yield error(key, there_is_no(f"workload {name}", names))


def pairs(subject: Subject) -> Iterator[Remark]:
    """Check the launcher of each program: a launcher of another family of MPI libraries starts
    every rank as a job of one rank."""
    seen: set[tuple[str, str]] = set()
    for configuration in subject.configurations:
        mpi = str(configuration.values["mpi"])
        launcher = subject.launcher(mpi)
        if launcher is None or launcher.kind == NO_LAUNCHER or configuration.application.shell:
            continue
        try:
            (program,) = program_words(configuration, launcher, subject.directory)
            if (program, mpi) not in seen:
                seen.add((program, mpi))
                environment = library_environment(launcher) | {
                    name: setting.value
                    for name, setting in subject.environment(configuration).items()
                }
                if mpi in subject.installations:
                    check_pairing(Path(program), launcher, environment)
                elif library := subject.library(mpi):
                    check_family(Path(program), OWN_LAUNCHERS[library], environment)
        except InvalidCommand as reason:
            if not str(reason).startswith("application."):  # that it is not there is said elsewhere
                yield error(
                    f"application.{configuration.values['application']}.program", str(reason)
                )


def inputs(subject: Subject) -> Iterator[Remark]:
    for configuration in subject.configurations:
        key = f"application.{configuration.values['application']}"
        kinds = {
            "inputs": configuration.application.inputs,
            "templates": configuration.application.templates,
        }
        names = []
        for kind, texts in kinds.items():
            for text in texts:
                try:
                    file = file_named(subject.filled(configuration, text), subject.directory)
                except InvalidCommand as reason:
                    yield error(f"{key}.{kind}", str(reason))
                    continue
                names.append(file.name)
                if not os.path.exists(file):
                    yield error(
                        f"{key}.{kind}",
                        f"there is no {subject.filled(configuration, text)} in {subject.directory}",
                    )
                elif not os.access(file, os.R_OK):
                    yield error(f"{key}.{kind}", f"{file} cannot be read")
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            yield error(
                f"{key}.inputs",
                f"{twice[0]} stands for several files, which would have the same name in a run's "
                "directory",
            )


def machine(subject: Subject) -> Iterator[Remark]:
    try:
        with_peak(subject.study, subject.directory)
    except InvalidCommand as reason:
        yield error("report.machine", str(reason).removeprefix("report.machine: "))


def readers(subject: Subject) -> Iterator[Remark]:
    if subject.readers is None:
        return
    for name, application in subject.study.application.items():
        if application.reader and application.reader not in subject.readers:
            yield error(
                f"application.{name}.reader",
                there_is_no(f"reader {application.reader}", sorted(subject.readers))
                + ", or give a pattern for each of its metrics",
            )


def headlines(subject: Subject) -> Iterator[Remark]:
    """Check that the headline is a metric of the file; with a reader, metrics are not checked."""
    for name, application in subject.study.application.items():
        if application.reader or is_sweep(subject.study):
            continue
        metrics = [*application.metrics, RUN_TIME]
        key = f"application.{name}"
        if not application.metrics and application.headline in {"", RUN_TIME}:
            yield warning(
                f"{key}.metrics",
                f"its one metric is {RUN_TIME}, with starting and ending the ranks in it; name a "
                "reader, or a metric with its pattern",
            )
        elif not application.headline and len(application.metrics) > 1:
            yield warning(
                f"{key}.headline",
                f"say which metric the study is about; without it, it is {metrics[0]} "
                f"of {', '.join(metrics)}",
            )
        elif application.headline and application.headline not in metrics:
            yield error(f"{key}.headline", there_is_no(f"metric {application.headline}", metrics))
        for checked in application.correct:
            if checked not in application.metrics:
                yield error(f"{key}.correct.{checked}", there_is_no("such metric", metrics))
