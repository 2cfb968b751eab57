"""What is odd about ranks, in lines for a terminal: each remark once, with its ranks; and which of
their counters are missing."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from waywiser.analyse.findings import rank_remarks
from waywiser.model.summary import NodeSummary, RankSummary
from waywiser.units import counted, joules_text

RANGES = 4
"""Of rank numbers that a remark names."""

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def remark_lines(ranks: tuple[RankSummary, ...], most: int) -> list[str]:
    """The remarks and whose they are, those of most ranks first: "ranks 0-1: on a CPU for …".

    Ranks whose remarks differ in numbers alone share a line, with the lowest of their numbers.
    """
    whose: dict[str, list[tuple[str, int]]] = {}
    for rank, remarks in rank_remarks(ranks).items():
        for remark in remarks:
            whose.setdefault(_NUMBER.sub("", remark), []).append((remark, rank))
    lines = []
    for alike in sorted(whose.values(), key=lambda alike: -len(alike)):
        texts = dict.fromkeys(remark for remark, _ in alike)
        worst = min(texts, key=lambda text: [float(n) for n in _NUMBER.findall(text)])
        named = "rank" if len(alike) == 1 else "ranks"
        least = f" (lowest: rank {dict(alike)[worst]})" if len(texts) > 1 else ""
        lines.append(f"{named} {_numbers([rank for _, rank in alike])}: {worst}{least}")
    if len(lines) > most:
        left = counted(len(lines) - most, "remark")
        lines[most:] = [f"and {left} more: waywiser show RUN --per-rank"]
    return lines


def not_counted_text(ranks: tuple[RankSummary, ...]) -> str:
    """Why instructions and cycles are missing, "" where every rank has them."""
    where = _reason([rank.not_counted for rank in ranks], "rank")
    return f"hardware counters{where}" if where else ""


def energy_text(nodes: tuple[NodeSummary, ...]) -> str:
    """The energy of the nodes that told it, "" where none did."""
    known = [node.energy_joules for node in nodes if node.energy_joules is not None]
    some = "" if len(known) == len(nodes) else f" on {len(known)} of {len(nodes)} nodes"
    return f"energy {joules_text(sum(known))}{some}" if known else ""


def no_energy_text(nodes: tuple[NodeSummary, ...]) -> str:
    """Why the energy is missing, "" where every node told it."""
    where = _reason([node.unknown.get("energy_joules", "") for node in nodes], "node")
    return f"energy{where}" if where else ""


def _reason(whys: list[str], where: str) -> str:
    """Of several reasons that of most ranks or nodes, and on how many of them it holds if not on
    all; "" where nothing is missing."""
    reasons = Counter(why for why in whys if why)
    if not reasons:
        return ""
    [(reason, count)] = reasons.most_common(1)
    some = "" if count == len(whys) else f" on {count} of {len(whys)} {where}s"
    return f"{some} {reason}"


def _numbers(ranks: list[int]) -> str:
    """ "0-3, 8"; the count alone where there are too many ranges to name."""
    ranges = [[rank] for rank in ranks[:1]]
    for before, rank in pairwise(ranks):
        if rank == before + 1:
            ranges[-1][1:] = [rank]
        else:
            ranges.append([rank])
    if len(ranges) > RANGES:
        return f"{len(ranks)} of them, the first {ranks[0]}"
    return ", ".join("-".join(map(str, part)) for part in ranges)
