"""A real program, recorded on few ranks and extrapolated, makes the calls that it is recorded with
on more ranks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.square_programs import multipartition, pencils, weak
from tests.support import MpiLibrary, Waywiser, mpi_library
from tests.system.conftest import Build
from waywiser.native import _native as native

PARAMETERS = (
    "action",
    "object",
    "created",
    "peer",
    "tag",
    "source",
    "source_tag",
    "request",
    "bytes",
)


@pytest.fixture
def library() -> MpiLibrary:
    return mpi_library("openmpi")


def recorded(trace: Path, rank: int) -> list[tuple[Any, ...]]:
    file = native.TraceFile(str(trace))
    sites = ["", *(site.place for site in file.job.call_sites)]
    return [
        (
            file.job.functions[calls["function"][i]],
            sites[calls["site"][i]],
            _action(calls["action"][i]),
            *(int(calls[name][i]) for name in (*PARAMETERS[1:], "posted")),
        )
        for calls in file.calls(rank)
        for i in range(len(calls["begin_ns"]))
    ]


def _action(number: int) -> int:
    """The action without MPI_Finalize, at which an extrapolated trace ends."""
    return int(
        (
            native.Action.none if number == native.Action.finalise.value else native.Action(number)
        ).value
    )


def extrapolated(run: native.Extrapolation, rank: int) -> list[tuple[Any, ...]]:
    job = run.job
    sites = ["", *(site.place for site in job.call_sites)]
    return [
        (
            job.functions[call.function],
            sites[call.site],
            int(call.action.value),
            *(getattr(call, name) for name in (*PARAMETERS[1:], "posted")),
        )
        for call, _ in run.calls(rank)
    ]


def members(job: native.TraceJob, rank: int, objects: set[int]) -> dict[int, list[int]]:
    """World ranks of these objects, by the rank's own numbers."""
    numbers = {own: job.ranks[rank].objects[own] for own in objects if own >= 0}
    return {
        own: [
            run.first + i * run.stride for run in job.objects[at].members for i in range(run.count)
        ]
        for own, at in numbers.items()
    }


@pytest.mark.parametrize(
    ("program", "options", "smallest"),
    [
        ("regular.c", ("strips",), 2),
        pytest.param("regular.c", (), 4, marks=pytest.mark.long),
        ("pencils.c", ("slabs",), 2),
        pytest.param("pencils.c", (), 4, marks=pytest.mark.long),
    ],
)
def test_calls_are_those_of_a_recording_with_more_ranks(
    library: MpiLibrary,
    waywiser: Waywiser,
    build: Build,
    program: str,
    options: tuple[str, ...],
    smallest: int,
) -> None:
    """Strips of a plate from 2, 4 and 8 ranks to 16, a grid of its parts from 4, 8 and 16 to 32;
    and pencils with the communicators of their rows, columns and nodes."""
    runs = [smallest << i for i in range(4)]
    command: tuple[str | Path, ...] = (build(library, program), *options)
    traces = [traced(waywiser, library, ranks, *command) for ranks in runs]

    assert_extrapolated(traces, runs[3])


def traced(waywiser: Waywiser, library: MpiLibrary, ranks: int, *command: str | Path) -> Path:
    """The trace of a program on this number of ranks."""
    words = library.command(ranks, *command)
    waywiser.succeeds("profile", "--trace", "-o", f"run{ranks}", "--", *words)
    return waywiser.directory / f"run{ranks}" / "trace" / "trace.ww"


def assert_extrapolated(traces: Sequence[Path], ranks: int) -> None:
    """The first traces, extrapolated to the ranks of the last one, have its calls."""
    pattern = native.recognise(list(map(str, traces[:-1])))
    run = native.Extrapolation(pattern, ranks, ranks)

    job = native.TraceFile(str(traces[-1])).job
    for rank in range(ranks):
        calls = extrapolated(run, rank)
        assert calls == recorded(traces[-1], rank), rank
        objects = {call[3] for call in calls}
        assert members(run.job, rank, objects) == members(job, rank, objects), rank


