"""The file that ranks read to order themselves on a machine: nodes, their levels and the network.

Lines of a word and its values, as native/place/places.hpp reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from waywiser.errors import InvalidCommand
from waywiser.machines.hostlist import expand_all
from waywiser.machines.library import topology_of, vertex_names
from waywiser.model.machine import Machine


def places_text(machine: Machine, source: str) -> str:
    """
    Raises:
        InvalidCommand: the machine, which `source` describes, has no names of hosts.
    """
    if not machine.hosts:
        raise InvalidCommand(
            f"{source}: the key `hosts` is missing, by which ranks find out on which node they are"
        )
    topology = machine.network.topology
    lines = [f"title {machine.title}", f"topology {topology.kind}"]
    for key, value in topology.parameters.items():
        lines += _parameter(key, value)
    lines += [f"level {level.cores} {level.distance}" for level in machine.node.levels]
    lines += _failed(machine)
    lines.append(" ".join(("hosts", *expand_all(machine.hosts))))
    return "\n".join(lines) + "\n"


def _parameter(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, list) and all(isinstance(row, list) for row in value):
        yield from (f"row {key} {_words(row)}" for row in value)
    elif isinstance(value, list):
        yield f"list {key} {_words(value)}"
    else:
        yield f"{'word' if isinstance(value, str) else 'number'} {key} {value}"


def _words(values: list[int]) -> str:
    return " ".join(map(str, values))


def _failed(machine: Machine) -> Iterator[str]:
    if not machine.network.failed:
        return
    names = vertex_names(machine, topology_of(machine))
    number = {name: vertex for vertex, name in enumerate(names)}
    for link in machine.network.failed:
        a, b = (number[name] for name in link.between)
        yield f"failed {a} {b} {link.cables or 0}"
