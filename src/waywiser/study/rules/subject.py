"""What the rules look at: the study, its points, and what is here to run them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from waywiser.errors import InvalidCommand, ToolMissing
from waywiser.launch.command import BATCH_LAUNCHERS, Launcher, identify_launcher
from waywiser.launch.discover import installation
from waywiser.launch.host import machine
from waywiser.model.machinery import MpiInstallation
from waywiser.model.study import LIBRARIES, MpiChoice, Study
from waywiser.study.paths import launcher_path, program_named
from waywiser.study.points import Point


@dataclass(frozen=True)
class Setting:
    """A variable that a point's programs are started with."""

    value: str
    key: str
    """Where the file says so."""


@dataclass(frozen=True)
class Subject:
    study: Study
    points: tuple[Point, ...]
    folder: Path
    """Of the study file."""

    readers: Mapping[str, str] | None

    @cached_property
    def cores_per_node(self) -> int:
        """0 if unknown."""
        resources = self.study.resources
        if resources.cores_per_node or resources.scheduler != "local":
            return resources.cores_per_node
        return machine().cores

    @cached_property
    def launchers(self) -> dict[str, Launcher | str]:
        """By [mpi.NAME]: the launcher, or why there is none. Without those of modules."""
        found: dict[str, Launcher | str] = {}
        for name, choice in self.study.mpi.items():
            if not self.hides_launcher(choice):
                try:
                    path = launcher_path(name, choice, self.folder)
                    found[name] = identify_launcher(path) if path else _missing(name, choice)
                except (InvalidCommand, ToolMissing) as reason:
                    found[name] = str(reason)
        return found

    def launcher(self, name: str) -> Launcher | None:
        found = self.launchers.get(name)
        return found if isinstance(found, Launcher) else None

    @cached_property
    def installations(self) -> dict[str, MpiInstallation]:
        """What belongs to each launcher that is an MPI library's own."""
        return {
            name: installation(launcher)
            for name, launcher in self.launchers.items()
            if isinstance(launcher, Launcher) and launcher.kind.name in LIBRARIES.values()
        }

    def library(self, name: str) -> str:
        """Of [mpi.NAME]: "openmpi", "mpich", "impi", or "" if that is not known."""
        if said := self.study.mpi[name].library:
            return said
        launcher = self.launcher(name)
        kind = launcher.kind.name if launcher else ""
        return next((short for short, full in LIBRARIES.items() if full == kind), "")

    def hides_launcher(self, choice: MpiChoice) -> bool:
        """Whether modules or lines of setup bring what is not in PATH now."""
        if Path(choice.launcher).is_absolute():
            return False
        return bool(choice.modules or self.study.resources.modules or self.study.resources.setup)

    def program(self, point: Point) -> tuple[str, str] | None:
        """The point's program as the file names it, and the key; None if it is a workload's or a
        shell's."""
        name = str(point.values["application"])
        mpi = str(point.values["mpi"])
        if special := point.mpi.programs.get(name):
            return filled(point, special), f"mpi.{mpi}.programs.{name}"
        if point.application.program:
            return filled(point, point.application.program), f"application.{name}.program"
        return None

    def find_program(self, name: str) -> Path | None:
        """The file of a program that the study names; None if there is none."""
        try:
            return program_named(name, self.folder)
        except InvalidCommand:
            return None

    def environment(self, point: Point) -> dict[str, Setting]:
        """The variables of a point; what a level says comes before its library and application."""
        application, mpi = point.values["application"], point.values["mpi"]
        sources = [
            (f"application.{application}.environment", point.application.environment),
            (f"mpi.{mpi}.environment", point.mpi.environment),
            *(
                (f"axes.{self.axis_of(point, level.name)}", level.environment)
                for level in point.levels
            ),
        ]
        settings = {}
        for key, variables in sources:
            for name, value in variables.items():
                settings[name] = Setting(filled(point, value), f"{key}.{name}")
        return settings

    def axis_of(self, point: Point, level: str) -> str:
        """The axis that a level of this name stands on."""
        return next((axis for axis in self.study.axes if point.values[axis] == level), "")

    def launcher_words(self, point: Point) -> list[str]:
        words = [*point.mpi.launcher_arguments]
        for level in point.levels:
            words += level.launcher_arguments
        return [filled(point, word) for word in words]


def filled(point: Point, text: str) -> str:
    """`text` with the point's values; as it stands where it names one that there is not."""
    try:
        return point.fill(text)
    except InvalidCommand:
        return text  # a rule of its own says so


def _missing(name: str, choice: MpiChoice) -> str:
    wanted = choice.launcher or "mpirun"
    return f"there is no {wanted} here; `waywiser doctor` lists the launchers"


def uses_srun(choice: MpiChoice) -> bool:
    return Path(choice.launcher).name in BATCH_LAUNCHERS


def said(points: Sequence[Point]) -> str:
    """Which points a remark is about: the first one's name, and how many there are besides."""
    others = len(points) - 1
    if not others:
        return points[0].name
    return f"{points[0].name} (and {others} more point{'s' if others > 1 else ''})"


def by_text(remarks: Iterator[tuple[str, str, Point]]) -> dict[tuple[str, str], list[Point]]:
    """(key, text) -> the points that it was said of."""
    groups: dict[tuple[str, str], list[Point]] = {}
    for key, text, point in remarks:
        groups.setdefault((key, text), []).append(point)
    return groups
