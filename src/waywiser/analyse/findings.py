"""Summarise in sentences where the time of a run goes, with the numbers behind them."""

from __future__ import annotations

from waywiser.analyse.losses import NOTABLE, losses
from waywiser.analyse.remarks import BUSY
from waywiser.analyse.times import (
    Parts,
    RankTime,
    by_time,
    rank_times,
    total_time,
    whose_time,
)
from waywiser.analyse.waiting import BARRIER, LATE, called_by_all, waiting, waiting_estimate
from waywiser.analyse.where import ALL, MOST, NEARLY_ALL, Weigh, part_text, place_text
from waywiser.model.diagnosis import Finding
from waywiser.model.progress import MOST_RANKS, spent, without_progress
from waywiser.model.run import Mpi
from waywiser.model.summary import (
    OUTSIDE_MPI_TIME,
    Calls,
    Function,
    FunctionTotal,
    Summary,
    SummaryMpi,
    exit_code_sentence,
)
from waywiser.units import counted, percent_text, seconds_text

SENTENCES = 4
"""Largest number of sentences in a diagnosis."""

NOTABLE_SET_UP = 0.1

WAITING = (
    *("MPI_Allgather", "MPI_Allreduce", "MPI_Alltoall", "MPI_Barrier", "MPI_Bcast", "MPI_Exscan"),
    *("MPI_Gather", "MPI_Neighbor_", "MPI_Reduce", "MPI_Scan", "MPI_Scatter", "MPI_Wait"),
    *("MPI_Recv", "MPI_Send", "MPI_Ssend", "MPI_Probe", "MPI_Mprobe", "MPI_Win_fence"),
)
"""Beginnings of the names of functions that may wait for another rank."""


def findings(summary: Summary) -> tuple[Finding, ...]:
    """Find where the time goes, in at most `SENTENCES` sentences; causes come before effects.

    With --split-sync, sentences name the ranks that others wait for in collectives; else the ranks
    with the least and the most time.
    """
    summary, left_out = without_progress(summary)
    times = rank_times(summary)
    total = total_time(times)
    if not times:
        return (Finding(kind="no_profile", sentence="No rank left a profile."),)
    if total.whole <= 0:
        none = f"{counted(len(times), 'rank')} left a profile, but no time in it."
        return (Finding(kind="no_time", sentence=none),)
    others = losses(summary.per_rank or ())
    set_up = _set_up(times, total)
    first = set_up is not None and (set_up.share or 0.0) > total.mpi_share
    candidates = [
        set_up if first else None,
        *(loss for loss in others if (loss.share or 0.0) > total.mpi_share),
        *_mpi(summary, times, total),
        *(loss for loss in others if (loss.share or 0.0) <= total.mpi_share),
        None if first else set_up,
        _mpi_io(summary, total),
        _progress(left_out, polls=len(times) <= MOST_RANKS),
    ]
    return tuple(finding for finding in candidates if finding is not None)[:SENTENCES]


def _mpi(summary: Summary, times: list[RankTime], total: Parts) -> list[Finding | None]:
    functions = [item for item in by_time(summary.functions) if item[0] not in OUTSIDE_MPI_TIME]

    def mpi(sentence: str) -> Finding:
        return Finding(kind="mpi", seconds=total.mpi, share=total.mpi_share, sentence=sentence)

    shares = [time.mpi_share for time in times]
    if total.mpi_share < NOTABLE and max(shares) - min(shares) < NOTABLE:
        return [mpi(_small_share_sentence(summary, functions, times, total))]
    waits = waiting(summary, times)
    waited = sum(function.sync_seconds for _, function in functions)
    if waits and waited > MOST * total.mpi:
        return [waits, mpi(_beside_waits_sentence(functions, times, total))]
    if waits and total.share(waited) >= NOTABLE:  # and it says where
        nowhere = summary.replace(phases=(), call_sites=())
        return [mpi(_share_sentence(nowhere, functions, times, total)), waits]
    return [
        mpi(_share_sentence(summary, functions, times, total)),
        _extremes(summary, functions, times, total),
        waiting_estimate(summary, times),
    ]


def _small_share_sentence(
    summary: Summary,
    functions: list[tuple[str, FunctionTotal]],
    times: list[RankTime],
    total: Parts,
) -> str:
    ranks = summary.per_rank or ()
    on_cpu = sum(rank.cpu_seconds for rank in ranks) / sum(rank.wall_seconds for rank in ranks)
    computes = total.application > NEARLY_ALL * total.whole and on_cpu > BUSY
    share = percent_text(total.mpi_share)
    little = f"less than {share[2:]}" if share.startswith("<") else f"only {share}"
    sentence = f"{little} of {whose_time(times)} is MPI{_first_function(functions, total)}."
    if computes and not losses(ranks):
        return f"The program computes: {sentence}"
    return sentence[0].upper() + sentence[1:]


