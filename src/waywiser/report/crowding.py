"""Which ranks have to share CPUs, because there are fewer of them than ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from waywiser.model.cpus import cpu_mask
from waywiser.model.summary import RankSummary


@dataclass(frozen=True)
class Crowd:
    """Ranks of one host that together may run on fewer CPUs than they are."""

    host: str
    ranks: frozenset[int]
    cpus: int


def crowds(ranks: tuple[RankSummary, ...]) -> list[Crowd]:
    """The crowded hosts, the most ranks a CPU first.

    Where a host as a whole has CPUs enough, the ranks that are bound to the same ones count.
    """
    found = []
    for host, here in _grouped(ranks, lambda rank: rank.host):
        whole = _crowd(host, here)
        found += [whole] if whole else _bound_alike(host, here)
    return sorted(found, key=lambda crowd: -len(crowd.ranks) / crowd.cpus)


def _bound_alike(host: str, ranks: list[RankSummary]) -> list[Crowd]:
    groups = _grouped(ranks, lambda rank: rank.cpus)
    return [crowd for _, group in groups if (crowd := _crowd(host, group))]


def _grouped(
    ranks: Iterable[RankSummary], key: Callable[[RankSummary], str]
) -> Iterable[tuple[str, list[RankSummary]]]:
    groups: dict[str, list[RankSummary]] = {}
    for rank in ranks:
        groups.setdefault(key(rank), []).append(rank)
    return groups.items()


def _crowd(host: str, ranks: list[RankSummary]) -> Crowd | None:
    together = 0
    for cpus in dict.fromkeys(rank.cpus for rank in ranks):
        mask = cpu_mask(cpus)
        if mask is None:
            return None
        together |= mask
    cpus_in_all = together.bit_count()
    if len(ranks) <= cpus_in_all:
        return None
    return Crowd(host, frozenset(rank.rank for rank in ranks), cpus_in_all)
