"""The properties of a launcher that starts a user's command, a study's runs or a recorded run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from waywiser.launch.placing.form import Form
from waywiser.launch.shape import Shape
from waywiser.model.run import Abi


def takes(count: int, names: str) -> dict[str, int]:
    """The options of `names`, each of which takes `count` words."""
    return dict.fromkeys(names.split(), count)


@dataclass(frozen=True)
class LauncherKind:
    name: str
    commands: tuple[str, ...] = ()
    """Names of its files; users write the first."""

    library: str = ""
    """Its MPI library, as study files name it; "" for a batch system's launcher and for no
    launcher."""

    # Recognition: by its version text, by its file, and in records of runs.

    version_pattern: str = ""
    """Pattern for the output of `mpirun --version`; group 1 is the version."""

    marks: tuple[bytes, ...] = ()
    """Texts that its file contains."""

    runtimes: tuple[str, ...] = ()
    """Prefixes of the names of libraries that its file is linked to."""

    beside: tuple[str, ...] = ()
    """Names of files in the directory lib of its installation, where its own file is ambiguous."""

    serves: str = ""
    """Pattern for the names of libraries whose mpirun or mpiexec it is."""

    modules: str = ""
    """Pattern for the environment modules that provide it."""

    telling_options: frozenset[str] = frozenset()
    """Options that no other library's launcher accepts."""

    telling_variables: str = ""
    """Prefix of the names of variables that only its library reads."""

    compiler_suffix: str = ""
    """Suffix of its compiler wrappers where two libraries share a directory, as in Debian; else
    ""."""

    parameters: str = ""
    """The program beside it that lists the variables of its library."""

    # Command lines: options that take values, and the program's position.

    starts: tuple[Abi, ...] = ()
    """Families of the programs that it can start."""

    values: dict[str, int] = field(default_factory=dict)
    """Options (without leading dashes) and the number of values that each takes."""

    working_directory: tuple[str, ...] = ()
    """Options that set the program's working directory, which may contain the program."""

    joined: str = ""
    """Letters of options that a number follows in the same word, as in -n4."""

    reads_file: tuple[str, ...] = ()
    """Options that name a file with the programs."""

    rank_options: tuple[str, ...] = ("n", "np", "ntasks")
    """Options for the number of ranks."""

    instead_of_file: str = "write them into the command, separated by ':'"

    # Runs of a shape: number of ranks, placement and binding.

    words: Callable[[Shape, bool], list[str]] = lambda shape, bound: []
    """(shape, True if ranks are bound) -> options, each with its value."""

    variables: Callable[[Shape, bool], dict[str, str]] = lambda shape, bound: {}
    """(shape, True if ranks are bound) -> environment variables that go with `words`."""

    binding: frozenset[str] = frozenset()
    """Options by which users place and bind ranks themselves."""

    shared: frozenset[str] = frozenset()
    """Further options of `words` that a user's own options replace."""

    synonyms: Mapping[str, str] = field(default_factory=dict)
    """Other names of options of `words`."""

    forwards: str = ""
    """Option that forwards a variable to other nodes; "" where all variables are forwarded."""

    pmi: str = ""
    """Option that selects the PMI of the ranks, with its `=`."""

    shares_cores: tuple[str, ...] = ()
    """Options that allow more ranks than cores."""

    as_root: str = ""
    """Option that it requires to run as root."""

    forms: tuple[Form, ...] = ()
    """Forms in which it accepts placements."""

    # Shown to users.

    rank_variables: str = ""
    """Environment variables that hold the rank of each process."""

    binds_to_cores: str = ""
    """Options that bind each rank to a core of its own."""

    exclusive: str = ""
    """Options that request exclusive nodes."""

    batch_system: str = ""
    """Batch system in whose jobs it starts programs; "" for any."""

    remote: bool = False
    """True if a daemon starts the ranks, so that the launcher's CPU time excludes theirs."""

    refusals: Callable[[Launcher, str], list[str]] = lambda launcher, output: []
    """(launcher, its stderr) -> sentences on why it refused to start anything."""


@dataclass(frozen=True)
class Launcher:
    path: Path
    kind: LauncherKind
    version: str
    """"" where the launcher was recognised by its file and not run."""

    @property
    def library(self) -> str:
        """The launcher's library, with the version if that is known."""
        return f"{self.kind.name} {self.version}".rstrip()

    def __str__(self) -> str:
        return f"{self.path.name} of {self.library}"


def why_refused(launcher: Launcher, output: str) -> list[str]:
    """Explain why a launcher refused to start anything, and name the option that it requires.

    Args:
        said: the launcher's stderr.

    Returns:
        Sentences; none where the option is not known.
    """
    return launcher.kind.refusals(launcher, output)