def _share_sentence(
    summary: Summary,
    functions: list[tuple[str, FunctionTotal]],
    times: list[RankTime],
    total: Parts,
) -> str:
    sentence = f"{percent_text(total.mpi_share)} of {whose_time(times)} is MPI"
    if not functions:
        return f"{sentence}."
    name, first = functions[0]
    named = _first_function(functions, total)
    if spent(first) > MOST * total.mpi:
        where = _polls(first) or place_text(summary, _spent_in(name), spent(first))
        return f"{sentence}{named}{where}."
    return f"{sentence}{place_text(summary, _spent_in_mpi, total.mpi)}{named}{_polls(first)}."


def _first_function(functions: list[tuple[str, FunctionTotal]], total: Parts) -> str:
    if not functions or spent(functions[0][1]) <= 0:
        return ""
    name, first = functions[0]
    part = "most of it" if spent(first) > MOST * total.mpi else "the largest part of it"
    return f"; {part} in {name} ({percent_text(total.share(spent(first)))})"


def _polls(function: Function) -> str:
    """Return words on the share of a function's time in unsuccessful polls; "" if it is small."""
    if function.pending_seconds <= MOST * function.seconds:
        return ""
    part = part_text(function.pending_seconds / function.seconds)
    return f", {part} of that in calls that found nothing"


def _spent_in(function: str) -> Weigh:
    return lambda name, calls: calls.seconds + calls.sync_seconds if name == function else 0.0


def _spent_in_mpi(name: str, calls: Function | Calls) -> float:
    return 0.0 if name in OUTSIDE_MPI_TIME else calls.seconds + calls.sync_seconds


def _beside_waits_sentence(
    functions: list[tuple[str, FunctionTotal]], times: list[RankTime], total: Parts
) -> str:
    """Describe the MPI time beside the waiting before collectives."""
    transfer = sum(function.seconds for _, function in functions if function.sync_seconds > 0)
    rest = [(name, f) for name, f in functions if not f.sync_seconds]
    sentence = (
        f"MPI as a whole is {percent_text(total.mpi_share)} of {whose_time(times)}, transfer in "
        f"these calls {percent_text(total.share(transfer))}"
    )
    if rest and total.share(rest[0][1].seconds) >= NOTABLE:
        name, first = rest[0]
        sentence += f", {name} {percent_text(total.share(first.seconds))}"
    return f"{sentence}."


def _extremes(
    summary: Summary,
    functions: list[tuple[str, FunctionTotal]],
    times: list[RankTime],
    total: Parts,
) -> Finding | None:
    """Find the ranks with the least and the most time in the first function, or in all MPI."""
    name, function = functions[0] if functions else ("", None)
    if function is None or not function.most or not function.least:
        return _spread(times) if len(times) > 1 else None
    call = _long_call(summary, name, function)
    if len(times) < 2:
        return _about(times, f"{call[0].upper()}{call[1:]}") if call else None
    if spent(function) <= MOST * total.mpi:
        return _spread(times)
    time_of = {time.rank: time for time in times}
    most, least = time_of[function.most.rank], time_of[function.least.rank]
    high, low = (
        percent_text(rank.share(extreme.seconds))
        for rank, extreme in ((most, function.most), (least, function.least))
    )
    extremes = [least, most]
    if most.rank == least.rank and function.most.seconds >= ALL * spent(function):
        extremes = [most]
        sentence = f"Only rank {most.rank} on host {most.host} calls {name}, for {high} of its time"
    elif most.share(function.most.seconds) - least.share(function.least.seconds) < NOTABLE:
        extremes = []
        sentence = (
            f"The callers of {name} are alike: each spends {_between(low, high)} of its time in it"
        )
    else:
        also = f" on host {most.host}" if most.host != least.host else ""
        sentence = (
            f"Rank {least.rank} on host {least.host} spends the least time in {name} ({low}) and "
            f"rank {most.rank}{also} the most ({high})"
        )
        sentence += _awaited(summary, name, function, least, total)
    return _about(extremes, f"{sentence}; {call}" if call else sentence)


