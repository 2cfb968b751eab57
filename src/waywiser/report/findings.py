"""What the numbers say, in sentences: the verdict on a run, and what is odd about its ranks."""

from __future__ import annotations

from waywiser.model.run import Run
from waywiser.model.summary import OUTSIDE_MPI_TIME, RankSummary, Summary, SummaryMpi
from waywiser.report.crowding import Crowd, crowds
from waywiser.report.times import (
    Parts,
    RankTime,
    by_time,
    imbalance,
    rank_times,
    total_time,
    whose_time,
)
from waywiser.units import counted, percent_text

NOTABLE_SPREAD = 0.05
"""Difference between ranks' MPI shares from which it is worth a sentence."""

BUSY = 0.9
"""CPU time over wall time below which a rank was visibly off its CPU."""

CROWDED_PER_SECOND = 20.0
"""Involuntary switches per second of wall time from which a rank had to share its CPU."""


def verdict(summary: Summary) -> str:
    """Where the time goes, in a few sentences. What explains the others comes first."""
    times = rank_times(summary)
    total = total_time(times)
    if not times:
        return "No rank left a profile."
    if total.whole <= 0:
        return f"{counted(len(times), 'rank')} left a profile, but no time in it."
    sentences = [
        _crowd_sentence(crowds(summary.per_rank or ())),
        _share_sentence(summary, total, whose_time(times)),
        _set_up_sentence(total),
    ]
    if len(times) > 1:
        sentences.append(_spread_sentence(times))
    prose = " ".join(sentence for sentence in sentences if sentence)
    return prose.replace(" %", "\u00a0%")  # a line never breaks between a number and its unit


def _crowd_sentence(found: list[Crowd]) -> str:
    if not found:
        return ""
    worst = found[0]
    others = len({crowd.host for crowd in found} - {worst.host})
    likewise = f" (and likewise on {counted(others, 'other host')})" if others else ""
    return (
        f"{counted(len(worst.ranks), 'rank')} share {counted(worst.cpus, 'CPU')} on host "
        f"{worst.host}{likewise}, so part of the time in MPI may be waiting for a CPU."
    )


def _share_sentence(summary: Summary, total: Parts, whose: str) -> str:
    sentence = f"{percent_text(total.mpi_share)} of {whose} is MPI"
    functions = [item for item in by_time(summary.functions) if item[0] not in OUTSIDE_MPI_TIME]
    if not functions or functions[0][1].seconds <= 0:
        return f"{sentence}."
    name, first = functions[0]
    part = "most of it" if first.seconds > total.mpi / 2 else "the largest part of it"
    return f"{sentence}; {part} in {name} ({percent_text(total.share(first.seconds))})."


def _set_up_sentence(total: Parts) -> str:
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


def library_text(mpi: SummaryMpi) -> str:
    """The MPI library and its version, where the library said them."""
    known = [text for text in (mpi.library, mpi.version) if text != "unknown"]
    return " ".join(known) or "unknown MPI library"


def failed_but_whole(run: Run, summary: Summary) -> bool:
    """Whether every rank finalised, and only the program's exit code speaks of a failure."""
    exit_code = f"the program ended with exit code {run.exit_code}"
    return run.status == "failed" and summary.ranks > 0 and summary.lost == (exit_code,)


def rank_remarks(ranks: tuple[RankSummary, ...]) -> dict[int, list[str]]:
    """By rank: what about its CPU, neighbours and threads deserves a second look."""
    crowd_of = {rank: crowd for crowd in crowds(ranks) for rank in crowd.ranks}
    return {rank.rank: _remarks(rank, crowd_of.get(rank.rank)) for rank in ranks}


def _remarks(rank: RankSummary, crowd: Crowd | None) -> list[str]:
    remarks = []
    if rank.wall_seconds > 0:
        busy = rank.cpu_seconds / rank.wall_seconds
        if busy < BUSY:
            remarks.append(f"on a CPU for only {percent_text(busy)} of its wall time")
        if rank.involuntary_switches / rank.wall_seconds > CROWDED_PER_SECOND:
            remarks.append("often displaced from its CPU by others")
    if crowd is not None:
        remarks.append(
            f"one of {counted(len(crowd.ranks), 'rank')} that share {counted(crowd.cpus, 'CPU')}"
        )
    if rank.mpi_threads > 1:
        remarks.append(f"{counted(rank.mpi_threads, 'thread')} called MPI; their times add up")
    return remarks
