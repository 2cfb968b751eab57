"""What there is to know of a launcher, whether a user's command begins with it, a study starts its
runs with it, or a recorded run was started by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from waywiser.launch.placing.form import Form
from waywiser.launch.shape import Shape
from waywiser.model.run import Abi


def takes(count: int, names: str) -> dict[str, int]:
    """Options that so many words follow."""
    return dict.fromkeys(names.split(), count)


@dataclass(frozen=True)
class LauncherKind:
    name: str
    commands: tuple[str, ...] = ()
    """What its files are called; the first is what users write."""

    library: str = ""
    """The MPI library that it belongs to, as study files name it; "" if it is a batch system's, or
    no launcher at all."""

    # Recognised: asked, looked at, and in records of runs.

    version_pattern: str = ""
    """Pattern for the output of `mpirun --version`; group 1 is the version."""

    marks: tuple[bytes, ...] = ()
    """What stands in its file."""

    runtimes: tuple[str, ...] = ()
    """Beginnings of the names of libraries that its file is linked to."""

    beside: tuple[str, ...] = ()
    """Names of files in the directory lib of its installation, where its file is not enough."""

    serves: str = ""
    """A pattern: how the libraries call themselves whose mpirun or mpiexec it is."""

    modules: str = ""
    """A pattern: environment modules that bring it."""

    telling_options: frozenset[str] = frozenset()
    """Options that no other library's launcher takes."""

    telling_variables: str = ""
    """Start of the names of variables that only its library reads."""

    compiler_suffix: str = ""
    """Suffix of its compiler wrappers where two libraries share a directory, as in Debian; else
    ""."""

    parameters: str = ""
    """The program beside it that lists the variables which its library reads."""

    # Command lines: which options take values, and where the program stands.

    starts: tuple[Abi, ...] = ()
    """The families of programs."""

    values: dict[str, int] = field(default_factory=dict)
    """Options (without leading dashes) that take values, and how many."""

    working_directory: tuple[str, ...] = ()
    """Options by which it changes to another directory, where the program may be."""

    joined: str = ""
    """Letters of options that a number follows in the same word, as in -n4."""

    reads_file: tuple[str, ...] = ()
    """Options that hide the programs in a file."""

    rank_options: tuple[str, ...] = ("n", "np", "ntasks")
    """Options that say how many ranks it starts."""

    instead_of_file: str = "write them into the command, separated by ':'"

    # Runs of a shape: how many ranks, where, and bound to what.

    words: Callable[[Shape, bool], list[str]] = lambda shape, bound: []
    """Options, each with its value; the argument says whether ranks are bound."""

    variables: Callable[[Shape, bool], dict[str, str]] = lambda shape, bound: {}
    """Environment variables that belong to `words`."""

    binding: frozenset[str] = frozenset()
    """Options by which users place and bind ranks themselves."""

    shared: frozenset[str] = frozenset()
    """Options of `words` that users may give instead, beside those."""

    synonyms: Mapping[str, str] = field(default_factory=dict)
    """Other names of options of `words`."""

    forwards: str = ""
    """The option that names a variable for ranks on other nodes; "" where they get all."""

    pmi: str = ""
    """The option that says which PMI the ranks get, with its `=`."""

    shares_cores: tuple[str, ...] = ()
    """Options by which a user has more ranks than cores."""

    as_root: str = ""
    """The option without which it does not run as root."""

    forms: tuple[Form, ...] = ()
    """Forms in which it takes placements."""

    # Told to users.

    rank_variables: str = ""
    """Environment variables in which it tells each process its rank."""

    binds_to_cores: str = ""
    """What a user writes to bind each rank to a core of its own."""

    exclusive: str = ""
    """What a user writes to have nodes alone."""

    batch_system: str = ""
    """Batch system in whose jobs it starts programs; "" for any."""

    remote: bool = False
    """Whether ranks are children of a daemon, so that their CPU time is not the launcher's."""

    refusals: Callable[[Launcher, str], list[str]] = lambda launcher, said: []
    """Why it refused to start anything, from what it wrote on stderr."""


@dataclass(frozen=True)
class Launcher:
    path: Path
    kind: LauncherKind
    version: str
    """"" where the launcher was looked at and not asked."""

    @property
    def library(self) -> str:
        """The library that it belongs to, with the version if that is known."""
        return f"{self.kind.name} {self.version}".rstrip()

    def __str__(self) -> str:
        return f"{self.path.name} of {self.library}"


def why_refused(launcher: Launcher, said: str) -> list[str]:
    """Why a launcher refused to start anything, said with the option that it wants.

    Args:
        said: what the launcher wrote on stderr.

    Returns:
        Sentences; none where the option is not known.
    """
    return launcher.kind.refusals(launcher, said)
