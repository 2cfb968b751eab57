"""Requests in a trace: their numbers, what completed them, and where wildcards' messages came from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recordings import NONE, Call, Recording, record
from tests.support import MpiLibrary
from tests.system.conftest import Build, debian_library

ONE_BY_ONE = ("MPI_Recv", "MPI_Probe", "MPI_Sendrecv", "MPI_Mprobe", "MPI_Improbe", "MPI_Iprobe")


def completions(call: Call, recording: Recording) -> list[tuple[int, int, int]]:
    """Index, source and tag of what a call has completed or found."""
    if call.function in ONE_BY_ONE:
        return [(-1, call.matched_source, call.matched_tag)] if call.found else []
    numbers = recording.lists.get(call.completed, [])
    return list(zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True))


def told(recording: Recording) -> list[tuple[str, int, int, int]]:
    """All that the receives of a process had left open."""
    return [
        (call.function, *completion)
        for call in recording.calls
        for completion in completions(call, recording)
        if completion[2] != NONE
    ]


@pytest.mark.every_mpi
def test_wildcards_are_what_the_programs_statuses_say(
    mpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    program = build(mpi, "traced_requests.c")
    output = tmp_path / "stdout"
    recording = record(
        mpi, tmp_path, 3, "sh", "-c", f"{program} complete >> {output}"
    )[0]

    # Not told by the program: requests of whose status it says nothing, and the order of its output.
    said = [line.split() for line in output.read_text(encoding="utf-8").splitlines()]
    wanted = [(name, *map(int, numbers)) for name, *numbers in said]
    found = told(recording)
    named = {"MPI_Testall": 2}
    for name, index, source, tag in wanted:
        sources = {source, NONE} if index % 2 == 1 or name in named else {source}
        entry = next(one for one in found if one[:2] == (name, index) and one[3] == tag)
        assert entry[2] in sources
        found.remove(entry)
    assert len(wanted) >= 19
