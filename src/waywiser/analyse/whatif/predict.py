"""Runs and options of `waywiser whatif` -> the answer."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from waywiser.analyse.whatif.answer import Base, answers, asked
from waywiser.analyse.whatif.extrapolated import extrapolated_answers, read_extrapolated
from waywiser.analyse.whatif.options import Options, Request, request_of
from waywiser.analyse.whatif.quantity import whole_of
from waywiser.analyse.whatif.recorded import read_base, read_recorded
from waywiser.analyse.whatif.sweep import swept
from waywiser.model.whatif import WhatIf
from waywiser.progress import progress


@progress("replaying")
def predict(runs: Sequence[Path], options: Options) -> WhatIf:
    """
    Raises:
        InvalidCommand: the options contradict each other or do not fit the runs, or a run has no
            trace.
        InvalidRun: a run is unreadable.
    """
    request = request_of(runs, options)
    found, base = _answered(runs, options, request)
    if request.ranges and found.gate.predicts:
        sweep = swept(base, request.labelled, request.ranges, request.part)
        found = found.model_copy(update={"sweep": sweep})
    return found


def _answered(runs: Sequence[Path], options: Options, request: Request) -> tuple[WhatIf, Base]:
    """The answer without a sweep of its ranges, and what is compared with."""
    threads = 0 if options.threads is None else whole_of("--threads", options.threads)
    if request.counts:
        program = read_extrapolated(runs, options.machine, threads)
        return extrapolated_answers(
            program, request.counts, request.questions, request.ranks_per_node
        )
    base = read_base(runs[0], options.machine, threads)
    base = replace(base, per_rank=options.per_rank)
    return answers(base, request.questions), base


def check_points(run: Path, machine: str | None, request: Request) -> None:
    """What would fail at a point of a sweep, before anything is replayed.

    Raises:
        InvalidCommand: a question does not fit the run.
    """
    recorded = read_recorded(run, machine)
    for _, question in request.labelled:
        for values in itertools.product(*(axis.differing for axis in request.ranges)):
            each = question
            for axis, value in zip(request.ranges, values, strict=True):
                each = axis.asked(each, value)
            asked(recorded, each)
