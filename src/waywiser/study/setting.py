"""The setting of a configuration on this machine: command line, variables and input files."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.launch.binding import (
    binding_environment,
    binds_itself,
    forwarding_words,
    launch_words,
    library_environment,
    pmi_of,
)
from waywiser.launch.host import usable_cores
from waywiser.launch.launchers.launcher import Launcher
from waywiser.launch.launchers.table import NO_LAUNCHER, OWN_LAUNCHERS
from waywiser.launch.shape import Shape
from waywiser.model.study import Study
from waywiser.study.configurations import Configuration
from waywiser.study.launchers import launcher_of, library_of, runs_elsewhere
from waywiser.study.paths import file_named, program_named

SWEEP, PART = "whatif", "part"
"""The application and the axis of a study whose runs answer parts of a sweep of `whatif`."""


def is_sweep(study: Study) -> bool:
    """True if the study is a sweep of `whatif`, whose runs are not measured."""
    return SWEEP in study.application and PART in study.axes


@dataclass(frozen=True)
class Setting:
    """The command line, variables, modules, files and shape of a configuration's runs."""

    words: tuple[str, ...]
    """The launcher's command line."""

    environment: dict[str, str]
    modules: tuple[str, ...]
    inputs: tuple[Path, ...]
    templates: tuple[Path, ...]
    shape: Shape

    def mark(self, profile: str) -> str:
        """The mark that distinguishes runs of different settings: a hash of command line,
        variables, modules, files and profiling."""
        parts = (self.words, sorted(self.environment.items()), self.modules, profile)
        files = [str(path) for path in (*self.inputs, *self.templates)]
        return hashlib.sha256(json.dumps([parts, files]).encode()).hexdigest()[:16]


def setting_of(study: Study, configuration: Configuration, directory: Path) -> Setting:
    """The setting of a configuration.

    Args:
        directory: directory of the study file, to which its paths are relative.

    Raises:
        InvalidCommand: a program, file or value that the configuration names does not exist.
        ToolMissing: the launcher is not installed, or Waywiser does not know it.
    """
    library = str(configuration.values["mpi"])
    launcher = launcher_of(library, configuration.mpi, directory, elsewhere=runs_elsewhere(study))
    application = configuration.application
    more = {"study": str(directory)}
    shape = Shape(
        nodes=configuration.nodes,
        ranks=configuration.ranks,
        threads=configuration.threads,
        free_cores=application.free_cores,
        cores_per_node=cores_per_node(study),
    )
    options = [*configuration.mpi.launcher_arguments]
    arguments = [*application.arguments]
    for level in configuration.levels:
        options += level.launcher_arguments
        arguments += level.arguments
    options = [configuration.fill(option, more) for option in options]
    bound = not binds_itself(launcher, options)
    environment = binding_environment(launcher, shape, bound=bound) | library_environment(launcher)
    settings = [
        configuration.mpi.environment,
        application.environment,
        *(v.environment for v in configuration.levels),
    ]
    for variables in settings:
        environment |= {name: configuration.fill(text, more) for name, text in variables.items()}
    family = OWN_LAUNCHERS.get(library_of(library, configuration.mpi), NO_LAUNCHER).starts[:1]
    pmi = configuration.mpi.pmi or "".join(map(pmi_of, family))
    words = launch_words(launcher, shape, pmi=pmi, options=options)
    if shape.nodes > 1:
        words += forwarding_words(launcher, environment)
    words += options
    words += program_words(configuration, launcher, directory)
    words += [configuration.fill(argument, more) for argument in arguments]
    return Setting(
        words=tuple(words),
        environment=environment,
        modules=(*study.resources.modules, *configuration.mpi.modules),
        inputs=tuple(
            _input(directory, configuration.fill(name, more)) for name in application.inputs
        ),
        templates=tuple(
            _input(directory, configuration.fill(name, more)) for name in application.templates
        ),
        shape=shape,
    )


def cores_per_node(study: Study) -> int:
    """Cores per node of the runs' machine, which for local runs is this machine; 0 if unknown."""
    here = usable_cores() if study.resources.local else 0
    return study.resources.cores_per_node or here


def program_words(configuration: Configuration, launcher: Launcher, directory: Path) -> list[str]:
    """The command of each rank, without the application's arguments.

    Raises:
        InvalidCommand: the program does not exist.
    """
    application, name = configuration.application, str(configuration.values["application"])
    if application.shell:
        return ["sh", "-c", configuration.fill(application.shell, {"study": str(directory)})]
    own = configuration.mpi.programs.get(name)
    if application.workload and own is None:
        file = launcher.path.parent / f"ww-{application.workload}"
        if not file.exists():
            raise InvalidCommand(
                f"application.{name}.workload: {application.workload} is not built for "
                f"mpi.{configuration.values['mpi']}; build it with `waywiser build "
                f"{application.workload} --with MPICXX` and give it in "
                f"mpi.{configuration.values['mpi']}.programs"
            )
        return [str(file)]
    text = configuration.fill(own or application.program, {"study": str(directory)})
    executable = program_named(text, directory)
    if executable is None and configuration.mpi.modules and "/" not in text:
        return [text]
    if executable is None or not os.access(executable, os.X_OK):
        raise InvalidCommand(
            f"application.{name}.program: there is no {text}, or it is not executable; give a file "
            "(relative to the study file) or a name in PATH"
        )
    return [str(executable)]


def _input(directory: Path, name: str) -> Path:
    path = file_named(name, directory)
    if not path.exists():
        raise InvalidCommand(f"inputs: there is no {path}; give files relative to the study file")
    return path


def fill_template(path: Path, values: Mapping[str, object]) -> str:
    """A template's text with each @NAME@ replaced by the value of that name.

    Raises:
        InvalidCommand: the file cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidCommand(f"templates: {path} cannot be read as text: {error}") from error
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    return text
