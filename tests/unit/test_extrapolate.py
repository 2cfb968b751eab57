"""Regular programs, extrapolated from small runs, make the calls that they make on more ranks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests import regular_programs as programs
from tests.made_traces import ANY
from waywiser.native import _native as native

NAMES = ("action", "object", "peer", "tag", "request", "bytes", "posted")


def recognised(program: programs.Program, runs: Sequence[int], folder: Path) -> native.Pattern:
    return native.recognise([programs.write(program, n, folder / f"{n}.ww") for n in runs])


def extrapolated(pattern: native.Pattern, ranks: int, rank: int) -> list[tuple[Any, ...]]:
    """Function, computing before, and parameters of each call."""
    run = native.Extrapolation(pattern, ranks)
    functions = run.job.functions
    return [
        (functions[call.function], gap, *_said(call, call.source, call.source_tag))
        for call, gap in run.calls(rank)
    ]


def recorded(trace: str, rank: int) -> list[tuple[Any, ...]]:
    """The same of a trace; a wildcard is taken for what it got."""
    file = native.TraceFile(trace)
    (calls,) = file.calls(rank)
    found, last = [], 0
    for i in range(len(calls["begin_ns"])):
        call = native.TraceParameters()
        for name in (*NAMES, "source", "source_tag", "matched_source", "matched_tag"):
            value = calls[name][i]
            setattr(call, name, native.Action(value) if name == "action" else value)
        call.requests = _list(calls, "requests", i)
        call.completed = [native.Completion(index) for index in _list(calls, "completed", i)[::3]]
        source = call.matched_source if call.source == ANY else call.source
        tag = call.matched_tag if call.source_tag == ANY else call.source_tag
        gap = int(calls["begin_ns"][i]) - last
        last = int(calls["end_ns"][i])
        found.append((file.job.functions[calls["function"][i]], gap, *_said(call, source, tag)))
    return found


def _list(calls: Any, name: str, i: int) -> list[int]:
    ends = calls[f"{name}_end"]
    return [int(one) for one in calls[name][ends[i - 1] if i else 0 : ends[i]]]


def _said(call: native.TraceParameters, source: int, tag: int) -> tuple[Any, ...]:
    completed = [one.index for one in call.completed]
    return (*(getattr(call, name) for name in NAMES), source, tag, call.requests, completed)


CASES = {
    "ring": (programs.ring, (4, 8, 16), 64),
    "line": (programs.line, (4, 8, 16), 64),
    "pairs": (programs.pairs, (4, 8, 16), 128),
    "butterfly": (programs.butterfly, (4, 8, 16), 64),
    "dissemination": (programs.dissemination, (4, 8, 16), 64),
    "torus 2-D": (programs.halo(2, periodic=True), (4, 8, 16), 64),
    "grid 2-D": (programs.halo(2, periodic=False), (4, 8, 16), 128),
    "grid 2-D of one size": (programs.halo(2, periodic=False, strong=True), (4, 8, 16), 64),
    "grid 2-D, fewer calls": (programs.halo(2, periodic=False, skips=True), (16, 32, 64), 256),
    "grid 3-D": (programs.halo(3, periodic=False), (8, 16, 32), 128),
    "torus 3-D": (programs.halo(3, periodic=True), (16, 32, 64), 256),
    "torus 3-D of one size": (
        programs.halo(3, periodic=True, strong=True),
        (8, 16, 32, 64),
        256,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_call_of_every_rank_is_that_of_the_program_itself(name: str, tmp_path: Path) -> None:
    program, runs, ranks = CASES[name]

    pattern = recognised(program, runs, tmp_path)

    truth = programs.write(program, ranks, tmp_path / "truth.ww")
    for rank in range(ranks):
        assert extrapolated(pattern, ranks, rank) == recorded(truth, rank), rank
