"""The nodes that a job was given: a host file, a node file of PBS or a node list of Slurm.

n0 slots=2        Open MPI
n0:2              MPICH, Intel MPI
n0                once for each slot, as in $PBS_NODEFILE
n[0-3,7]          $SLURM_JOB_NODELIST, or any line of it
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.inputs import read_text
from waywiser.machines.hostlist import MOST_NAMES, expand, expand_all
from waywiser.model.machine import Machine
from waywiser.units import counted

_SLOTS = re.compile(
    r"(\S+?)(?::(\d{1,9})|\s+(?:slots|cpu|count)\s*=\s*(\d{1,9}))?(?:\s+(?!slots|cpu|count)\w+\s*=\s*\S+)*"
)


@dataclass(frozen=True)
class Allocation:
    """Hosts in the order in which a launcher fills them."""

    hosts: tuple[str, ...]
    """Hosts, each once, as they were written."""

    nodes: tuple[int, ...]
    """The hosts' numbers in the machine's topology."""

    slots: tuple[int, ...]
    """Number of ranks that each host takes."""


def read_allocation(machine: Machine, path: Path, slots: int = 0) -> Allocation:
    """Read the hosts from a file.

    Args:
        slots: number of ranks that each host takes; 0 means as the file says, or the cores of a
            node where the file says nothing.

    Raises:
        InvalidCommand: the file cannot be read, or names a host that the machine does not have.
    """
    return allocation_of(machine, read_text(path, "a list of hosts"), str(path), slots)


def allocation_of(machine: Machine, text: str, source: str, slots: int = 0) -> Allocation:
    """Read the hosts from a text; `source` names its origin.

    Raises:
        InvalidCommand: the text is not a list of hosts, names a host that the machine does not
            have, or gives a host more slots than a node has cores.
    """
    numbers = node_numbers(machine)
    counts: dict[str, int] = {}
    for host, count in _lines(text, source):
        counts[host] = counts.get(host, 0) + count
    if not counts:
        raise InvalidCommand(f"{source} names no host")
    nodes = [_number(host, numbers, machine, source) for host in counts]
    host_of: dict[int, str] = {}
    for host, node in zip(counts, nodes, strict=True):
        if host_of.setdefault(node, host) != host:
            raise InvalidCommand(
                f"{source}: {host_of[node]} and {host} are one node of {machine.title}"
            )
    cores = machine.node.cores
    taken = [slots or count or cores for count in counts.values()]
    for host, count in zip(counts, taken, strict=True):
        if count > cores:
            where = f"--slots {slots}" if slots else f"{source}: {host} has {count} slots"
            raise InvalidCommand(
                f"{where}, but a node of {machine.title} has {counted(cores, 'core')}; "
                f"give each host at most {counted(cores, 'slot')}"
            )
    return Allocation(hosts=tuple(counts), nodes=tuple(nodes), slots=tuple(taken))


def node_numbers(machine: Machine) -> dict[str, int]:
    """Names of hosts -> their numbers in the topology."""
    return {host: number for number, host in enumerate(expand_all(machine.hosts))}


def _lines(text: str, source: str) -> Iterator[tuple[str, int]]:
    """Yield hosts with their slots; 0 where a line names several hosts, or no number of slots.

    A host without a number counts one slot as soon as another line repeats it. Node files of PBS
    are written so, where Open MPI's host files say `slots`.
    """
    entries: list[tuple[str, int]] = []
    for place, line in enumerate(text.splitlines(), start=1):
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        match = _SLOTS.fullmatch(line)
        if match is None:
            raise InvalidCommand(
                f"{source}, line {place}: {line!r} is not a host; expected one like n0, n0:2,"
                " n0 slots=2 or n[0-3]"
            )
        count = int(match[2] or match[3] or 0)
        try:
            hosts = expand(match[1], MOST_NAMES - len(entries))
        except InvalidCommand as error:
            raise InvalidCommand(f"{source}, line {place}: {error}") from error
        entries += [(host, count) for host in hosts]
    alone = [host for host, count in entries if not count]
    each = int(len(set(alone)) < len(alone))
    yield from ((host, count or each) for host, count in entries)


def numbers_of(machine: Machine, hosts: Sequence[str]) -> tuple[int, ...]:
    """Numbers of the hosts in the topology; empty unless each is a different host of the
    machine."""
    numbers = node_numbers(machine)
    nodes = (_listed(host, numbers) for host in hosts)
    known = dict.fromkeys(number for number in nodes if number is not None)
    return tuple(known) if len(known) == len(hosts) else ()


def _listed(host: str, numbers: dict[str, int]) -> int | None:
    """The number of a host by its name, or by the part of its name before the domain; None if
    unknown."""
    return numbers.get(host, numbers.get(host.partition(".")[0]))


def _number(host: str, numbers: dict[str, int], machine: Machine, source: str) -> int:
    number = _listed(host, numbers)
    if number is None:
        if not machine.hosts:
            raise InvalidCommand(
                f"{source}: {host} has no place on {machine.title}: its file names no hosts; add "
                "the key `hosts` to a copy of the file"
            )
        raise InvalidCommand(
            f"{source}: {host} is not a host of {machine.title}, whose hosts are "
            f"{', '.join(machine.hosts)}"
        )
    return number
