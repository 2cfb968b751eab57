"""What the numbers say, in sentences: the verdict on a run, and what is odd about its ranks."""

from __future__ import annotations

import re
from collections import Counter

from waywiser.model.summary import RankSummary, Summary
from waywiser.report.times import (
    SET_UP,
    RankTime,
    Total,
    by_time,
    imbalance,
    rank_times,
    total_time,
)
from waywiser.units import counted, percent_text

NOTABLE_SPREAD = 0.05
"""Difference between ranks' MPI shares from which it is worth a sentence."""

BUSY = 0.9
"""CPU time over wall time below which a rank was visibly off its CPU."""

CROWDED_PER_SECOND = 20.0
"""Involuntary switches per second of wall time from which a rank had to share its CPU."""

_CPU_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


def verdict(summary: Summary) -> str:
    """Where the time goes, in one to three sentences that say only what was measured."""
    times = rank_times(summary)
    total = total_time(times)
    if not times:
        return "No rank left a profile."
    if total.wall <= 0:
        return f"{counted(len(times), 'rank')} left a profile, but no time in it."
    sentences = [_share_sentence(summary, total), _set_up_sentence(total)]
    if len(times) > 1:
        sentences.append(_spread_sentence(times))
    prose = " ".join(sentence for sentence in sentences if sentence)
    return prose.replace(" %", "\u00a0%")  # a line never breaks between a number and its unit


def _share_sentence(summary: Summary, total: Total) -> str:
    whose = "the ranks'" if summary.ranks > 1 else "the rank's"
    sentence = f"{percent_text(total.share(total.mpi))} of {whose} time is MPI"
    functions = [item for item in by_time(summary.functions) if item[0] not in SET_UP]
    if not functions or functions[0][1].seconds <= 0:
        return f"{sentence}."
    name, first = functions[0]
    part = "most of it" if first.seconds > total.mpi / 2 else "the largest part of it"
    return f"{sentence}; {part} in {name} ({percent_text(total.share(first.seconds))})."


def _set_up_sentence(total: Total) -> str:
    share = total.share(total.init + total.finalize)
    if share < 0.1:
        return ""
    return f"Another {percent_text(share)} is MPI_Init and MPI_Finalize."


def _spread_sentence(times: list[RankTime]) -> str:
    least = min(times, key=lambda time: (time.mpi_share, time.rank))
    most = max(times, key=lambda time: (time.mpi_share, -time.rank))
    if most.mpi_share - least.mpi_share < NOTABLE_SPREAD:
        return (
            f"The ranks are alike: between {percent_text(least.mpi_share)} and "
            f"{percent_text(most.mpi_share)} of each one's time is MPI."
        )
    return (
        f"Rank {least.rank} on host {least.host} spends the least of its time in MPI "
        f"({percent_text(least.mpi_share)}; rank {most.rank} the most, "
        f"{percent_text(most.mpi_share)}), so it may be the one that others wait for."
    )


def imbalance_text(times: list[RankTime]) -> str:
    """Imbalance of the application time for people: "1.21", or "not known"."""
    ratio = imbalance(times)
    return "not known" if ratio is None else f"{ratio:.2f}"


def rank_remarks(ranks: tuple[RankSummary, ...]) -> dict[int, list[str]]:
    """By rank: what about its CPU, neighbours and threads deserves a second look."""
    sharing = Counter((rank.host, rank.cpus) for rank in ranks)
    return {rank.rank: _remarks(rank, sharing[rank.host, rank.cpus]) for rank in ranks}


def _remarks(rank: RankSummary, sharing: int) -> list[str]:
    remarks = []
    if rank.wall_seconds > 0:
        busy = rank.cpu_seconds / rank.wall_seconds
        if busy < BUSY:
            remarks.append(f"on a CPU for only {percent_text(busy)} of its wall time")
        if rank.involuntary_switches / rank.wall_seconds > CROWDED_PER_SECOND:
            remarks.append("often displaced from its CPU by others")
    cpus = cpu_count(rank.cpus)
    if cpus is not None and sharing > cpus:
        remarks.append(f"{counted(sharing, 'rank')} may run on the same {counted(cpus, 'CPU')}")
    if rank.threads:
        remarks.append(f"{counted(len(rank.threads), 'thread')} called MPI; their times add up")
    return remarks


def cpu_count(cpus: str) -> int | None:
    """How many CPUs a kernel's list names ("0-3,8" is 5); None for any other text."""
    count = 0
    for part in cpus.split(","):
        match = _CPU_RANGE.fullmatch(part)
        if match is None:
            return None
        count += int(match[2] or match[1]) - int(match[1]) + 1
    return count if count > 0 else None
