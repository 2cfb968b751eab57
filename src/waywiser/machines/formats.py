"""The formats, beside machine files, that machines are imported from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from waywiser.errors import InvalidCommand
from waywiser.inputs import read_text
from waywiser.machines import hwloc, ibnetdiscover, slingshot, slurm
from waywiser.machines.hostlist import InvalidHostlist
from waywiser.machines.library import checked
from waywiser.model.machine import TABLES, Machine, Node
from waywiser.model.mistakes import mistakes

FORMATS: dict[str, Callable[[Path, str, Node | None], Machine]] = {
    "slurm": slurm.read,
    "slingshot": slingshot.read,
    "ibnetdiscover": ibnetdiscover.read,
    "hwloc": hwloc.read,
}


def import_machine(
    form: str, path: Path, node: Path | None = None, chassis_per_group: int | None = None
) -> Machine:
    """Read a machine from a file in another format.

    Args:
        node: hwloc's XML of one of its nodes.
        chassis_per_group: for slingshot, where a group is not a cabinet.

    Raises:
        InvalidCommand: a file cannot be read, is something else, or gives no machine.
    """
    try:
        inside = None if node is None else hwloc.read_node(node, read_text(node, "text"))
        text = read_text(path, "text")
        if chassis_per_group is not None:
            machine = slingshot.read(path, text, inside, chassis_per_group)
        else:
            machine = FORMATS[form](path, text, inside)
        return checked(machine, str(path))
    except ValidationError as error:  # for names that no machine file can have
        raise InvalidCommand(f"{path}: {mistakes(error, Machine, TABLES)}") from error
    except InvalidHostlist as error:
        raise InvalidCommand(f"{path}: {error}") from error