def _about(ranks: list[RankTime], sentence: str) -> Finding:
    return Finding(
        kind="extremes", ranks=tuple(time.rank for time in ranks), sentence=f"{sentence}."
    )


def _awaited(
    summary: Summary, name: str, function: FunctionTotal, least: RankTime, total: Parts
) -> str:
    """Say whether others wait for the rank with the least time in a function."""
    assert function.least is not None
    seconds = function.least.seconds
    others = (spent(function) - seconds) / max(1, summary.ranks - 1)
    if name == BARRIER and seconds < LATE * others and called_by_all(summary, {name}):
        return f": the others wait for rank {least.rank}"
    if name.startswith(WAITING) and least.mpi_share < total.mpi_share:
        return f", so others may wait for rank {least.rank}"
    return ""


def _long_call(summary: Summary, name: str, function: FunctionTotal) -> str:
    """Describe a single call that takes most of a rank's time in a repeatedly called function."""
    if function.most is None or function.sync_seconds:
        return ""
    rank = next(rank for rank in summary.per_rank or () if rank.rank == function.most.rank)
    own = rank.functions.get(name)
    if own is None or own.calls < 2 or own.max_seconds <= MOST * own.seconds:
        return ""
    return f"one call of rank {rank.rank} took {seconds_text(own.max_seconds)}"


def _spread(times: list[RankTime]) -> Finding:
    least = min(times, key=lambda time: (time.mpi_share, time.rank))
    most = max(times, key=lambda time: (time.mpi_share, -time.rank))
    low, high = percent_text(least.mpi_share), percent_text(most.mpi_share)
    if most.mpi_share - least.mpi_share < NOTABLE:
        return _about(
            [], f"The ranks are alike: each spends {_between(low, high)} of its time in MPI"
        )
    return _about(
        [least, most],
        f"Rank {least.rank} on host {least.host} spends the least of its time in MPI "
        f"({low}; rank {most.rank} the most, {high}), so others may be waiting for it",
    )


def _between(low: str, high: str) -> str:
    return high if low == high else f"between {low} and {high}"


def _set_up(times: list[RankTime], total: Parts) -> Finding | None:
    seconds = total.init + total.finalize
    share = total.share(seconds)
    if share < NOTABLE_SET_UP:
        return None
    sentence = (
        f"{percent_text(share)} of {whose_time(times)} is MPI_Init and MPI_Finalize, which count "
        "neither as MPI time nor in the efficiencies."
        if share > total.mpi_share
        else f"Another {percent_text(share)} is MPI_Init and MPI_Finalize, which efficiencies "
        "leave out."
    )
    return Finding(kind="set_up", seconds=seconds, share=share, sentence=sentence)


def _mpi_io(summary: Summary, total: Parts) -> Finding | None:
    """Return the finding on MPI-IO, unless the first finding names one of its functions."""
    functions = [item for item in by_time(summary.functions) if item[0] not in OUTSIDE_MPI_TIME]
    files = [item for item in functions if item[0].startswith("MPI_File_")]
    seconds = sum(spent(function) for _, function in files)
    share = total.share(seconds)
    if share < NOTABLE or files[0] == functions[0]:
        return None
    name, first = files[0]
    part = "most of it" if spent(first) > MOST * seconds else "the largest part of it"
    sentence = f"MPI-IO is {percent_text(share)}, {part} in {name}."
    return Finding(kind="mpi_io", seconds=seconds, share=share, sentence=sentence)


def _progress(threads: int, *, polls: bool) -> Finding | None:
    if not threads:
        return None
    verb, make = ("is", "makes") if threads == 1 else ("are", "make")
    too = "" if polls else ", and so is all polling (MPI_Test and the like)"
    return Finding(
        kind="progress",
        sentence=f"{counted(threads, 'thread')} that only {make} progress {verb} left out{too}.",
    )


def library_text(mpi: SummaryMpi | Mpi) -> str:
    """Return the MPI library and its version, if the library reported them."""
    known = [text for text in (mpi.library, mpi.version) if text != "unknown"]
    return " ".join(known) or "unknown MPI library"


def missing(summary: Summary) -> tuple[str, ...]:
    """Return one sentence for each loss of the profile, except for a program that failed."""
    failed = exit_code_sentence(summary.exit_code or 0)
    return tuple(sentence for sentence in summary.lost if sentence != failed)


def state_text(summary: Summary) -> str:
    """Return the state of data and failed program: "complete, failed (exit code 5)"."""
    failed = f", failed (exit code {summary.exit_code})" if summary.exit_code else ""
    return f"{summary.status}{failed}"
