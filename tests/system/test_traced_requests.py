"""Requests in a trace: their numbers, what completed them, and what wildcards have matched."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recordings import ANY, NONE, Call, Recording, record
from tests.support import MpiLibrary
from tests.system.conftest import Build, debian_library

pytestmark = pytest.mark.in_turn

ALONE = ("MPI_Recv", "MPI_Probe", "MPI_Sendrecv", "MPI_Mprobe", "MPI_Improbe", "MPI_Iprobe")


def completions(call: Call, recording: Recording) -> list[tuple[int, int, int]]:
    """Index, source and tag of what a call has completed or found."""
    if call.function in ALONE:
        return [(-1, call.matched_source, call.matched_tag)] if call.found else []
    numbers = recording.lists.get(call.completed, [])
    return list(zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True))


def requests_of(call: Call, recording: Recording) -> list[int]:
    return recording.lists.get(call.requests, [])


@pytest.mark.every_mpi
def test_wildcards_are_what_the_programs_statuses_say(
    mpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    output = tmp_path / "stdout"
    program = build(mpi, "traced_requests.c")
    recording = record(mpi, tmp_path, 3, "sh", "-c", f"{program} complete >> {output}")[0]

    completed = [
        (call.function, *completion)
        for call in recording.calls
        for completion in completions(call, recording)
    ]
    lines = [line.split() for line in output.read_text(encoding="utf-8").splitlines()]
    assert len(lines) >= 17
    for name, *numbers in lines:
        index, source, tag = map(int, numbers)
        # The receives of odd indices before MPI_Waitall name rank 1, those of MPI_Testall rank 2.
        first_ones = ("MPI_Waitany", "MPI_Testany", "MPI_Waitsome")
        named = name in ("MPI_Wait", "MPI_Testall") or (name in first_ones and index % 2 == 1)
        completed.remove((name, index, NONE if named else source, tag))


def test_calls_on_requests_name_them_by_the_smallest_free_numbers(
    mpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    recording = record(mpi, tmp_path, 3, build(mpi, "traced_requests.c"), "complete")[0]

    result = [call.request for call in recording.calls if call.function == "MPI_Irecv"]
    assert result == [0, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 1, 2]
    on_requests = [
        (call.function, requests_of(call, recording)) for call in recording.calls if call.requests
    ]
    assert on_requests[:2] == [("MPI_Test", [4]), ("MPI_Wait", [2])]
    waitall = [numbers for name, numbers in on_requests if name == "MPI_Waitall"]
    assert waitall[0] == [1, 2, 3, 4]
    assert on_requests[-1] == ("MPI_Wait", [0])
    (matched,) = [call for call in recording.calls if call.function == "MPI_Mprobe"]
    (received,) = [call for call in recording.calls if call.function == "MPI_Mrecv"]
    assert matched.request == received.message == 1


def test_every_request_is_completed_once(mpi: MpiLibrary, build: Build, tmp_path: Path) -> None:
    for recording in record(mpi, tmp_path, 3, build(mpi, "traced_requests.c"), "complete"):
        open_ones: set[int] = set()
        for call in recording.calls:
            numbers = requests_of(call, recording)
            assert {number for number in numbers if number != NONE} <= open_ones
            done = [numbers[index] for index, _, _ in completions(call, recording) if index >= 0]
            assert len(done) == len(set(done))
            open_ones -= {*done, call.message}
            if call.request != NONE:
                assert call.request not in open_ones
                open_ones.add(call.request)
        assert not open_ones


@pytest.mark.every_mpi
def test_sources_are_known_where_the_program_ignores_them(
    mpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    recording = record(mpi, tmp_path, 3, build(mpi, "traced_requests.c"), "ignored")[0]

    completed = [
        (call.function, source, tag)
        for call in recording.calls
        for _, source, tag in completions(call, recording)
    ]
    # Rank 0 lets rank 1 send, and then rank 2; the tags are 10 times the rank and the round.
    rounds = [("MPI_Wait",), ("MPI_Recv",), ("MPI_Waitall",), ("MPI_Iprobe", "MPI_Waitany")]
    assert completed == [
        (name, source, 10 * source + i)
        for i, names in enumerate(rounds)
        for source in (1, 2)
        for name in names
    ]


@pytest.mark.every_mpi
def test_errors_are_as_without_a_trace(mpi: MpiLibrary, build: Build, tmp_path: Path) -> None:
    program = build(mpi, "traced_requests.c")
    outputs = []
    for options in ("", "trace"):
        output = tmp_path / f"stdout{options}"
        record(mpi, tmp_path, 1, "sh", "-c", f"{program} errors >> {output}", options=options)
        outputs.append(output.read_text(encoding="utf-8"))

    assert "MPI_Recv 1\n" in outputs[0]
    assert outputs[1] == outputs[0]


def test_calls_that_have_failed_are_kept_and_say_nothing(
    mpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    for recording in record(mpi, tmp_path, 2, build(mpi, "actor.c"), "wrong-calls"):
        functions = [call.function for call in recording.calls]
        begin = functions.index("MPI_Comm_set_errhandler")  # which says nothing, either
        first, *failed = recording.calls[begin : begin + 6]
        names = [call.function for call in failed]
        assert names == ["MPI_Send", "MPI_Send", "MPI_Send", "MPI_Bcast", "MPI_Isend"]
        own = {"function": 0, "caller": 0}
        assert {str(call.key | own) for call in failed} == {str(first.key | own)}


@pytest.mark.every_mpi
def test_each_iteration_of_a_loop_is_the_same(
    mpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    times = 50
    for recording in record(mpi, tmp_path, 2, build(mpi, "traced_requests.c"), "loop", str(times)):
        body = [call.key for call in recording.calls[3:-1]]
        assert body == times * body[:3]
        irecv, isend, waitall = body[:3]
        assert [irecv["request"], isend["request"]] == [0, 1]
        assert recording.lists[waitall["requests"]] == [0, 1]
        assert recording.lists[waitall["completed"]] == [0, NONE, NONE, 1, NONE, NONE]


@pytest.mark.long
def test_a_million_requests_take_no_memory(mpi: MpiLibrary, build: Build, tmp_path: Path) -> None:
    peaks_kB = []
    for requests in (10_000, 1_000_000):
        output = tmp_path / f"{requests}"
        command = f"{build(mpi, 'traced_requests.c')} many {requests} >> {output}"
        (recording,) = record(mpi, tmp_path, 1, "sh", "-c", command)
        result = [call.request for call in recording.calls if call.request != NONE]
        assert len(result) == requests
        assert max(result) == 99
        peaks_kB.append(int(output.read_text(encoding="utf-8")))

    assert peaks_kB[1] < peaks_kB[0] + 4096


@pytest.mark.parametrize("module", ["mpi", "mpi_f08"])
def test_fortran_programs(module: str, tmp_path: Path) -> None:
    openmpi = debian_library("openmpi")
    directory = Path(__file__).parent / "programs"
    options = [f"-DMODULE={module}", *(["-DF08"] if module == "mpi_f08" else [])]
    program = openmpi.build(directory / "traced_requests.F90", tmp_path / "program", *options)
    transport = {"OMPI_MCA_btl": "self,vader"}
    recording = record(openmpi, tmp_path, 2, program, env=transport)[0]

    recorded = [
        (
            call.function,
            call.request,
            requests_of(call, recording),
            completions(call, recording),
        )
        for call in recording.calls
        if call.request != NONE or call.requests or call.matched_tag != NONE
    ]
    assert recorded == [
        ("MPI_Irecv", 0, [], []),
        ("MPI_Irecv", 1, [], []),
        ("MPI_Waitall", NONE, [0, 1], [(0, 1, 20), (1, NONE, NONE)]),
        ("MPI_Irecv", 0, [], []),
        ("MPI_Irecv", 1, [], []),
        ("MPI_Waitany", NONE, [0, 1], [(1, 1, NONE)]),
        ("MPI_Wait", NONE, [0], [(0, NONE, NONE)]),
        ("MPI_Recv", NONE, [], [(-1, NONE, 24)]),
        ("MPI_Recv", NONE, [], [(-1, 1, 25)]),
    ]
    sources = [call.source for call in recording.calls if call.function == "MPI_Irecv"]
    assert sources == [ANY, 1, 1, ANY]


def test_partitions_say_how_many_they_are(
    openmpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    sender, _ = record(openmpi, tmp_path, 2, build(openmpi, "partitioned.c"))

    recorded = [
        (call.function, call.detail, requests_of(call, sender))
        for call in sender.calls
        if call.function.startswith("MPI_P")
    ]
    each = [("MPI_Pready", 3, [0]), ("MPI_Pready_range", 2, [0]), ("MPI_Pready_list", 1, [0])]
    assert recorded == [("MPI_Psend_init", 4, []), *each, *each]
