"""What there is to know of a form: how it is written and read, and when it is not to be trusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from waywiser.errors import InvalidCommand, WaywiserError
from waywiser.launch.placing.placed import Placed


@dataclass(frozen=True)
class Files:
    """The names under which the texts of a form lie."""

    placement: str
    hosts: str
    """The job's hosts and their slots, for launchers that ask for them as well."""


class InvalidPlacement(InvalidCommand):
    """A file of a launcher's form cannot be read; the message names the line."""


class Unsafe(WaywiserError):
    """The form would not put these ranks where they belong; the message has the reason."""


def trusted(_: Placed) -> str:
    return ""


@dataclass(frozen=True)
class Form:
    name: str
    """Name of the form for `--for`."""

    about: str
    """Description of the form, and the launchers that take it."""

    write: Callable[[Placed], str]
    read: Callable[[str, Placed], tuple[str, ...]]
    """The host of each rank that a text names; of the other argument, only the allocation is used.

    Raises InvalidPlacement.
    """

    launch: Callable[[Placed, Files], str]
    """The command line up to the program, for a shell."""

    refuse: Callable[[Placed], str] = trusted
    """Why this placement is not safe in this form; "" where it is."""

    warn: Callable[[Placed], str] = trusted
    """What a user should know before the launch; "" if nothing."""

    families: tuple[str, ...] = ()
    """The MPI libraries whose ranks it places well, as `Mpi.abi` names them; empty: all."""

    stranger: str = "it is for the launcher of another MPI library"
    """Why it is not for those of other families."""

    permutes: bool = False
    """True if the form only renumbers the processes that the launcher starts by default."""

    def text(self, placed: Placed, family: str = "unknown") -> str:
        """What the file holds.

        Args:
            family: of the program's MPI library, as `Mpi.abi` names it.

        Raises:
            Unsafe: the launcher is known not to do what this form says.
        """
        reason = self.refuse(placed)
        if self.families and family not in (*self.families, "unknown"):
            reason = self.stranger
        if self.permutes and not placed.permutes:
            reason = (
                f"it only renumbers the processes on the first {placed.ranks} slots, and this "
                "placement takes others"
            )
        if reason:
            raise Unsafe(f"--for {self.name}: {reason}")
        return self.write(placed)


def lines_of(text: str) -> list[tuple[int, str]]:
    """Numbers and texts of the lines that hold more than a comment."""
    lines = (
        (number, line.partition("#")[0].strip()) for number, line in enumerate(text.splitlines(), 1)
    )
    return [(number, line) for number, line in lines if line]
