"""A launcher's form of placement: how to write it, and when it is unsafe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from waywiser.errors import WaywiserError
from waywiser.launch.placing.placed import Placed


class Unsafe(WaywiserError):
    """The form would not place the ranks as intended; the message gives the reason."""


def trusted(_: Placed) -> str:
    return ""


@dataclass(frozen=True)
class Form:
    name: str
    """Name of the form for `--for`."""

    about: str
    """Description of the form, and the launchers that take it."""

    write: Callable[[Placed], str]
    command: str
    """The command line up to the program, for a shell: `{ranks}` is their number, `{placement}` the
    form's file, and `{hosts}` a file with the job's hosts and their slots."""

    refuse: Callable[[Placed], str] = trusted
    """Placement -> why the form is not safe for it; "" if it is safe."""

    warn: Callable[[Placed], str] = trusted
    """Placement -> a warning before the launch; "" if there is none."""

    families: tuple[str, ...] = ()
    """MPI libraries whose ranks the form places correctly, as in `Mpi.abi`; empty means all."""

    stranger: str = "it is for the launcher of another MPI library"
    """Why the form is not for programs of other families."""

    permutes: bool = False
    """True if the form only renumbers the processes that the launcher starts by default."""

    def text(self, placed: Placed, family: str = "unknown") -> str:
        """The contents of the placement file.

        Args:
            family: family of the program's MPI library, as in `Mpi.abi`.

        Raises:
            Unsafe: the launcher is known not to follow this form.
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

    def launch(self, ranks: int, placement: str, hosts: str = "") -> str:
        return self.command.format(ranks=ranks, placement=placement, hosts=hosts)
