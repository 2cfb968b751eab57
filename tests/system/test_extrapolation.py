"""A real program, recorded on few ranks and extrapolated, makes the calls that it is recorded with
on more ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

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
            one.first + i * one.stride for one in job.objects[at].members for i in range(one.count)
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
    for ranks in runs:
        command = library.command(ranks, build(library, program), *options)
        waywiser.succeeds("profile", "--trace", "-o", f"run{ranks}", "--", *command)
    traces = [waywiser.directory / f"run{ranks}" / "trace" / "trace.ww" for ranks in runs]

    pattern = native.recognise([str(one) for one in traces[:3]])
    found = native.Extrapolation(pattern, runs[3], runs[3])

    job = native.TraceFile(str(traces[3])).job
    for rank in range(runs[3]):
        calls = extrapolated(found, rank)
        assert calls == recorded(traces[3], rank), rank
        objects = {call[3] for call in calls}
        assert members(found.job, rank, objects) == members(job, rank, objects), rank
