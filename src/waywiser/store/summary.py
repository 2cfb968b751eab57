"""From a profile's records to the document that every reader of a run starts from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from waywiser.model.run import Run
from waywiser.model.summary import (
    OUTSIDE_MPI_TIME,
    Function,
    Matrix,
    RankSummary,
    Summary,
    SummaryMpi,
    Thread,
)
from waywiser.native._native import Ending, FunctionProfile, Profile, RankProfile
from waywiser.store.mpi import mpi_of

NS_PER_SECOND = 1e9  # a division rounds once: 43445950 ns are 0.04344595 s


@dataclass
class _Total:
    """Sum of one function's records."""

    bytes: int = 0
    posted_bytes: int = 0
    sizes: dict[int, tuple[int, int]] = field(default_factory=dict)

    def add(self, record: FunctionProfile) -> None:
        self.bytes += record.load.bytes
        self.posted_bytes += record.load.posted_bytes
        for size in record.sizes:
            calls, ns = self.sizes.get(size.upper_bound_bytes, (0, 0))
            self.sizes[size.upper_bound_bytes] = (calls + size.calls, ns + size.ns)

    @property
    def ns(self) -> int:
        return sum(ns for _, ns in self.sizes.values())

    def as_function(self) -> Function:
        return Function(
            calls=sum(calls for calls, _ in self.sizes.values()),
            seconds=self.ns / NS_PER_SECOND,
            bytes=self.bytes,
            posted_bytes=self.posted_bytes,
            sizes=tuple(
                (bound, calls, ns / NS_PER_SECOND)
                for bound, (calls, ns) in sorted(self.sizes.items())
            ),
        )


def _totals(records: Iterable[FunctionProfile]) -> dict[str, _Total]:
    totals: dict[str, _Total] = {}
    for record in records:
        totals.setdefault(record.name, _Total()).add(record)
    return totals


def _functions(totals: dict[str, _Total]) -> dict[str, Function]:
    return {name: totals[name].as_function() for name in sorted(totals)}


def _mpi_seconds(totals: dict[str, _Total]) -> float:
    return (
        sum(total.ns for name, total in totals.items() if name not in OUTSIDE_MPI_TIME)
        / NS_PER_SECOND
    )


def _rank_summary(rank: RankProfile) -> RankSummary:
    per_thread = [_totals(thread.functions) for thread in rank.threads]
    called = [totals for totals in per_thread if totals]
    totals = _totals(record for thread in rank.threads for record in thread.functions)
    threads = [
        Thread(thread=i, mpi_seconds=_mpi_seconds(own), functions=_functions(own))
        for i, own in enumerate(called)
    ]
    return RankSummary(
        rank=rank.rank,
        host=rank.host,
        cpus=rank.cpus,
        wall_seconds=rank.wall_ns / NS_PER_SECOND,
        mpi_seconds=_mpi_seconds(totals),
        init_seconds=rank.init_ns / NS_PER_SECOND,
        finalize_seconds=rank.finalize_ns / NS_PER_SECOND,
        cpu_seconds=rank.cpu_ns / NS_PER_SECOND,
        voluntary_switches=rank.voluntary_switches,
        involuntary_switches=rank.involuntary_switches,
        peak_memory_bytes=rank.peak_memory_bytes,
        functions=_functions(totals),
        threads=tuple(threads) if len(threads) > 1 else (),
    )


def _lost(run: Run, profile: Profile) -> tuple[str, ...]:
    told = " ".join(run.notes)
    sentences = [*run.notes, *(sentence for sentence in profile.lost if sentence not in told)]
    outside = sum(rank.outside_world_messages for rank in profile.ranks)
    if outside:
        outside_bytes = sum(rank.outside_world_bytes for rank in profile.ranks)
        sentences.append(
            f"{outside} messages with {outside_bytes} bytes went to processes outside "
            "MPI_COMM_WORLD; the matrix leaves them out"
        )
    unrecorded = sum(rank.unrecorded_calls for rank in profile.ranks)
    if unrecorded:
        sentences.append(f"{unrecorded} calls were not recorded for want of memory")
    if run.status == "running":
        sentences.append("the run has not ended, or waywiser was killed before it could save it")
    elif run.exit_code:
        sentences.append(f"the program ended with exit code {run.exit_code}")
    return tuple(sentences)


def summarise(run: Run, profile: Profile) -> Summary:
    """The summary of a run.

    A rank that left no profile has zeros in the per-rank lists; `lost` names it.
    """
    ranks = [_rank_summary(rank) for rank in profile.ranks]
    size = max([profile.world_size, *(rank.rank + 1 for rank in ranks)], default=0)
    by_rank = {rank.rank: rank for rank in ranks}
    totals = _totals(
        record for rank in profile.ranks for thread in rank.threads for record in thread.functions
    )
    messages = [(rank.rank, m) for rank in profile.ranks for m in rank.messages]
    lost = _lost(run, profile)
    finalised = all(rank.ending == Ending.finalised for rank in profile.ranks)
    whole = (
        run.status == "complete"
        and bool(ranks)
        and len(ranks) == size
        and finalised
        and not profile.lost
    )
    # A run that has not ended, or that ww-merge has saved, does not name the library.
    mpi = mpi_of(profile) if run.mpi.library == "unknown" else run.mpi

    def per_rank(name: str) -> tuple[float, ...]:
        return tuple(getattr(by_rank[i], name) if i in by_rank else 0.0 for i in range(size))

    return Summary(
        waywiser=run.waywiser,
        status="complete" if whole else "partial",
        mpi=SummaryMpi(library=mpi.library, version=mpi.version, abi=mpi.abi),
        ranks=size,
        wall_seconds=max((rank.wall_seconds for rank in ranks), default=0.0),
        mpi_seconds=per_rank("mpi_seconds"),
        init_seconds=per_rank("init_seconds"),
        finalize_seconds=per_rank("finalize_seconds"),
        functions=_functions(totals),
        matrix=Matrix(
            bytes=tuple((source, m.destination, m.bytes) for source, m in messages if m.messages),
            messages=tuple(
                (source, m.destination, m.messages) for source, m in messages if m.messages
            ),
        ),
        per_rank=tuple(ranks),
        lost=lost,
    )
