"""A program at numbers of ranks that nobody ran, from traces of three or more small runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from waywiser.analyse.gate import gate_of_all
from waywiser.analyse.whatif.answer import Base, answers, base_of
from waywiser.analyse.whatif.links import links_kept
from waywiser.analyse.whatif.nodes import Nodes, in_blocks
from waywiser.analyse.whatif.question import Question
from waywiser.analyse.whatif.recorded import read_base, read_trace
from waywiser.analyse.whatif.replay import from_the_begin, settings_of
from waywiser.analyse.whatif.requested import Recorded
from waywiser.analyse.whatif.setting import Replayed, Setting
from waywiser.analyse.whatif.sweep import point_of
from waywiser.errors import InvalidCommand
from waywiser.model.whatif import Extrapolation, Law, Sweep, SweepAxis, SweepPoint, WhatIf
from waywiser.native import _native as native

LEAST_SHARE = 0.01
"""Smallest share of computation for which a law is reported."""


@dataclass(frozen=True)
class Extrapolated:
    """The regularities of runs of P, 2 P, 4 P, … or P, 4 P, 16 P, … ranks."""

    names: tuple[str, ...]
    pattern: native.ProgramPattern
    largest: Base
    """The largest run, replayed as it was recorded."""

    threads: int = 0
    """Number of threads of a replay; 0: as many as are useful."""


def read_extrapolated(
    directories: Sequence[Path], machine: str | None = None, threads: int = 0
) -> Extrapolated:
    """
    Args:
        machine: machine of the runs; None: its network is estimated from the largest run.
        threads: of a replay; 0: as many as help.

    Raises:
        InvalidCommand: the runs have no traces, are not regular, or are not three of which each
            has twice, or four times, as many ranks as the one before.
        InvalidRun: a run is unreadable.
    """
    runs = [(directory, *read_trace(directory)) for directory in directories]
    try:
        pattern = native.recognise([str(trace) for _, _, trace in runs])
    except native.InvalidInput as error:
        raise InvalidCommand(str(error)) from error
    largest, *_ = max(runs, key=lambda run: run[1].ranks)
    base = read_base(largest, machine, threads)
    # Laws of computing are of all runs: the faults of one run are reported with its name.
    gate = gate_of_all({str(directory): summary.gate for directory, summary, _ in runs})
    recorded = base.recorded
    summary = recorded.summary.replace(gate=gate)
    base = replace(base, recorded=replace(recorded, summary=summary))
    return Extrapolated(tuple(map(str, directories)), pattern, base, threads)


def reached(program: Extrapolated, counts: Sequence[int]) -> tuple[int, ...]:
    """Return the ends of a range of numbers of ranks, and of those between the ones to which the
    runs grow."""
    grows = program.pattern.reaches
    return tuple(ranks for ranks in counts if ranks in (counts[0], counts[-1]) or grows(ranks))


def base_at(program: Extrapolated, ranks: int, ranks_per_node: int | None = None) -> Base:
    """Return the program on this many ranks. Its time is that of its replay, less the error of the
    replay of the largest run.

    Args:
        ranks_per_node: by default as in the largest run.

    Raises:
        InvalidCommand: the program cannot run on this many ranks, or the nodes do not fit.
    """
    recorded = program.largest.recorded
    per_node = _per_node(recorded.base.nodes, ranks_per_node)
    try:
        run = native.Extrapolation(program.pattern, ranks, per_node)
    except native.InvalidInput as error:
        raise InvalidCommand(f"--{error}") from error
    nodes = in_blocks(ranks, per_node)
    links = links_kept(recorded.base.interconnect, nodes)
    setting = replace(recorded.base, nodes=nodes, hosts=(), interconnect=links)

    def replay(requested: Setting) -> Replayed:
        settings = settings_of(requested)
        settings.threads = program.threads
        try:
            replayed = from_the_begin(run.replay(settings))
        except native.NativeError as error:
            raise InvalidCommand(f"{ranks} ranks: {error}") from error
        return replace(replayed, recorded_ns=replayed.makespan_ns / (1 + program.largest.error))

    # The calls' time in the recorded run bounds nothing on other numbers of ranks.
    summary = recorded.summary.replace(ranks=ranks, per_rank=None, mpi_seconds=(), functions={})
    return base_of(Recorded(", ".join(program.names), recorded.trace, summary, setting), replay)


def _per_node(recorded: Nodes, requested: int | None) -> int:
    if requested is None and len(set(recorded)) < 2:
        raise InvalidCommand(
            "--ranks: the largest run had one node; give the number of ranks on each node with "
            "--ranks-per-node N"
        )
    return requested or int(max(np.bincount(recorded)))


def extrapolated_answers(
    program: Extrapolated,
    counts: Sequence[int],
    questions: Sequence[Question],
    ranks_per_node: int | None = None,
) -> tuple[WhatIf, Base]:
    """Answer the questions at the last number of ranks, with a sweep over all numbers if there are
    several; and return the base that the answers are compared with."""
    gate = program.largest.gate
    if not gate.predicts:
        counts = counts[-1:]
    points: list[SweepPoint] = []
    for ranks in counts:
        base = base_at(program, ranks, ranks_per_node)
        if ranks == counts[-1]:
            break
        points += _points(answers(base, questions), ranks)
    document = answers(base, questions)
    if len(counts) > 1:
        points += _points(document, counts[-1])
        labels = list(dict.fromkeys(point.label for point in points))
        points.sort(key=lambda point: (labels.index(point.label), point.values))
        axis = SweepAxis(name="ranks", unit="ranks")
        document = document.replace(sweep=Sweep(axes=(axis,), points=tuple(points)))
    described = _described(program, counts[-1], document.base.nodes)
    return document.replace(extrapolation=described, gate=gate), base


def _points(document: WhatIf, ranks: int) -> list[SweepPoint]:
    return [
        point_of(replay.label, [ranks], replay) for replay in (document.base, *document.predictions)
    ]


def _described(program: Extrapolated, ranks: int, nodes: int) -> Extrapolation:
    """
    Args:
        nodes: number of nodes of the extrapolated run.
    """
    pattern, recorded = program.pattern, program.largest.recorded
    times: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for law in pattern.laws:
        if law.what == "computing":
            times.setdefault((law.call, law.law), []).append((law.share, law.residual))
    laws = [
        Law(
            of=f"computation before {call}",
            law=law,
            share=sum(share for share, _ in parts),
            residual=max(residual for _, residual in parts),
        )
        for (call, law), parts in times.items()
    ]
    laws = sorted((law for law in laws if _share(law) >= LEAST_SHARE), key=_share, reverse=True)
    sizes = dict.fromkeys(
        (law.call, law.law, law.residual) for law in pattern.laws if law.what == "bytes"
    )
    remarks = ["the intervals leave out how much runs of the same number of ranks differ"]
    if pattern.assumes_growth:
        remarks.append(
            f"the grid of {pattern.grid(pattern.ranks[-1])} is assumed to grow in all of its "
            f"dimensions, to {pattern.grid(ranks)}: one of them is the same in all runs"
        )
    if len(set(recorded.base.nodes)) < 2 <= nodes:
        remarks.append(
            "the largest run had one node: messages between nodes are assumed to cost as in "
            f"{recorded.base.network.between.origin}"
        )
    return Extrapolation(
        runs=program.names,
        recorded_ranks=tuple(pattern.ranks),
        classes=pattern.classes,
        grid=pattern.grid(ranks),
        laws=(
            *laws,
            *(
                Law(of=f"bytes of {call}", law=law, share=None, residual=residual)
                for call, law, residual in sizes
            ),
        ),
        remarks=tuple(remarks),
    )


def _share(law: Law) -> float:
    return law.share or 0.0
