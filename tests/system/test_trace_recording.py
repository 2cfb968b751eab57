"""Calls in the profiler's trace: every call, with its arguments, in its order."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.recordings import ANY, NOBODY, NONE, Call, Recording, record
from tests.support import MpiLibrary
from tests.system.conftest import Build

pytestmark = pytest.mark.in_turn

DOUBLE = 8
NOT_COMPARED = {"caller", "function", "action", "object", "created", "request", "requests"}
NOT_COMPARED |= {"completed", "matched_source", "matched_tag", "message"}


def recorded(call: Call, recording: Recording) -> tuple[Any, ...]:
    """A call's function and those of its parameters that are not what they are by default."""
    unset = {"found": 1, "bytes": 0, "posted": 0, "counts": 0, "detail": 0}
    parameters: dict[str, Any] = {
        name: value
        for name, value in call.key.items()
        if name not in NOT_COMPARED and value != unset.get(name, NONE)
    }
    if call.counts:
        parameters["counts"] = recording.lists[call.counts]
    return call.function, parameters


@pytest.mark.every_mpi
def test_the_calls_of_each_rank_in_their_order(
    mpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    recordings = record(mpi, tmp_path, 2, build(mpi, "traced.c"), "calls")

    for rank, recording in enumerate(recordings):
        peer = 1 - rank
        sending = {"bytes": 7 * DOUBLE, "peer": peer, "tag": 41}
        receiving = {"posted": 7 * DOUBLE, "source": peer, "source_tag": 41}
        sent = [(1 + rank) * DOUBLE, 3 * DOUBLE]
        exchange = [
            ("MPI_Irecv", {"posted": 5 * DOUBLE, "source": ANY, "source_tag": ANY}),
            ("MPI_Isend", {"bytes": 5 * DOUBLE, "peer": peer, "tag": 40}),
            ("MPI_Waitall", {}),
        ]
        assert [recorded(call, recording) for call in recording.calls] == [
            ("MPI_Init", {}),
            ("MPI_Comm_rank", {}),
            *(3 * exchange),
            ("MPI_Send", sending) if rank == 0 else ("MPI_Recv", receiving),
            ("MPI_Send", {"peer": NOBODY, "tag": 42}),
            (
                "MPI_Sendrecv",
                {"bytes": 16, "posted": 24, "peer": peer, "source": peer}
                | {"tag": 43, "source_tag": 43},
            ),
            ("MPI_Bcast", {"bytes" if rank == 1 else "posted": 6 * DOUBLE, "peer": 1}),
            (
                "MPI_Alltoallv",
                {"bytes": sum(sent), "posted": (3 + 3 * rank) * DOUBLE, "counts": sent},
            ),
            ("MPI_Comm_dup", {}),
            ("MPI_Barrier", {}),
            ("MPI_Comm_free", {}),
            ("MPI_Pcontrol", {"detail": 5}),
            ("MPI_Finalize", {}),
        ]


def test_times_follow_each_other(mpi: MpiLibrary, build: Build, tmp_path: Path) -> None:
    for recording in record(mpi, tmp_path, 2, build(mpi, "traced.c"), "calls"):
        times = [at for call in recording.calls for at in (call.begin, call.end)]
        assert times == sorted(times)
        assert all(call.begin < call.end for call in recording.calls)


@pytest.mark.parametrize(
    ("program", "ranks"),
    [
        *(("point_to_point", 2), ("collectives", 3), ("persistent", 2), ("one_sided", 2)),
        *(("neighbours", 4), ("intercommunicator", 3), ("callbacks", 2), ("threads", 2)),
    ],
)
def test_the_trace_has_what_the_profile_counts(
    mpi: MpiLibrary, build: Build, tmp_path: Path, program: str, ranks: int
) -> None:
    executable = build(mpi, f"{program}.c", "-lpthread")
    arguments = [str(tmp_path / "file")] if program == "one_sided" else []

    traced = record(mpi, tmp_path, ranks, executable, *arguments)
    bare = record(mpi, tmp_path, ranks, executable, *arguments, options="")

    assert len(traced) == len(bare) == ranks
    for recording, without in zip(traced, bare, strict=True):
        assert recording.traced() == recording.profile
        for stream in recording.streams.values():
            assert stream.counted == sum(call.times for call in stream.calls)
            assert stream.dropped == 0
        profiles = (recording.profile, without.profile)
        polls = {name for profile in profiles for name, of in profile.items() if of.pending > 0}
        for name in recording.profile.keys() - polls:
            assert recording.profile[name] == without.profile[name]


def test_a_loop_is_few_signatures(openmpi: MpiLibrary, build: Build, tmp_path: Path) -> None:
    """The loop is longer than one buffer, and a part of its calls is in the run's file."""
    times = 30_000
    (recording,) = record(openmpi, tmp_path, 1, build(openmpi, "traced.c"), "many", str(times))

    names = [call.function for call in recording.calls]
    body = ["MPI_Sendrecv", "MPI_Sendrecv", "MPI_Allreduce", "MPI_Comm_rank"]
    assert names == ["MPI_Init", "MPI_Comm_rank", *(times * body), "MPI_Finalize"]
    assert [call.bytes for call in recording.calls[2:-1]] == times * [24, 32, 8, 0]
    assert recording.signatures == 7
    assert list(tmp_path.glob("run-*/parts/*.calls"))


def test_calls_that_all_differ_are_exact(openmpi: MpiLibrary, build: Build, tmp_path: Path) -> None:
    """More of them than there are signatures for."""
    times = 10_000
    (recording,) = record(openmpi, tmp_path, 1, build(openmpi, "traced.c"), "sizes", str(times))

    calls = [(call.bytes, call.posted, call.tag, call.source_tag) for call in recording.calls[2:-1]]
    assert calls == [(i, i, i % 7, i % 7) for i in range(2 * times)]
    assert recording.signatures < times
    assert {call.peer for call in recording.calls[2:-1]} == {0}
    assert {call.varied for call in recording.calls[2:-1]} == {False, True}


@pytest.mark.parametrize("yields", ["0", "1"])
def test_polls_in_a_row_are_one_entry(
    mpi: MpiLibrary, build: Build, tmp_path: Path, yields: str
) -> None:
    """Quick ones, of which the profiler times one in eight, and slow ones."""
    (recording,) = record(
        mpi,
        tmp_path,
        1,
        build(mpi, "traced.c"),
        "spin",
        "5000",
        env={"OMPI_MCA_mpi_yield_when_idle": yields},
    )

    calls = [(call.function, call.found, call.times) for call in recording.calls]
    spin = [("MPI_Test", 0, 5000), ("MPI_Send", 1, 1)]
    assert calls[2] == ("MPI_Irecv", 1, 1)
    assert calls[3:5] == spin
    assert calls[5] in (("MPI_Test", 1, 1), ("MPI_Test", 0, 1))  # the message may take a moment


def test_no_more_than_the_limit_is_written(
    openmpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    program = build(openmpi, "traced.c")
    times = 60_000
    limit = 200_000

    (recording,) = record(
        openmpi, tmp_path, 1, program, "many", str(times), options=f"trace,trace-limit={limit}"
    )

    (file,) = tmp_path.glob("run-*/parts/*.calls")
    assert limit - 50_000 < file.stat().st_size <= limit
    stream = recording.streams[0]
    assert len(stream.calls) + stream.dropped == 4 * times + 3
    body = ["MPI_Sendrecv", "MPI_Sendrecv", "MPI_Allreduce", "MPI_Comm_rank"]
    kept = [call.function for call in stream.calls[2:]]
    assert kept == (times * body)[: len(kept)]


@pytest.mark.parametrize(("begin_s", "end_s", "kept"), [(-9, 600, True), (-9, -1, False)])
def test_only_an_interval_of_time(
    openmpi: MpiLibrary, build: Build, tmp_path: Path, begin_s: int, end_s: int, kept: bool
) -> None:
    now = time.time_ns()
    begin, end = (now + seconds * 10**9 for seconds in (begin_s, end_s))

    (recording,) = record(
        openmpi,
        tmp_path,
        1,
        build(openmpi, "traced.c"),
        "many",
        "100",
        options=f"trace,trace-window={begin}:{end}",
    )

    stream = recording.streams[0]
    calls = sum(of.calls for of in recording.profile.values())
    assert (len(stream.calls), stream.dropped) == ((calls, 0) if kept else (0, calls))


def test_a_child_does_not_write(mpi: MpiLibrary, build: Build, tmp_path: Path) -> None:
    for recording in record(mpi, tmp_path, 2, build(mpi, "actor.c"), "have-child"):
        assert recording.traced() == recording.profile


def test_a_full_disk_ends_the_trace(openmpi: MpiLibrary, build: Build, tmp_path: Path) -> None:
    """A limit of files' size acts as a full disk: recorded calls stay, the rest is counted."""
    times = 60_000
    program = build(openmpi, "traced.c")
    limited = ["sh", "-c", 'ulimit -f 300 && exec "$@"', "sh"]

    (recording,) = record(openmpi, tmp_path, 1, program, "many", str(times), before=limited)

    (file,) = tmp_path.glob("run-*/parts/*.calls")
    assert 0 < file.stat().st_size <= 300 * 1024
    stream = recording.streams[0]
    assert stream.dropped > 0
    assert len(stream.calls) + stream.dropped == 4 * times + 3
