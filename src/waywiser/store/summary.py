"""Build the summary, from which every reader of a run starts, from a profile's records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, overload

from pydantic import TypeAdapter

from waywiser.model.base import Model
from waywiser.model.pairs import Pairs
from waywiser.model.run import Run
from waywiser.model.summary import (
    NOTHING_SENT,
    CallSite,
    Communicator,
    Function,
    FunctionTotal,
    Matrix,
    NodeSummary,
    Phase,
    RankSummary,
    Summary,
    SummaryMpi,
    Thread,
    ThreadTotals,
    WaitingEstimate,
    exit_code_sentence,
)
from waywiser.native._native import (
    OTHER_FILES,
    OTHER_PLACES,
    Profile,
    decompose,
    estimate_waiting,
    job_document,
    losses,
    node_documents,
    point_to_point,
    rank_documents,
    rank_functions,
    rank_profile,
    rank_threads,
)
from waywiser.store.mpi import mpi_of
from waywiser.store.openmp import openmp_of
from waywiser.store.posix_io import posix_io_of
from waywiser.units import counted

SPAWNING = frozenset({"MPI_Comm_spawn", "MPI_Comm_spawn_multiple"})

RANKS_KEPT = 4
"""Number of ranks whose functions stay in memory after a first access."""

MOST_PAIRS = 2_000_000
"""Largest number of pairs in the matrix of collectives; an Allgather of 16,384 ranks has 268
million."""

_FUNCTIONS = TypeAdapter(dict[str, Function])
_THREADS = TypeAdapter(tuple[Thread, ...])


class _FunctionsOnDemand(Mapping[str, Function]):
    """One rank's functions, built on access: those of 16,384 ranks would take gigabytes."""

    def __init__(self, make: Callable[[], dict[str, Function]]) -> None:
        self._make = make

    def __getitem__(self, name: str) -> Function:
        return self._make()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._make())

    def __len__(self) -> int:
        return len(self._make())


class _ThreadsOnDemand(Sequence[Thread]):
    """One rank's threads, built on access."""

    def __init__(self, make: Callable[[], tuple[Thread, ...]]) -> None:
        self._make = make

    @overload
    def __getitem__(self, index: int) -> Thread: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Thread, ...]: ...
    def __getitem__(self, index: int | slice) -> Thread | tuple[Thread, ...]:
        return self._make()[index]

    def __len__(self) -> int:
        return len(self._make())


def _ranks(profile: Profile) -> tuple[RankSummary, ...]:
    @lru_cache(maxsize=RANKS_KEPT)
    def functions(index: int) -> dict[str, Function]:
        return _FUNCTIONS.validate_python(rank_functions(profile, index))

    @lru_cache(maxsize=RANKS_KEPT)
    def threads(index: int) -> tuple[Thread, ...]:
        return _THREADS.validate_python(rank_threads(profile, index))

    return tuple(
        # Not validated: validation would build functions and threads.
        RankSummary.model_construct(
            **rank,
            openmp=openmp_of(rank_profile(profile, index)),
            posix_io=posix_io_of(rank_profile(profile, index)),
            functions=_FunctionsOnDemand(partial(functions, index)),
            threads=_ThreadsOnDemand(partial(threads, index)) if rank["mpi_threads"] > 1 else (),
        )
        for index, rank in enumerate(rank_documents(profile))
    )


class _Totals(Model):
    """The fields of a `Summary` that `job_document` returns."""

    functions: dict[str, FunctionTotal]
    phases: tuple[Phase, ...]
    communicators: tuple[Communicator, ...]
    call_sites: tuple[CallSite, ...]
    threads: ThreadTotals


def _matrix(traffic: tuple[memoryview, memoryview]) -> Matrix:
    sent, messages = traffic
    return Matrix(bytes=Pairs(sent), messages=Pairs(messages))


def _collective_matrix(profile: Profile) -> tuple[Matrix, tuple[str, ...]]:
    """The matrix of messages in collectives, and sentences on its omissions."""
    pairs = decompose(profile, MOST_PAIRS)
    if not pairs.complete:
        return NOTHING_SENT, (
            *pairs.remarks,
            f"collectives connect more than {MOST_PAIRS} pairs of ranks, too many to list",
        )
    return _matrix(pairs.traffic), tuple(pairs.remarks)


def _waiting_estimate(profile: Profile, ranks: Sequence[int], size: int) -> WaitingEstimate | None:
    estimate = estimate_waiting(profile)
    if not estimate.collective_ns:
        return None
    seconds = dict(zip(ranks, estimate.wait_ns, strict=True))
    return WaitingEstimate(
        seconds=tuple(seconds.get(rank, 0) / 1e9 for rank in range(size)),
        collective_seconds=estimate.collective_ns / 1e9,
    )


