"""Whether what a study wants to start, read and be read is there."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.launch.check import check_program
from waywiser.launch.command import Command
from waywiser.model.study import LIBRARIES
from waywiser.study.paths import file_named
from waywiser.study.remark import Remark, error, warning
from waywiser.study.rules.subject import Subject, filled, uses_srun


def launchers(subject: Subject) -> Iterator[Remark]:
    for name, found in subject.launchers.items():
        choice = subject.study.mpi[name]
        if isinstance(found, str):
            yield error(f"mpi.{name}.launcher", found)
        elif choice.library and found.kind.name not in {LIBRARIES[choice.library], "Slurm"}:
            yield error(
                f"mpi.{name}.library",
                f'"{choice.library}" is not what {found.path} is of, {found.kind.name} '
                f"{found.version}; leave it out, or give that library's launcher",
            )
    for name, choice in subject.study.mpi.items():
        asked = name in subject.launchers and not uses_srun(choice)
        if not asked and not choice.library:
            yield warning(
                f"mpi.{name}.library",
                f"say which library it is ({', '.join(LIBRARIES)}): its launcher cannot be asked "
                "before the job runs, and binding is told to each in its own words",
            )


def executables(subject: Subject) -> Iterator[Remark]:
    for point in subject.points:
        named = subject.program(point)
        if named is None:
            continue
        name, key = named
        file = subject.find_program(name)
        if file is None:
            if "/" not in name and subject.hides_launcher(point.mpi):
                continue  # a module may bring it
            where = f"from {subject.folder}" if "/" in name else "in PATH"
            yield error(key, f"there is no executable {name} {where}")
        elif not file.is_file() or not os.access(file, os.X_OK):
            yield error(key, f"{file} is not executable")


def workloads(subject: Subject) -> Iterator[Remark]:
    here = subject.installations
    known = sorted({built for mpi in here.values() for built in mpi.workloads})
    for point in subject.points:
        name, mpi = point.application.workload, str(point.values["mpi"])
        program = f"ww-{name.removeprefix('ww-')}"
        if not name or mpi not in here or program in here[mpi].workloads:
            continue
        key = f"application.{point.values['application']}.workload"
        if program in known:
            compiler = here[mpi].compilers.get("mpicxx", "mpicxx")
            yield error(
                key,
                f"{program} is not built for {here[mpi].name} {here[mpi].version} ([mpi.{mpi}]); "
                f"`waywiser build {program.removeprefix('ww-')} --with {compiler}` builds it",
            )
        else:
            names = ", ".join(built.removeprefix("ww-") for built in known)
            yield error(key, f"there is no workload {name}; built here: {names or 'none'}")


def pairs(subject: Subject) -> Iterator[Remark]:
    """A program is linked to one family of MPI libraries; another's launcher starts it as many
    lone ranks."""
    seen: set[tuple[Path, Path]] = set()
    for point in subject.points:
        named = subject.program(point)
        launcher = subject.launcher(str(point.values["mpi"]))
        file = subject.find_program(named[0]) if named else None
        if named is None or launcher is None or file is None or not os.access(file, os.X_OK):
            continue
        if not file.is_file() or (file, launcher.path) in seen:
            continue
        seen.add((file, launcher.path))
        try:
            check_program(Command((str(launcher.path), str(file.absolute())), launcher, (1,)))
        except InvalidCommand as reason:
            yield error(named[1], str(reason))


def inputs(subject: Subject) -> Iterator[Remark]:
    for point in subject.points:
        key = f"application.{point.values['application']}"
        kinds = {"inputs": point.application.inputs, "templates": point.application.templates}
        names = []
        for kind, texts in kinds.items():
            for text in texts:
                try:
                    file = file_named(filled(point, text), subject.folder)
                except InvalidCommand as reason:
                    yield error(f"{key}.{kind}", str(reason))
                    continue
                names.append(file.name)
                if not file.exists():
                    yield error(
                        f"{key}.{kind}", f"there is no {filled(point, text)} in {subject.folder}"
                    )
                elif not os.access(file, os.R_OK):
                    yield error(f"{key}.{kind}", f"{file} cannot be read")
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            yield error(
                f"{key}.inputs",
                f"{twice[0]} stands for several files, which would have the same name in a run's "
                "folder",
            )


def readers(subject: Subject) -> Iterator[Remark]:
    if subject.readers is None:
        return
    for name, application in subject.study.application.items():
        if application.reader and application.reader not in subject.readers:
            yield error(
                f"application.{name}.reader",
                f"there is no reader {application.reader}; there are "
                f"{', '.join(sorted(subject.readers))}, or give a pattern for each of its figures",
            )


def headlines(subject: Subject) -> Iterator[Remark]:
    """What a reader finds is its own affair; without one the file names every figure."""
    for name, application in subject.study.application.items():
        if application.reader or application.workload:
            continue
        figures = ", ".join(application.figures)
        key = f"application.{name}"
        if not figures:
            yield error(
                f"{key}.figures",
                "nothing would be read from its output: name a reader, or a figure with its "
                "pattern",
            )
        elif not application.headline and len(application.figures) > 1:
            yield error(f"{key}.headline", f"say which figure the study is about: {figures}")
        elif application.headline and application.headline not in application.figures:
            yield error(
                f"{key}.headline",
                f"there is no figure {application.headline}; there are {figures}",
            )
        for wanted in application.correct:
            if figures and wanted not in application.figures:
                yield error(
                    f"{key}.correct.{wanted}", f"there is no such figure; there are {figures}"
                )
