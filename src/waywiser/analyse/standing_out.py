"""Find the ranks and nodes that stand out by useful computation, in at most `MOST_BARS` bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from waywiser.analyse.times import RankTime, rank_times
from waywiser.model.diagnosis import Finding, Kind
from waywiser.model.progress import without_progress
from waywiser.model.summary import Summary
from waywiser.units import counted, seconds_text

MOST_BARS = 128
"""Largest number of bars: a strip is as wide as a third of a screen. If there are more ranks or
nodes, several share a bar."""

STANDS_OUT = 1.05
"""Useful computation over the mean from which a rank or node stands out."""


@dataclass(frozen=True)
class Bar:
    """Adjacent ranks or nodes; heights are over the highest one."""

    least: float
    most: float
    title: str
    stands_out: bool
    """True if the bar has the rank or node that computes most and stands out."""


@dataclass(frozen=True)
class Strip:
    title: str
    bars: tuple[Bar, ...]
    finding: Finding
    sentence: str
    """The finding's sentence, and the number of ranks or nodes in a bar."""


@dataclass(frozen=True)
class _Unit:
    """A rank, or a node with the mean of its ranks."""

    name: str
    seconds: float
    ranks: tuple[int, ...]


def standing_out(summary: Summary) -> list[Strip]:
    """Return strips by rank if there are two ranks, by node if there are two nodes; empty if
    nothing computed."""
    times = rank_times(without_progress(summary)[0])
    nodes: dict[str, list[RankTime]] = {}
    for time in times:
        nodes.setdefault(time.host, []).append(time)
    ranks = [_Unit(f"rank {time.rank}", time.pace, (time.rank,)) for time in times]
    means = [
        _Unit(f"node {host}", fmean(time.pace for time in own), tuple(time.rank for time in own))
        for host, own in nodes.items()
    ]
    strips = (
        _strip("Useful computation by rank", "rank", "rank_computes", ranks),
        _strip("Useful computation by node (mean of its ranks)", "node", "node_computes", means),
    )
    return [strip for strip in strips if strip is not None]


def _strip(title: str, noun: str, kind: Kind, units: Sequence[_Unit]) -> Strip | None:
    if len(units) < 2 or max(unit.seconds for unit in units) <= 0:
        return None
    most = max(units, key=lambda unit: unit.seconds)
    mean = fmean(unit.seconds for unit in units)
    share = -(-len(units) // MOST_BARS)
    groups = [units[begin : begin + share] for begin in range(0, len(units), share)]
    stands_out = most.seconds >= STANDS_OUT * mean
    bars = (_bar(group, most, marked=stands_out and most in group) for group in groups)
    sentence = (
        f"{most.name[0].upper()}{most.name[1:]} computes {seconds_text(most.seconds)}, "
        f"{most.seconds / mean:.2f} times the mean of {counted(len(units), noun)}."
        if stands_out
        else f"All {counted(len(units), noun)} compute alike, {seconds_text(mean)} on average."
    )
    together = f" A bar is {counted(share, noun)}." if share > 1 else ""
    ranks, seconds = (most.ranks, most.seconds) if stands_out else ((), mean)
    finding = Finding(kind=kind, sentence=sentence, ranks=ranks, seconds=seconds)
    return Strip(title, tuple(bars), finding, sentence + together)


def _bar(group: Sequence[_Unit], most: _Unit, *, marked: bool) -> Bar:
    low, high = (pick(unit.seconds for unit in group) for pick in (min, max))
    first, last = group[0].name, group[-1].name
    name = first if len(group) == 1 else f"{first} to {last}"
    time = seconds_text(high)
    if len(group) > 1 and seconds_text(low) != time:
        time = f"{seconds_text(low)} to {time}"
    return Bar(low / most.seconds, high / most.seconds, f"{name}: {time}", marked)