FACES = 2
"""The call site of the messages before the sweeps, which NPB's LU sends in an order of its own."""

PROGRAMS = {
    "bt": multipartition("bt", weak(3), padded=True, steps=1),
    "sp": multipartition("sp", weak(3), padded=False, steps=1),
    "lu": pencils(weak(3)),
}


def npb(library: MpiLibrary, benchmark: str, side: int) -> list[str | Path]:
    """`ww-npb` with boxes of 3 x 3 x 3 points, as small as NPB allows, on `side` x `side` ranks."""
    words = [f"--benchmark={benchmark}", f"--n1={3 * side}", "--iterations=2", "--dt=0.0005"]
    if benchmark != "lu":
        words.append("--decomposition=multipartition")
    return [library.program("ww-npb"), *words, "--messages=npb", "--variant=vector"]


@pytest.mark.parametrize("benchmark", PROGRAMS)
def test_npb_sends_what_the_programs_that_are_written_down_send(
    library: MpiLibrary, waywiser: Waywiser, benchmark: str
) -> None:
    """Each rank's messages of a step, in their order: `tests/unit/test_extrapolate_squares.py`
    extrapolates these programs further than a node has cores."""
    trace = traced(waywiser, library, 9, *npb(library, benchmark, 3))

    for rank in range(9):
        step = [
            (given["peer"], given["bytes"])
            for function, _, given in PROGRAMS[benchmark](9, rank)
            if function in ("Isend", "Send") and given["site"] != FACES
        ]
        (calls,) = native.TraceFile(str(trace)).calls(rank)
        is_sent = calls["action"] == native.Action.send.value
        all_sent = list(zip(calls["peer"][is_sent], calls["bytes"][is_sent], strict=True))
        places = range(len(all_sent) - len(step) + 1)
        assert sum(all_sent[i : i + len(step)] == step for i in places) == 3, rank


@pytest.mark.alone("256 ranks leave other tests no processor")
@pytest.mark.long
def test_calls_of_bt_are_those_of_a_recording_with_256_ranks(
    library: MpiLibrary, waywiser: Waywiser
) -> None:
    sides = (2, 4, 8, 16)
    traces = [traced(waywiser, library, side**2, *npb(library, "bt", side)) for side in sides]

    assert_extrapolated(traces, 256)


@pytest.mark.alone("144 ranks leave other tests no processor")
@pytest.mark.long
def test_lu_on_576_ranks_sends_what_its_closed_forms_say(
    library: MpiLibrary, waywiser: Waywiser
) -> None:
    """Those of docs/npb.md, from recordings with 9, 36 and 144 ranks."""
    traces = [traced(waywiser, library, side**2, *npb(library, "lu", side)) for side in (3, 6, 12)]

    run = native.Extrapolation(native.recognise(list(map(str, traces))), 576, 576)

    side, points, steps = 24, 3 * 24, 2
    cuts, pairs = 2 * (side - 1), 2 * side * (side - 1)
    sweeps = 80 * (points - 2) ** 2 * cuts * (steps + 1)
    faces = 160 * cuts * points**2 * (steps + 4)
    integral = 16 * ((side - 1) * (2 * points + 2 * side) + cuts * points)
    messages = 2 * (points - 2) * pairs * (steps + 1) + 2 * pairs * (steps + 4)
    assert sent(run) == (messages + pairs + 2 * cuts, sweeps + faces + integral)


def sent(run: native.Extrapolation) -> tuple[int, int]:
    """Messages of all ranks, and their bytes."""
    sizes = [
        call.bytes
        for rank in range(len(run.job.ranks))
        for call, _ in run.calls(rank)
        if call.action == native.Action.send
    ]
    return len(sizes), sum(sizes)
