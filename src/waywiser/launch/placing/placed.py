"""Ranks on the slots of a job's hosts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby


@dataclass(frozen=True)
class Placed:
    names: tuple[str, ...]
    """Names of the job's hosts, as its launcher knows them."""

    slots: tuple[int, ...]
    """The host of each slot, an index of `names`, in the launcher's default order."""

    order: tuple[int, ...]
    """The slot of each rank; no slot twice."""

    @property
    def ranks(self) -> int:
        return len(self.order)

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """The host of each rank."""
        return tuple(self.names[self.slots[slot]] for slot in self.order)

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """The slot of each rank, counted from 0 among the slots of its host."""
        taken: Counter[int] = Counter()
        numbers = []
        for host in self.slots:
            numbers.append(taken[host])
            taken[host] += 1
        return tuple(numbers[slot] for slot in self.order)

    @cached_property
    def slots_of_hosts(self) -> tuple[tuple[str, int], ...]:
        """Each host and its number of slots, in the order of their first slots."""
        return tuple((self.names[host], count) for host, count in Counter(self.slots).items())

    @cached_property
    def blocks(self) -> tuple[tuple[str, int], ...]:
        """Blocks of consecutive ranks on one host: the host's name and the number of ranks."""
        return runs_of(self.hosts)

    @property
    def permutes(self) -> bool:
        """True if the ranks occupy the slots that the launcher takes by default."""
        return max(self.order, default=-1) < self.ranks


def runs_of(names: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Runs of equal names: the name and the length of each run."""
    return tuple((name, len(list(group))) for name, group in groupby(names))
