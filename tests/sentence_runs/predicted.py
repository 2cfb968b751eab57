"""Sentences of `whatif` on its replays: the run, the network and the machine behind them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tests import regular_programs as programs
from tests.closed_form_replay import MS, Program, base_on_paper
from tests.job import Job
from tests.machine_files import machine_file
from tests.sentence_runs.studies import answered
from tests.synthetic_jobs import PlannedCall, rounds
from waywiser.analyse.whatif.answer import answers, base_of, hosts_as_recorded
from waywiser.analyse.whatif.estimate import estimated_network
from waywiser.analyse.whatif.extrapolated import extrapolated_answers, read_extrapolated
from waywiser.analyse.whatif.network import Cost, Network, Part, of_machine
from waywiser.analyse.whatif.quantity import Change
from waywiser.analyse.whatif.question import Question
from waywiser.analyse.whatif.recorded import read_trace
from waywiser.analyse.whatif.replay import replayer
from waywiser.analyse.whatif.setting import LinkUse, Replayed, Setting
from waywiser.machines.library import machine_from_text
from waywiser.report.answers.whatif import whatif_text

RUN = Program((1 * MS,) * 4, 6, 1_000_000, 7.009 * MS, {})
OFF = replace(RUN, recorded_ns=7.9 * MS)
"""`RUN` with a replay that is 11 % shorter than the run."""

ALONE = replace(RUN, recorded_ns=1.6 * MS)
"""`RUN` on one node."""

SINGLE = replace(ALONE, computation_ns=(1 * MS,))
"""`ALONE` with one rank."""

FOUR, THREE, TWO, ONE = (0, 1, 2, 3), (0, 1, 2, 2), (0, 0, 1, 1), (0,) * 4


@answered
def predicted(
    nodes: tuple[int, ...] = TWO,
    program: Program = RUN,
    links: LinkUse | None = None,
    **question: Any,
) -> str:
    """A question of a run on these nodes.

    Args:
        links: that the replay finds.
    """
    base = base_on_paper(program, nodes)

    def replay(setting: Setting) -> Replayed:
        return replace(base.replay(setting), links=links)

    questions = [Question(**question)] if question else []
    return whatif_text(answers(replace(base, replay=replay), questions))


def shared(delays: float, inner: float, most: int, topology: str = "fdr-4") -> str:
    return predicted(FOUR, links=LinkUse(0.5, 0.25, delays, inner, most), topology=topology)


@answered
def idle(program: Program) -> str:
    return f"{base_of(base_on_paper(RUN, TWO).recorded, program).seconds}"


@answered
def profiles(left: int) -> str:
    """Hosts as recorded, if only `left` of four ranks left profiles."""
    summary = base_on_paper(RUN, TWO).recorded.summary
    known = summary.replace(per_rank=(summary.per_rank or ())[:left])
    return f"{hosts_as_recorded(known, 'run')}"


def silent() -> str:
    """Ranks that send nothing but in collectives."""
    base = base_on_paper(RUN, THREE)
    nothing = base.recorded.summary.replace(per_rank=None)
    return whatif_text(answers(replace(base, recorded=replace(base.recorded, summary=nothing)), []))


NOTHING = replace(RUN, computation_ns=(0.0,) * 4, messages=0)

LINKS = "link_latency_us = 0.25"
LIMIT = "eager_limit_bytes = 4096"
LOGGP = "loggp = [{ latency_us = 1.0, overhead_us = 0.1, bandwidth_GBps = 2.0 }]"
BASE = Network(
    Part((Cost(None, 100.0, 50.0, 60.0, 0.2),), 4096, "inside"),
    Part((Cost(None, 900.0, 300.0, 310.0, 1.0),), 8192, "between"),
)


@answered
def machine(network: str = "", loggp: Sequence[str] = (), base: Network | None = None) -> str:
    """Messages on a machine that is described so far."""
    node, more = (LOGGP if part in loggp else "" for part in ("node", "network"))
    text = machine_file(
        4, title="Paper", cores=4, link=10.0, node=node, network=f"{network}\n{more}"
    )
    return "; ".join(of_machine(machine_from_text(text, "paper"), base).remarks)


@answered
def bandwidth(ns_per_byte: float) -> str:
    """Twice that, of a network with these costs."""
    part = Part((Cost(None, 1.0, 0.0, 0.0, ns_per_byte),), 1, "a trace")
    return f"{part.with_bandwidth(Change(2.0, relative=True))}"


Calls = Callable[[Job], None]


@answered
def of_trace(calls: Calls) -> str:
    """The trace from which a network is estimated."""
    with tempfile.TemporaryDirectory() as directory:
        job = Job(2)
        for rank in range(2):
            job.call(rank, "Init", 0, 100)
        calls(job)
        for rank in range(2):
            job.call(rank, "Finalize", 9_000_000, 9_000_100)
        job.write(Path(directory) / "trace.ww")
        estimate = estimated_network(Path(directory) / "trace.ww")
        return "; ".join([estimate.inside.origin, *estimate.remarks])


def messages(size: int) -> Calls:
    def calls(job: Job) -> None:
        job.call(0, "Send", 1_000_000, 1_000_500, peer=1, tag=1, bytes=size)
        job.call(1, "Recv", 900_000, 1_002_000, source=0, source_tag=1, posted=size)

    return calls


def barrier(job: Job) -> None:
    for rank in range(2):
        job.call(rank, "Barrier", 2_000_000, 2_001_000)


def both(job: Job) -> None:
    messages(100_000)(job)
    barrier(job)


def nothing(job: Job) -> None:
    """Ranks that call nothing."""


def on_machine() -> str:
    return machine(LIMIT, ("network",))


@answered
def extrapolated(program: programs.Program, per_node: int | None, nodes: int | None = None) -> str:
    """Runs of 8, 16 and 32 ranks, as one of 128.

    Args:
        per_node: asked for.
        nodes: of each recorded run; None: one for each rank.
    """
    with tempfile.TemporaryDirectory() as directory:
        runs = []
        for ranks in (8, 16, 32):
            hosts = [f"n{rank % (nodes or ranks)}" for rank in range(ranks)]
            job = programs.job(program, ranks, hosts)
            runs.append(job.run(Path(directory) / f"run{ranks}"))
        extrapolation = read_extrapolated(runs)
        return whatif_text(extrapolated_answers(extrapolation, [128], [], per_node)[0])


RING = partial(extrapolated, programs.ring, 8)


def idle_ranks(ranks: int, rank: int) -> Iterator[PlannedCall]:
    """Calls of ranks that compute nothing."""
    yield "Init", 0, {}
    for _ in range(3):
        yield "Allreduce", 0, {"bytes": 8, "posted": 8}
    yield "Finalize", 0, {}


@answered
def traced(ending: str) -> str:
    """A run, with or without its trace."""
    with tempfile.TemporaryDirectory() as directory:
        run = rounds(["n0"] * 2, [1.0] * 2).run(Path(directory) / "run")
        trace = run / "trace" / "trace.ww"
        trace.rename(trace.with_suffix(ending))
        return f"{read_trace(run)[1]}"


@answered
def replayed(calls: bool) -> str:
    with tempfile.TemporaryDirectory() as directory:
        job = Job(1)
        if calls:
            job.call(0, "Init", 0, 100)
        file = Path(job.write(Path(directory) / "trace.ww"))
        return f"{replayer(file, base_on_paper(RUN, TWO).recorded.summary)}"
