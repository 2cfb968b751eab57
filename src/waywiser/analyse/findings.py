"""What the numbers say, in sentences: the verdict on a run, and what is odd about its ranks."""

from __future__ import annotations

from statistics import median

from waywiser.analyse.losses import NOTABLE, losses
from waywiser.analyse.times import (
    Parts,
    RankTime,
    by_time,
    rank_times,
    total_time,
    whose_time,
)
from waywiser.analyse.waiting import BARRIER, LATE, estimate_sentence, made_by_all, waiting_sentence
from waywiser.analyse.where import ALL, MOST, NEARLY_ALL, Weigh, part_text, place_text
from waywiser.model.progress import MOST_RANKS, spent, without_progress
from waywiser.model.summary import (
    OUTSIDE_MPI_TIME,
    Calls,
    Function,
    FunctionTotal,
    RankSummary,
    Summary,
    SummaryMpi,
    exit_code_sentence,
)
from waywiser.units import counted, percent_text, seconds_text

SENTENCES = 4
"""Of a verdict, at most."""

NOTABLE_SET_UP = 0.1

WAITING = (
    *("MPI_Allgather", "MPI_Allreduce", "MPI_Alltoall", "MPI_Barrier", "MPI_Bcast", "MPI_Exscan"),
    *("MPI_Gather", "MPI_Neighbor_", "MPI_Reduce", "MPI_Scan", "MPI_Scatter", "MPI_Wait"),
    *("MPI_Recv", "MPI_Send", "MPI_Ssend", "MPI_Probe", "MPI_Mprobe", "MPI_Win_fence"),
)
"""Beginnings of the names of functions that may wait for another rank."""

BUSY = 0.9
"""CPU time over wall time below which a rank was visibly off its CPU."""

SLOW_CLOCK = 0.9
"""Cycles per CPU time, over the median rank's, below which a rank deserves a second look."""

CROWDED_PER_SECOND = 20.0
"""Involuntary switches per second of wall time from which a rank had to share its CPU."""


def verdict(summary: Summary) -> str:
    """Where the time goes, in at most `SENTENCES` sentences. What explains the others comes first.

    With --split-sync it says for whom ranks wait in collectives; else it names the extreme ranks.
    """
    return " ".join(verdict_sentences(summary))


def verdict_sentences(summary: Summary) -> list[str]:
    """The sentences of `verdict`."""
    summary, left_out = without_progress(summary)
    times = rank_times(summary)
    total = total_time(times)
    if not times:
        return ["No rank left a profile."]
    if total.whole <= 0:
        return [f"{counted(len(times), 'rank')} left a profile, but no time in it."]
    others = losses(summary.per_rank or ())
    sentences = [
        *(loss.sentence for loss in others if loss.share > total.mpi_share),
        *_mpi_sentences(summary, times, total),
        *(loss.sentence for loss in others if loss.share <= total.mpi_share),
        _set_up_sentence(total),
        _mpi_io_sentence(summary, total),
        _progress_sentence(left_out, polls=len(times) <= MOST_RANKS),
    ]
    said = [sentence for sentence in sentences if sentence][:SENTENCES]
    # A line never breaks within a share: between "<", the number and its unit.
    return [sentence.replace(" %", "\u00a0%").replace("< ", "<\u00a0") for sentence in said]


