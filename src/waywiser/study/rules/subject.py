"""The subject of the rules: a study, its configurations, launchers and MPI installations."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from waywiser.errors import InvalidCommand, WaywiserError
from waywiser.launch.discover import installation
from waywiser.launch.launchers.launcher import Launcher
from waywiser.model.machinery import MpiInstallation
from waywiser.model.study import Study
from waywiser.study.configurations import Configuration
from waywiser.study.launchers import launcher_of, library_of, runs_elsewhere
from waywiser.study.setting import cores_per_node


@dataclass(frozen=True)
class Setting:
    """An environment variable of a configuration's programs."""

    value: str
    key: str
    """Key of the file that sets the variable."""


@dataclass(frozen=True)
class Subject:
    study: Study
    configurations: tuple[Configuration, ...]
    directory: Path
    """Directory of the study file."""

    readers: Mapping[str, str] | None

    @cached_property
    def cores_per_node(self) -> int:
        """Number of cores of a node; 0 if unknown."""
        return cores_per_node(self.study)

    @cached_property
    def launchers(self) -> dict[str, Launcher | str]:
        """Launcher of each [mpi.NAME], or the wrong key with the reason why there is no
        launcher."""
        launchers: dict[str, Launcher | str] = {}
        elsewhere = runs_elsewhere(self.study)
        for name, choice in self.study.mpi.items():
            try:
                launchers[name] = launcher_of(name, choice, self.directory, elsewhere=elsewhere)
            except WaywiserError as reason:
                launchers[name] = str(reason)
        return launchers

    def launcher(self, name: str) -> Launcher | None:
        launcher = self.launchers.get(name)
        return launcher if isinstance(launcher, Launcher) else None

    @cached_property
    def installations(self) -> dict[str, MpiInstallation]:
        """Installation of each launcher that is installed and belongs to an MPI library."""
        return {
            name: installation(launcher)
            for name, launcher in self.launchers.items()
            if isinstance(launcher, Launcher)
            and launcher.kind.library
            and os.access(launcher.path, os.X_OK)
        }

    def library(self, name: str) -> str:
        """The MPI library of [mpi.NAME]: "openmpi", "mpich", "impi", or "" if unknown."""
        if known := library_of(name, self.study.mpi[name]):
            return known
        launcher = self.launcher(name)
        return launcher.kind.library if launcher else ""

    def environment(self, configuration: Configuration) -> dict[str, Setting]:
        """The variables of a configuration; a level's override the application's, which override
        the library's."""
        application, mpi = configuration.values["application"], configuration.values["mpi"]
        sources = [
            (f"mpi.{mpi}.environment", configuration.mpi.environment),
            (f"application.{application}.environment", configuration.application.environment),
            *(
                (f"axes.{self.axis_of(configuration, level.name)}", level.environment)
                for level in configuration.levels
            ),
        ]
        settings = {}
        for key, variables in sources:
            for name, value in variables.items():
                settings[name] = Setting(self.filled(configuration, value), f"{key}.{name}")
        return settings

    def axis_of(self, configuration: Configuration, level: str) -> str:
        """The axis of a level of this name; "" if there is none."""
        return next((axis for axis in self.study.axes if configuration.values[axis] == level), "")

    def launcher_words(self, configuration: Configuration) -> list[str]:
        words = [*configuration.mpi.launcher_arguments]
        for level in configuration.levels:
            words += level.launcher_arguments
        return [self.filled(configuration, word) for word in words]

    def filled(self, configuration: Configuration, text: str) -> str:
        """`text` with the configuration's values; unchanged if it names an unknown value."""
        try:
            return configuration.fill(text, self.more)
        except InvalidCommand:
            return text  # another rule reports it

    @property
    def more(self) -> dict[str, str]:
        """Names for texts besides the values of a configuration."""
        return {"study": str(self.directory)}


def mention(configurations: Sequence[Configuration]) -> str:
    """The configurations of a remark: the name of the first one, and the number of others."""
    others = len(configurations) - 1
    if not others:
        return configurations[0].name
    return f"{configurations[0].name} (and {others} more configuration{'s' if others > 1 else ''})"


def by_text(
    remarks: Iterator[tuple[str, str, Configuration]],
) -> dict[tuple[str, str], list[Configuration]]:
    """(key, text) -> the configurations with that remark."""
    groups: dict[tuple[str, str], list[Configuration]] = {}
    for key, text, configuration in remarks:
        groups.setdefault((key, text), []).append(configuration)
    return groups
