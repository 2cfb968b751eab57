"""Runs and options of `waywiser whatif` -> the answer."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from waywiser.analyse.whatif.answer import Base, answers
from waywiser.analyse.whatif.extrapolated import (
    extrapolated_answers,
    reached,
    read_extrapolated,
)
from waywiser.analyse.whatif.options import Options, Request, request_of
from waywiser.analyse.whatif.quantity import whole_of
from waywiser.analyse.whatif.recorded import read_base, read_recorded
from waywiser.analyse.whatif.recordings import answer_of_recordings
from waywiser.analyse.whatif.requested import requested_setting
from waywiser.analyse.whatif.setting import Replayed, Setting
from waywiser.analyse.whatif.sweep import swept
from waywiser.model.whatif import WhatIf
from waywiser.progress import Counted, progress


def predict(runs: Sequence[Path], options: Options) -> WhatIf:
    """
    Raises:
        InvalidCommand: the options contradict each other or do not fit the runs, or a run has no
            trace.
        InvalidRun: a run is unreadable.
    """
    request = request_of(runs, options)
    so_far = Counted(0 if request.counts else len(runs) * (1 + len(request.questions)))
    with progress("replaying", so_far):
        return _predicted(runs, options, request, so_far)


def _predicted(runs: Sequence[Path], options: Options, request: Request, so_far: Counted) -> WhatIf:
    threads = 0 if options.threads is None else whole_of("--threads", options.threads)
    if request.counts:
        program = read_extrapolated(runs, options.machine, threads)
        counts = reached(program, request.counts) if request.is_range else request.counts
        document, base = extrapolated_answers(
            program, counts, request.questions, request.ranks_per_node
        )
        return _with_sweep(document, base, request)
    bases = (_counted(read_base(run, options.machine, threads), so_far) for run in runs)
    each = (replace(base, per_rank=options.per_rank) for base in bases)
    return answer_of_recordings(
        [_with_sweep(answers(base, request.questions), base, request) for base in each]
    )


def _counted(base: Base, so_far: Counted) -> Base:
    """The base, whose replay counts as done and whose further replays will be counted."""

    def replay(setting: Setting) -> Replayed:
        replayed = base.replay(setting)
        so_far.done += 1
        return replayed

    so_far.done += 1
    return replace(base, replay=replay)


def _with_sweep(document: WhatIf, base: Base, request: Request) -> WhatIf:
    """
    Args:
        base: base of the sweep.
    """
    if not request.ranges or not document.gate.predicts:
        return document
    sweep = swept(base, request.labelled, request.ranges, request.part)
    return document.replace(sweep=sweep)


def check_points(run: Path, machine: str | None, request: Request) -> None:
    """Check each point of a sweep before any replay.

    Raises:
        InvalidCommand: a question does not fit the run.
    """
    recorded = read_recorded(run, machine)
    for _, question in request.labelled:
        for values in itertools.product(*(axis.differing for axis in request.ranges)):
            each = question
            for axis, value in zip(request.ranges, values, strict=True):
                each = axis.with_value(each, value)
            requested_setting(recorded, each)
