"""Anomalies of ranks: their CPUs, neighbours and threads, and missing counters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from waywiser.model.diagnosis import Finding, Kind
from waywiser.model.summary import NodeSummary, RankSummary
from waywiser.units import counted, joules_text, percent_text

RANGES = 4
"""Largest number of ranges of rank numbers in a remark."""

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


BUSY = 0.9
"""CPU time over wall time below which a rank was visibly off its CPU."""

SLOW_CLOCK = 0.9
"""Cycles per CPU time, over the median rank's, below which a rank gets a remark."""

DISPLACED_PER_SECOND = 20.0
"""Involuntary switches per second of wall time from which a rank had to share its CPU."""


def rank_remarks(ranks: tuple[RankSummary, ...]) -> dict[int, dict[Kind, str]]:
    """Remarks on the CPU, neighbours and threads of a rank, by rank and kind."""
    clocks = [clock for rank in ranks if (clock := cycles_per_second(rank))]
    usual = median(clocks) if clocks else 0.0
    return {rank.rank: _remarks(rank, usual) for rank in ranks}


def cycles_per_second(rank: RankSummary) -> float:
    """Return cycles in user mode per CPU time [1/s]; 0 if they were not counted.

    The result is the clock's frequency, or less if the kernel used part of the CPU time.
    """
    return (rank.cycles or 0) / rank.cpu_seconds if rank.cpu_seconds > 0 else 0.0


def _remarks(rank: RankSummary, usual_clock: float) -> dict[Kind, str]:
    remarks: dict[Kind, str] = {}
    if rank.wall_seconds > 0:
        busy = rank.cpu_seconds / rank.wall_seconds
        if busy < BUSY:
            remarks["off_cpu"] = f"on a CPU for only {percent_text(busy)} of the wall time"
        if rank.involuntary_switches / rank.wall_seconds > DISPLACED_PER_SECOND:
            remarks["displaced"] = "often preempted by other threads or programs"
    clock = cycles_per_second(rank)
    if 0 < clock < SLOW_CLOCK * usual_clock:
        remarks["slow_clock"] = (
            f"{clock / 1e9:.2f} GHz (the median rank {usual_clock / 1e9:.2f} GHz) and "
            f"{(rank.instructions or 0) / (rank.cycles or 1):.2f} instructions per cycle: a slow "
            "CPU or much time in the kernel"
        )
    others = rank.mpi_threads - rank.progress_threads
    if rank.progress_threads and others:
        only = "makes" if rank.progress_threads == 1 else "make"
        remarks["progress"] = f"{counted(rank.progress_threads, 'thread')} only {only} progress"
    if others > 1:
        remarks["threads"] = f"{counted(others, 'thread')} called MPI; their times add up"
    return remarks


def remarks(ranks: tuple[RankSummary, ...]) -> tuple[Finding, ...]:
    """Return each kind of remark once with its ranks, those of most ranks first.

    The sentence of a kind is that of the rank with the lowest numbers.
    """
    whose: dict[Kind, dict[int, str]] = {}
    for rank, by_kind in rank_remarks(ranks).items():
        for kind, text in by_kind.items():
            whose.setdefault(kind, {})[rank] = text
    return tuple(
        Finding(kind=kind, ranks=tuple(texts), sentence=_lowest(texts))
        for kind, texts in sorted(whose.items(), key=lambda item: -len(item[1]))
    )


def _lowest(texts: dict[int, str]) -> str:
    rank = min(texts, key=lambda rank: [float(n) for n in _NUMBER.findall(texts[rank])])
    several = len(set(texts.values())) > 1
    return f"{texts[rank]} (lowest: rank {rank})" if several else texts[rank]


def remark_lines(ranks: tuple[RankSummary, ...]) -> list[str]:
    """Return the remarks with their ranks: "ranks 0-1: on a CPU for …"."""
    return [f"{_numbers(remark.ranks)}: {remark.sentence}" for remark in remarks(ranks)]


def not_counted_text(ranks: tuple[RankSummary, ...]) -> str:
    """Return the reason why instructions and cycles are missing; "" if every rank has them."""
    where = _reason([rank.not_counted for rank in ranks], "rank")
    return f"hardware counters{where}" if where else ""


def energy_text(nodes: tuple[NodeSummary, ...]) -> str:
    """Return the energy of the nodes that report it; "" if none does."""
    known = [node.energy_joules for node in nodes if node.energy_joules is not None]
    some = "" if len(known) == len(nodes) else f" on {len(known)} of {len(nodes)} nodes"
    return f"energy {joules_text(sum(known))}{some}" if known else ""


def no_energy_text(nodes: tuple[NodeSummary, ...]) -> str:
    """Return the reason why the energy is missing; "" if every node reports it."""
    where = _reason([node.unknown.get("energy_joules", "") for node in nodes], "node")
    return f"energy{where}" if where else ""


def _reason(whys: list[str], where: str) -> str:
    """Return the reason that most ranks or nodes have, with their number unless it holds for all;
    "" if nothing is missing."""
    reasons = Counter(why for why in whys if why)
    if not reasons:
        return ""
    [(reason, count)] = reasons.most_common(1)
    some = "" if count == len(whys) else f" on {count} of {len(whys)} {where}s"
    return f"{some} {reason}"


def _numbers(ranks: Sequence[int]) -> str:
    """Return "ranks 0-3, 8"; their number and the first if there are too many ranges to name."""
    ranges = rank_ranges(ranks)
    if len(ranges) > RANGES:
        return f"{len(ranks)} ranks, the first {ranks[0]}"
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {', '.join(ranges)}"


def rank_ranges(ranks: Sequence[int]) -> list[str]:
    """Return ascending numbers as "0-3" and "8"."""
    ranges = [[rank] for rank in ranks[:1]]
    for before, rank in pairwise(ranks):
        if rank == before + 1:
            ranges[-1][1:] = [rank]
        else:
            ranges.append([rank])
    return ["-".join(map(str, part)) for part in ranges]
