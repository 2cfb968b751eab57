"""Communicators, windows and files in a trace: numbers of each rank's own, contexts of them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.recordings import NONE, Recording, record
from tests.support import MpiLibrary
from tests.system.conftest import Build

pytestmark = pytest.mark.in_turn

WORLD, SELF = 0, 1
WINDOW, FILE = 1, 2
RANKS = 3


@pytest.fixture
def recordings(mpi: MpiLibrary, build: Build, tmp_path: Path) -> list[Recording]:
    return record(mpi, tmp_path, RANKS, build(mpi, "traced_objects.c"), tmp_path / "file")


def context(recording: Recording, number: int) -> int:
    return int(recording.objects[number].context)


def created_objects(recording: Recording) -> list[tuple[str, int]]:
    """The calls that make an object, and its context."""
    return [
        (call.function, context(recording, call.created))
        for call in recording.calls
        if call.created != NONE
    ]


@pytest.mark.every_mpi
def test_contexts_are_the_same_on_all_members_and_tell_objects_apart(
    recordings: list[Recording],
) -> None:
    first, second, third = (created_objects(recording) for recording in recordings)

    assert [name for name, _ in first[:9]] == [
        *("MPI_Comm_dup", "MPI_Comm_dup", "MPI_Comm_dup", "MPI_Comm_split", "MPI_Cart_create"),
        *("MPI_Comm_idup", "MPI_Intercomm_create", "MPI_Intercomm_merge", "MPI_Win_create"),
    ]
    # The second MPI_Comm_split makes a communicator of the two last ranks alone.
    only = second.pop(4)
    assert only == third.pop(4)
    assert only not in first
    differ = {i for i in range(len(first)) if not first[i] == second[i] == third[i]}
    assert differ == {2, 3}  # the duplicate of MPI_COMM_SELF, and the parts of the split
    assert first[3] == second[3]
    assert len({first[2], second[2], third[2]}) == RANKS

    living = [at for _, at in first[:11]]
    assert len(set(living)) == len(living)
    worlds = {context(recording, WORLD) for recording in recordings}
    selves = {context(recording, SELF) for recording in recordings}
    assert len(worlds) == 1
    assert len(selves) == RANKS
    assert worlds.isdisjoint(living)


def test_numbers_follow_the_order_of_begins_and_come_back(recordings: list[Recording]) -> None:
    for rank, recording in enumerate(recordings):
        created = [call.created for call in recording.calls if call.created != NONE]
        last = 12 if rank == 0 else 13
        # The communicators of the loop, each freed before the next, are one.
        assert created == [*range(SELF + 1, last + 1), *(100 * [last + 1])]
        assert sorted(recording.objects) == list(range(last + 2))
        freed = [call.object for call in recording.calls if call.function == "MPI_Comm_free"]
        assert freed == 100 * [last + 1]


def test_calls_name_their_objects(recordings: list[Recording]) -> None:
    for recording in recordings:
        calls = recording.calls
        kinds = {
            call.function: recording.objects[call.object].kind for call in calls if call.object >= 0
        }
        assert {name for name, kind in kinds.items() if kind == FILE} == {
            *("MPI_File_write_at_all", "MPI_File_close")
        }
        assert kinds["MPI_Put"] == kinds["MPI_Win_free"] == WINDOW
        barriers = [call.object for call in calls if call.function == "MPI_Barrier"]
        merged = next(call.created for call in calls if call.function == "MPI_Intercomm_merge")
        inter = next(call.created for call in calls if call.function == "MPI_Intercomm_create")
        assert barriers[:3] == [SELF, merged, inter]
        assert recording.objects[WORLD].name == b"MPI_COMM_WORLD"


def test_epochs_of_windows(recordings: list[Recording]) -> None:
    for rank, recording in enumerate(recordings):
        window, locked = (
            call.created for call in recording.calls if call.function == "MPI_Win_create"
        )
        neighbours = [(rank + 1) % RANKS, (rank + 2) % RANKS]
        recorded = [
            (
                call.function.removeprefix("MPI_"),
                call.object,
                call.peer,
                call.detail,
                recording.lists.get(call.counts, []),
            )
            for call in recording.calls
            if call.object in (window, locked)
        ]
        assert recorded == [
            ("Win_fence", window, NONE, 0, []),
            ("Put", window, neighbours[0], 0, []),
            ("Win_fence", window, NONE, 0, []),
            ("Win_lock", locked, 1, 1, []),
            ("Get", locked, 1, 0, []),
            ("Win_flush", locked, 1, 0, []),
            ("Win_unlock", locked, 1, 0, []),
            ("Win_post", window, NONE, 0, neighbours),
            ("Win_start", window, NONE, 0, neighbours),
            ("Win_complete", window, NONE, 0, []),
            ("Win_wait", window, NONE, 0, []),
            ("Win_free", locked, NONE, 0, []),
            ("Win_free", window, NONE, 0, []),
        ]


@pytest.mark.every_mpi
def test_topologies_name_their_neighbours(mpi: MpiLibrary, build: Build, tmp_path: Path) -> None:
    """Neighbours are ranks to receive from, then ranks to send to; nobody is beyond an edge."""
    recordings = record(mpi, tmp_path, 4, build(mpi, "neighbours.c"))

    for rank, recording in enumerate(recordings):
        left, right = (rank - 1) % 4, (rank + 1) % 4
        across = [rank ^ 2, rank ^ 2, rank ^ 1, rank ^ 1]
        along = [neighbour for neighbour in (rank - 1, rank + 1) if 0 <= neighbour < 4]
        sources, targets = [left] + [0] * (rank == 2), [right] + [2] * (rank == 0)
        assert [
            (call.detail, recording.lists[call.counts])
            for call in recording.calls
            if call.function in ("MPI_Cart_create", "MPI_Graph_create")
        ] == [
            (4, across + across),
            (len(along), along + along),
            (2, [left, right, left, right]),
        ]
        (edges,) = (call for call in recording.calls if call.function.startswith("MPI_Dist"))
        listed = recording.lists[edges.counts]
        neighbours = sorted(listed[: edges.detail]), sorted(listed[edges.detail :])
        assert neighbours == (sorted(sources), sorted(targets))
