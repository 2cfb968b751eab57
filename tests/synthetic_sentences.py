"""Runs made up for one sentence each, and what reports say of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tests import synthetic_waits
from tests.synthetic_runs import diagnosis_text, function, openmp, phase, rank, summary
from waywiser.analyse import wait_words
from waywiser.analyse.findings import library_text
from waywiser.analyse.remarks import rank_remarks
from waywiser.analyse.times import rank_times
from waywiser.analyse.where import named
from waywiser.model.calibration import CalibratedPart, CalibrationReport
from waywiser.model.findings import Findings
from waywiser.model.judged import Guideline
from waywiser.model.pairs import Pairs
from waywiser.model.posix_io import IoFunction, PosixIo
from waywiser.model.summary import (
    Function,
    Matrix,
    RankSummary,
    Summary,
    SummaryMpi,
    Thread,
    WaitingEstimate,
)
from waywiser.model.trace import Trace
from waywiser.model.tuning import TunedRange, Tuning
from waywiser.model.virtual import VirtualClocks, VirtualFunction
from waywiser.model.waits import WaitKind
from waywiser.report.answers.tuning import tuning_text
from waywiser.report.machines.calibration import calibration_text
from waywiser.report.run.terminal import summary_text
from waywiser.report.study.guidelines import guideline_lines

Functions = Mapping[str, Function]

RECV, SUM = "MPI_Recv", "MPI_Allreduce"


def of(*functions: Functions, change: Mapping[str, Any] | None = None) -> Summary:
    """A rank for each; `change` is what is other in all of them."""
    ranks = [rank(n, own).replace(**(change or {})) for n, own in enumerate(functions)]
    return summary(ranks)


def diagnosis(*functions: Functions, **change: Any) -> str:
    return diagnosis_text(of(*functions, change=change))


def screen(profile: Summary, **change: Any) -> str:
    return summary_text(profile.replace(**change))


def remarks(*changes: Mapping[str, Any]) -> str:
    """On ranks that differ in what is given of each."""
    ranks = tuple(rank(n, {}).replace(**change) for n, change in enumerate(changes))
    return "\n".join(text for texts in rank_remarks(ranks).values() for text in texts.values())


def waited(waits: Sequence[float], hosts: str = "", split: bool = True, **more: Any) -> str:
    """Ranks that wait so long [s] before MPI_Allreduce; a letter names the host of each."""
    ranks = [
        rank(n, {SUM: function(0.1, wait)}, host)
        for n, (wait, host) in enumerate(zip(waits, hosts or "n" * len(waits), strict=True))
    ]
    return diagnosis_text(summary(ranks, split=split, **more))


def collectives(*seconds: float) -> str:
    names = ("MPI_Bcast", "MPI_Allreduce", "MPI_Alltoall")
    ranks = [
        rank(n, {name: function(0.0, n * s) for name, s in zip(names, seconds, strict=False)})
        for n in range(2)
    ]
    return diagnosis_text(summary(ranks, split=True))


def files(**seconds: float) -> str:
    calls = {
        name: IoFunction(calls=1, bytes=1, seconds=s, max_seconds=s) for name, s in seconds.items()
    }
    posix_io = PosixIo(seconds=sum(seconds.values()), bytes=1, functions=calls)
    return diagnosis({}, posix_io=posix_io)


def progressing(threads: int) -> str:
    """A rank with one thread that spins, and with another that receives or without."""
    own, spinning = {RECV: function(1.0)}, {"MPI_Test": function(9.0, pending_seconds=9.0)}
    teams = (
        Thread(thread=0, mpi_seconds=1.0, functions=own),
        Thread(thread=1, role="progress", mpi_seconds=9.0, functions=spinning),
    )
    change = {"mpi_threads": threads, "progress_threads": 1, "progress_mpi_seconds": 9.0}
    both = own | spinning if threads > 1 else spinning
    return diagnosis(both, **change, threads=teams if threads > 1 else ())


def phases(number: int) -> str:
    functions = {RECV: function(6.0)}
    pair = (phase(1, {}), phase(number, functions))
    return diagnosis_text(summary([rank(0, functions)], phases=pair))


def estimated(seconds: float) -> str:
    estimate = WaitingEstimate(seconds=(seconds, seconds), collective_seconds=4.0)
    profile = of({SUM: function(2.0)}, {SUM: function(2.0)})
    return diagnosis_text(profile.replace(waiting_estimate=estimate))


def of_kind(*kinds: WaitKind) -> str:
    waits = synthetic_waits.waits(2).replace(seconds=dict.fromkeys(kinds, 1.0))
    return "\n".join(wait_words.cause_lines(waits, 2))


def causes(share: float) -> str:
    whole = synthetic_waits.waits(2)
    first = whole.causes[0].replace(mpi_share=share)
    return "\n".join(wait_words.cause_lines(whole.replace(causes=(first,)), 2))


def iterations(detected: bool) -> str:
    whole = synthetic_waits.waits(2)
    some = whole if detected else whole.replace(iterations=None)
    return "\n".join(wait_words.iteration_sentences(some))


def names(hosts: str, chosen: Iterable[int]) -> str:
    times = rank_times(summary([rank(n, {}, host) for n, host in enumerate(hosts)]))
    return named([times[n] for n in chosen], times)


def threaded(threads: int, text: Callable[[Any], str]) -> str:
    ranks = (rank(0, {RECV: function(1.0)}).replace(mpi_threads=threads),)
    return text(rank_times(summary(ranks)))


def library(name: str) -> str:
    return library_text(SummaryMpi(library=name, version="unknown", abi="mpich"))


def sent(amount: int) -> Matrix:
    pairs = Pairs([(0, 1, amount)] if amount else ())
    return Matrix(bytes=pairs, messages=pairs)


def polls(pending: int) -> str:
    return screen(of({"MPI_Test": function(1.0, calls=10, pending_calls=pending)}))


def traced(calls: int) -> str:
    return screen(of({RECV: function(1.0)}), trace=Trace(calls=calls, bytes=100))


def clocks(cycles: int) -> str:
    each = {"instructions": 10**10}
    return remarks({"cycles": cycles, **each}, *[{"cycles": 30 * 10**9, **each}] * 3)


def team(*waits: float, tasks: int = 0) -> str:
    ranks: list[RankSummary] = [
        rank(n, {RECV: function(0.6)}).replace(openmp=openmp(wait, tasks))
        for n, wait in enumerate(waits)
    ]
    return diagnosis_text(summary(ranks))


def guided(*kinds: str) -> str:
    """Performance guidelines that were judged so."""
    findings = Findings.model_construct(
        guidelines=tuple(
            Guideline.model_construct(
                kind=kind,
                change=-0.1,
                words="no verdict: n too small: 6 needed",
                sentence="MPI_Scan of 8 B is slower",
                unit="us",
                value=2.0,
                alternative_value=1.0,
            )
            for kind in kinds
        )
    )
    return "\n".join(guideline_lines(findings))


def clocked(seconds: float = 1.0, senders: float = 0.0) -> VirtualClocks:
    """Virtual clocks of a run with one function, which took so long."""
    function_of = VirtualFunction(
        calls=3, seconds=seconds, waiting_seconds=0.0, transfer_seconds=seconds
    )
    return VirtualClocks(
        machine="m.toml",
        title="Made-up machine",
        cpu=1.0,
        seconds=2.0,
        real_seconds=1.0,
        messages=1,
        handshakes=0,
        senders_seconds=senders,
        stamps=0,
        stamp_bytes=0,
        functions={"MPI_Send": function_of},
        per_rank=(),
    )


def tuned(text: Callable[[Tuning], str] = tuning_text, **change: Any) -> str:
    """A tuning that found nothing, but for what is changed."""
    values: dict[str, Any] = {
        "waywiser": "0.1.0",
        "library": "Open MPI 5.0",
        "ranks": 4,
        "compared": 6,
        "refused": 0,
        "reason": "unreliable",
        "failed": (),
        "ranges": (),
        "file": "tuned.sh",
        "directory": "runs",
        "environment": {"A": "1"},
        "proof": (),
    }
    tuning = Tuning.model_construct(**values | change)
    return text(tuning)


RANGE = TunedRange.model_construct(
    collective="allreduce", first=8, last=8, algorithm="ring", verdicts=("faster by 10 %",)
)


def calibrated(**change: Any) -> str:
    """Output of `machine calibrate` for a network of which little is known."""
    values: dict[str, Any] = {
        "part": "network",
        "library": "Open MPI 5.0",
        "transport": "tcp",
        "eager_limit_bytes": 4096,
        "pieces": (),
        "overheads": (),
        "checks": (),
        "error_per_cent": None,
        "noise_per_cent": None,
    }
    part = CalibratedPart.model_construct(**values | change)
    return calibration_text(CalibrationReport.model_construct(parts=(part,), peaks=()))
