"""Machines by their names: those that come with Waywiser, and a user's own files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from waywiser.errors import InvalidCommand, alike
from waywiser.inputs import read_text
from waywiser.machines.hostlist import expand_all
from waywiser.model.machine import Machine, parse_machine
from waywiser.native import MACHINES
from waywiser.native import _native as native


def shipped() -> dict[str, Path]:
    """Return the files of the machines that come with Waywiser, by name."""
    return {path.stem: path for path in sorted(MACHINES.glob("*.toml"))}


def read_machine(name: str) -> Machine:
    """Read a machine by its name, or from a machine file.

    Raises:
        InvalidCommand: the machine is not found, or its file is wrong; the message names every
            wrong key.
    """
    path = Path(name)
    known = shipped()
    if name in known and not path.is_file():
        path = known[name]
    elif path.suffix != ".toml" and not path.exists():
        meant = alike(
            name, [*known, *(file.name for file in path.absolute().parent.glob("*.toml"))]
        )
        raise InvalidCommand(
            f"there is no machine {name}{meant}; there are {', '.join(known)}, or give a machine "
            "file"
        )
    return machine_from_text(read_text(path, "valid TOML"), str(path))


def machine_from_text(text: str, source: str) -> Machine:
    """Read a machine from a file's text; see `read_machine`."""
    return checked(parse_machine(text, source, check_topology), source)


def checked(machine: Machine, source: str) -> Machine:
    """Return a machine whose names fit its topology.

    Raises:
        InvalidCommand: they do not; the message names the source.
    """
    try:
        topology_of(machine)
    except InvalidCommand as error:
        raise InvalidCommand(f"{source}: {error}") from error
    return machine


def check_topology(kind: str, parameters: dict[str, Any]) -> None:
    """
    Raises:
        InvalidCommand: there is no such topology, or it has no such parameters.
    """
    _make(kind, parameters)


def topology_of(machine: Machine) -> native.Topology:
    """Return the interconnect of a machine, without the links that failed.

    Raises:
        InvalidCommand: names of hosts, switches or failed links do not fit it.
    """
    kind, parameters = machine.network.topology.kind, machine.network.topology.parameters
    topology = _make(kind, parameters)
    names = vertex_names(machine, topology)
    if not machine.network.failed:
        return topology
    number = {name: vertex for vertex, name in enumerate(names)}
    failed = []
    for link in machine.network.failed:
        for name in link.between:
            if name not in number:
                raise InvalidCommand(
                    f"network.failed: there is no {name}; expected names of hosts or switches,"
                    ' or "node N" or "switch N" where they have none'
                )
        failed.append([*(number[name] for name in link.between), link.cables or 0])
    try:
        return native.make_topology(kind, parameters, failed)
    except native.InvalidInput as error:
        raise InvalidCommand(f"network.failed: {error}") from error


def vertex_names(machine: Machine, topology: native.Topology) -> list[str]:
    """Names of all nodes, then of all switches; "node N" and "switch N" where the file names none.

    Raises:
        InvalidCommand: the file names more of them than there are, or two alike.
    """
    names: list[str] = []
    for key, hostlists, count, word in (
        ("hosts", machine.hosts, topology.nodes, "node"),
        ("switches", machine.switches, topology.switches, "switch"),
    ):
        named = expand_all(hostlists)
        if len(named) > count:
            raise InvalidCommand(
                f"{key}: {len(named)} names, but the topology has {count}"
                f" {word}{'' if count == 1 else 'es' if word == 'switch' else 's'}"
            )
        names += [*named, *(f"{word} {number}" for number in range(len(named), count))]
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidCommand(f"hosts, switches: {name} is named twice")
        seen.add(name)
    return names


def _make(kind: str, parameters: dict[str, Any]) -> native.Topology:
    for key, value in parameters.items():
        if not _is_value(value):
            raise InvalidCommand(
                f"{kind}: {key} is neither a whole number, a word, a list of whole numbers nor a"
                " list of such lists"
            )
    try:
        return native.make_topology(kind, parameters)
    except native.InvalidInput as error:
        raise InvalidCommand(str(error)) from error


def _is_value(value: object) -> bool:
    if isinstance(value, list) and all(isinstance(row, list) for row in value):
        return all(_are_whole(row) for row in value)
    return isinstance(value, str) or _are_whole(value if isinstance(value, list) else [value])


def _are_whole(values: Sequence[object]) -> bool:
    return all(type(value) is int and abs(value) < 1 << 63 for value in values)