def _beyond_tables(totals: Mapping[str, Any]) -> Iterator[str]:
    """Sentences on calls beyond the profiler's tables, whose sizes are in docs/profiling.md."""
    others = sum(
        function["calls"]
        for communicator in totals["communicators"]
        if communicator["size"] is None
        for function in communicator["functions"].values()
    )
    if others:
        yield (
            f"{counted(others, 'collective call')} on sets of processes beyond the first 1,024 of "
            "a rank count together, without size and members"
        )
    sites = sum(site["calls"] for site in totals["call_sites"] if site["module"] == OTHER_FILES)
    if sites:
        yield (
            f"{counted(sites, 'call')} from files beyond the first 256 of a rank have no place in "
            "the program"
        )
    beyond = sum(site["calls"] for site in totals["call_sites"] if site["module"] == OTHER_PLACES)
    if beyond:
        yield (
            f"{counted(beyond, 'call')} from places beyond the first 32,768 of a thread count "
            "together, one place for each function"
        )


def _lost(run: Run, profile: Profile, totals: Mapping[str, Any]) -> tuple[str, ...]:
    notes = " ".join(run.notes)
    sentences = [*run.notes, *(sentence for sentence in profile.lost if sentence not in notes)]
    if profile.ranks and profile.abi == "unknown":
        name = profile.library or "it does not say its name"
        sentences.append(
            f"the MPI library ({name}) is of no family that Waywiser knows: its calls are counted "
            "and timed, without bytes and messages"
        )
    missing = losses(profile)
    if missing["outside_world_messages"]:
        sentences.append(
            f"{missing['outside_world_messages']} messages with {missing['outside_world_bytes']} "
            "bytes went to processes outside MPI_COMM_WORLD; the matrix leaves them out"
        )
    if missing["unrecorded_calls"]:
        sentences.append(
            f"{missing['unrecorded_calls']} calls were not recorded, as memory was lacking"
        )
    sentences += _beyond_tables(totals)
    if SPAWNING.intersection(totals["functions"]):
        sentences.append("the processes that MPI_Comm_spawn started are not profiled")
    if run.trace:
        of_trace = [f"the trace: {sentence}" for sentence in run.trace.lost]
        # The screen shows the first sentences: missing calls come first.
        sentences = [*of_trace, *sentences] if run.trace.lost_calls else [*sentences, *of_trace]
    if run.status == "running":
        sentences.append("the run has not ended, or waywiser was killed before it could save it")
    elif run.exit_code:
        sentences.append(exit_code_sentence(run.exit_code))
    return tuple(sentences)


def summarise(run: Run, profile: Profile) -> Summary:
    """The summary of a run.

    A rank without a profile has zeros in the per-rank lists; `lost` names it.
    """
    ranks = _ranks(profile)
    size = max([profile.world_size, *(rank.rank + 1 for rank in ranks)], default=0)
    by_rank = {rank.rank: rank for rank in ranks}
    whole = (
        run.status in ("complete", "failed")  # failed: all the data, and an exit code
        and bool(ranks)
        and len(ranks) == size
        and losses(profile)["finalised"]
        and not profile.lost
    )
    # A run that has not ended, or that ww-merge has saved, does not name the library.
    mpi = mpi_of(profile) if run.mpi.library == "unknown" else run.mpi
    totals = job_document(profile)
    collective_matrix, collective_remarks = _collective_matrix(profile)
    in_mpi = sum(rank.mpi_seconds for rank in ranks)
    totals["threads"]["progress_mpi_share"] = (
        totals["threads"]["progress_mpi_seconds"] / in_mpi if in_mpi else 0.0
    )

    def per_rank(name: str) -> tuple[float, ...]:
        return tuple(getattr(by_rank[i], name) if i in by_rank else 0.0 for i in range(size))

    # Not validated: building the validators takes long, and a run has few of a summary's fields.
    return Summary.model_construct(
        **dict(_Totals.model_validate(totals)),
        waywiser=run.waywiser,
        status="complete" if whole else "partial",
        exit_code=run.exit_code,
        mpi=SummaryMpi(library=mpi.library, version=mpi.version, abi=mpi.abi),
        ranks=size,
        split_sync=profile.split_sync,
        wall_seconds=max((rank.wall_seconds for rank in ranks), default=0.0),
        mpi_seconds=per_rank("mpi_seconds"),
        sync_seconds=per_rank("sync_seconds"),
        init_seconds=per_rank("init_seconds"),
        finalize_seconds=per_rank("finalize_seconds"),
        matrix=_matrix(point_to_point(profile)),
        collective_matrix=collective_matrix,
        collective_remarks=collective_remarks,
        waiting_estimate=_waiting_estimate(profile, [rank.rank for rank in ranks], size),
        per_rank=ranks,
        nodes=tuple(NodeSummary.model_validate(node) for node in node_documents(profile)),
        trace=run.trace,
        virtual=run.virtual,
        lost=_lost(run, profile, totals),
    )
