"""Phases that programs number, and communicators that they make and free in any number."""

from __future__ import annotations

import pytest

from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build
from waywiser.native._native import Profile, RankProfile, read_profile

pytestmark = pytest.mark.in_turn


def _profile(waywiser: Waywiser, command: list[str]) -> Profile:
    waywiser.profiles(command, timeout=600)
    return read_profile(str(waywiser.directory / "run" / "profile.ww"))


def _calls(rank: RankProfile, name: str) -> dict[int, int]:
    calls: dict[int, int] = {}
    for thread in rank.threads:
        for function in thread.functions:
            if function.name == name:
                calls[function.phase] = calls.get(function.phase, 0) + function.load.calls
    return calls


def _check_time(rank: RankProfile) -> None:
    """Phases fill the time from the end of MPI_Init to the begin of MPI_Finalize.

    Each length is rounded to a nanosecond once.
    """
    between = rank.wall_ns - rank.init_ns - rank.finalize_ns
    assert abs(sum(phase.ns for phase in rank.phases) - between) <= len(rank.phases) + 3


def test_more_phases_than_are_distinguished(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    program = build(mpi, "phases.c", "-lpthread")

    (rank,) = _profile(waywiser, mpi.command(1, program, "many")).ranks

    entries = {phase.phase: phase.entries for phase in rank.phases}
    own = {phase: 1 for phase in range(2, 64)}
    assert entries == {1: 200, **own, -1: 200 - 63}
    assert _calls(rank, "MPI_Comm_size") == {1: 1, **own, -1: 200 - 63}
    _check_time(rank)


def test_threads_change_the_phase_together(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    program = build(mpi, "phases.c", "-lpthread")

    (rank,) = _profile(waywiser, mpi.command(1, program, "threads")).ranks

    entries = {phase.phase: phase.entries for phase in rank.phases}
    assert entries == {1: 1 + 3 * 250, 10: 250, 20: 250, 30: 250}
    assert sum(_calls(rank, "MPI_Pcontrol").values()) == 1500
    _check_time(rank)


@pytest.mark.parametrize("communicators", [20_000, pytest.param(1_000_000, marks=pytest.mark.long)])
def test_communicators_come_and_go(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, communicators: int
) -> None:
    program = build(mpi, "many_communicators.c")

    profile = _profile(waywiser, mpi.command(1, program, str(communicators)))

    (rank,) = profile.ranks
    barriers = [c for c in rank.collectives if c.function == "MPI_Barrier"]
    assert [c.load.calls for c in barriers] == [communicators]
    assert len(profile.communicators) == 1
    assert rank.unrecorded_calls == 0