def _mpi_sentences(summary: Summary, times: list[RankTime], total: Parts) -> list[str]:
    functions = [item for item in by_time(summary.functions) if item[0] not in OUTSIDE_MPI_TIME]
    shares = [time.mpi_share for time in times]
    if total.mpi_share < NOTABLE and max(shares) - min(shares) < NOTABLE:
        return [_small_share_sentence(summary, functions, times, total)]
    waits = waiting_sentence(summary, times)
    waited = sum(function.sync_seconds for _, function in functions)
    if waits and waited > MOST * total.mpi:
        return [waits, _beside_waits_sentence(functions, times, total)]
    if waits and total.share(waited) >= NOTABLE:  # and it says where
        nowhere = summary.replace(phases=(), call_sites=())
        return [_share_sentence(nowhere, functions, times, total), waits]
    return [
        _share_sentence(summary, functions, times, total),
        _extremes_sentence(summary, functions, times, total),
        estimate_sentence(summary, times),
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
    """Of a function that asks whether something has come: how much of it was in vain."""
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
    """What MPI is beside the waiting before collectives."""
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


def _extremes_sentence(
    summary: Summary,
    functions: list[tuple[str, FunctionTotal]],
    times: list[RankTime],
    total: Parts,
) -> str:
    """The ranks with the least and the most time in the first function, or in MPI at all."""
    name, function = functions[0] if functions else ("", None)
    if function is None or not function.most or not function.least:
        return _spread_sentence(times) if len(times) > 1 else ""
    call = _long_call(summary, name, function)
    if len(times) < 2:
        return f"{call[0].upper()}{call[1:]}." if call else ""
    if spent(function) <= MOST * total.mpi:
        return _spread_sentence(times)
    time_of = {time.rank: time for time in times}
    most, least = time_of[function.most.rank], time_of[function.least.rank]
    high, low = (
        percent_text(rank.share(extreme.seconds))
        for rank, extreme in ((most, function.most), (least, function.least))
    )
    if most.rank == least.rank and function.most.seconds >= ALL * spent(function):
        sentence = f"Only rank {most.rank} on host {most.host} calls it, for {high} of its time"
    elif most.share(function.most.seconds) - least.share(function.least.seconds) < NOTABLE:
        sentence = f"Its callers are alike: between {low} and {high} of each one's time is in it"
    else:
        also = f" on host {most.host}" if most.host != least.host else ""
        sentence = (
            f"Of its callers, rank {least.rank} on host {least.host} spends the least time in it "
            f"({low}), rank {most.rank}{also} the most ({high})"
        )
        sentence += _awaited(summary, name, function, least, total)
    return f"{sentence}; {call}." if call else f"{sentence}."


def _awaited(
    summary: Summary, name: str, function: FunctionTotal, least: RankTime, total: Parts
) -> str:
    """Whether others wait for the rank with the least time in a function."""
    assert function.least is not None
    seconds = function.least.seconds
    others = (spent(function) - seconds) / max(1, summary.ranks - 1)
    if name == BARRIER and seconds < LATE * others and made_by_all(summary, {name}):
        return f": the others wait for rank {least.rank}"
    if name.startswith(WAITING) and least.mpi_share < total.mpi_share:
        return f", so others may wait for rank {least.rank}"
    return ""


def _long_call(summary: Summary, name: str, function: FunctionTotal) -> str:
    """A single call that takes most of a rank's time in a function that it calls repeatedly."""
    if function.most is None or function.sync_seconds:
        return ""
    rank = next(rank for rank in summary.per_rank or () if rank.rank == function.most.rank)
    own = rank.functions.get(name)
    if own is None or own.calls < 2 or own.max_seconds <= MOST * own.seconds:
        return ""
    return f"one call of rank {rank.rank} took {seconds_text(own.max_seconds)}"


def _spread_sentence(times: list[RankTime]) -> str:
    least = min(times, key=lambda time: (time.mpi_share, time.rank))
    most = max(times, key=lambda time: (time.mpi_share, -time.rank))
    if most.mpi_share - least.mpi_share < NOTABLE:
        low, high = percent_text(least.mpi_share), percent_text(most.mpi_share)
        between = high if low == high else f"between {low} and {high}"
        return f"The ranks are alike: {between} of each one's time is MPI."
    return (
        f"Rank {least.rank} on host {least.host} spends the least of its time in MPI "
        f"({percent_text(least.mpi_share)}; rank {most.rank} the most, "
        f"{percent_text(most.mpi_share)}), so it may be the one that others wait for."
    )


def _set_up_sentence(total: Parts) -> str:
    share = total.share(total.init + total.finalize)
    if share < NOTABLE_SET_UP:
        return ""
    return f"Another {percent_text(share)} is MPI_Init and MPI_Finalize."


def _mpi_io_sentence(summary: Summary, total: Parts) -> str:
    """What MPI-IO takes, where not one of its functions is named as the first already."""
    functions = [item for item in by_time(summary.functions) if item[0] not in OUTSIDE_MPI_TIME]
    files = [item for item in functions if item[0].startswith("MPI_File_")]
    seconds = sum(spent(function) for _, function in files)
    if total.share(seconds) < NOTABLE or files[0] == functions[0]:
        return ""
    name, first = files[0]
    part = "most of it" if spent(first) > MOST * seconds else "the largest part of it"
    return f"MPI-IO is {percent_text(total.share(seconds))}, {part} in {name}."


def _progress_sentence(threads: int, *, polls: bool) -> str:
    if not threads:
        return ""
    verb, make = ("is", "makes") if threads == 1 else ("are", "make")
    too = "" if polls else ", and so is all polling (MPI_Test and the like)"
    return f"{counted(threads, 'thread')} that only {make} progress {verb} left out{too}."


def library_text(mpi: SummaryMpi) -> str:
    """The MPI library and its version, where the library said them."""
    known = [text for text in (mpi.library, mpi.version) if text != "unknown"]
    return " ".join(known) or "unknown MPI library"


def missing(summary: Summary) -> tuple[str, ...]:
    """What the profile lacks, a sentence each, without that of a program that failed."""
    failed = exit_code_sentence(summary.exit_code or 0)
    return tuple(sentence for sentence in summary.lost if sentence != failed)


def state_text(summary: Summary) -> str:
    """The state of the data, and of a program that failed: "complete, failed (exit code 5)"."""
    failed = f", failed (exit code {summary.exit_code})" if summary.exit_code else ""
    return f"{summary.status}{failed}"


def rank_remarks(ranks: tuple[RankSummary, ...]) -> dict[int, list[str]]:
    """By rank: what about its CPU, neighbours and threads deserves a second look."""
    clocks = [clock for rank in ranks if (clock := cycles_per_second(rank))]
    usual = median(clocks) if clocks else 0.0
    return {rank.rank: _remarks(rank, usual) for rank in ranks}


def cycles_per_second(rank: RankSummary) -> float:
    """Cycles in user mode per CPU time [1/s]; 0 where they were not counted.

    The clock's frequency, or less where the kernel had its share of the CPU time.
    """
    return (rank.cycles or 0) / rank.cpu_seconds if rank.cpu_seconds > 0 else 0.0


def _remarks(rank: RankSummary, usual_clock: float) -> list[str]:
    remarks = []
    if rank.wall_seconds > 0:
        busy = rank.cpu_seconds / rank.wall_seconds
        if busy < BUSY:
            remarks.append(f"on a CPU for only {percent_text(busy)} of its wall time")
        if rank.involuntary_switches / rank.wall_seconds > CROWDED_PER_SECOND:
            remarks.append("often displaced from its CPU by others")
    clock = cycles_per_second(rank)
    if 0 < clock < SLOW_CLOCK * usual_clock:
        remarks.append(
            f"{clock / 1e9:.2f} GHz (the median rank {usual_clock / 1e9:.2f} GHz) and "
            f"{(rank.instructions or 0) / (rank.cycles or 1):.2f} instructions per cycle: a slow "
            "CPU or much time in the kernel"
        )
    others = rank.mpi_threads - rank.progress_threads
    if rank.progress_threads and others:
        only = "makes" if rank.progress_threads == 1 else "make"
        remarks.append(f"{counted(rank.progress_threads, 'thread')} only {only} progress")
    if others > 1:
        remarks.append(f"{counted(others, 'thread')} called MPI; their times add up")
    return remarks
