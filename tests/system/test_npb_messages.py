"""Messages of ww-npb in NPB's form, by `waywiser profile`: the closed forms that profiles of NPB
3.4 itself met (BT and SP on 1, 4 and 9 ranks, LU on 1 and 4), all ranks together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser, cases

POINTS = 12
STEPS = {"bt": 60, "sp": 100, "lu": 50}
"""Timed steps of class S; one further step is not timed."""

LOCAL = {"MPI_Init_thread", "MPI_Finalize", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Pcontrol"}
"""Send nothing."""

Counts = dict[str, int]


def functions(
    waywiser: Waywiser, mpi: MpiLibrary, benchmark: str, ranks: int, *options: str
) -> dict[str, Any]:
    """Profile of the functions in phase 1, which NPB has, too."""
    program = mpi.program("ww-npb")
    words = [f"--benchmark={benchmark}", "--class=S", "--variant=vector", "--messages=npb"]
    done = waywiser.profile(mpi.command(ranks, program, *words, *options))
    assert done.returncode == 0, done.stdout + done.stderr
    first, second = waywiser.show("run")["phases"]
    assert (first["phase"], second["phase"]) == (1, 2)
    return {name: function for name, function in first["functions"].items() if name not in LOCAL}


def calls(counted: dict[str, Any]) -> Counts:
    return {name: function["calls"] for name, function in counted.items()}


def collectives(benchmark: str, ranks: int) -> Counts:
    """Calls: of norms and times, and of the input."""
    if benchmark == "lu":
        each = {"MPI_Allreduce": 10, "MPI_Barrier": 2, "MPI_Bcast": 10}
    else:
        each = {"MPI_Allreduce": 2, "MPI_Barrier": 2, "MPI_Bcast": 4, "MPI_Reduce": 1}
        each |= {"MPI_Comm_split": 1, "MPI_Comm_dup": 2}
    if benchmark == "bt":
        each["MPI_Bcast"] += 2
    return {name: number * ranks for name, number in each.items()}


def reduced_and_broadcast(benchmark: str, ranks: int) -> Counts:
    """Bytes; those of broadcasts are of the root."""
    if benchmark == "lu":
        norms, times, integrals = 5 * 40, 2 * 8, 3 * 8
        input_ = 7 * 4 + 2 * 8 + 5 * 8
        return {"MPI_Allreduce": (norms + times + integrals) * ranks, "MPI_Bcast": input_}
    input_ = 5 * 4 + 8 + (2 * 4 if benchmark == "bt" else 0)
    return {"MPI_Allreduce": 2 * 40 * ranks, "MPI_Reduce": 8 * ranks, "MPI_Bcast": input_}


def assert_collectives_are_npbs(counted: dict[str, Any], benchmark: str, ranks: int) -> None:
    sent = reduced_and_broadcast(benchmark, ranks)
    assert {name: counted[name]["bytes"] for name in sent} == sent


def multipartition(benchmark: str, ranks: int) -> tuple[Counts, int]:
    """Calls, and bytes sent."""
    root = round(ranks**0.5)
    if root == 1:
        return {}, 0
    exchanges = STEPS[benchmark] + 2
    faces = 6 * (root - 1) * POINTS**2 * 80 * exchanges
    carried = 6 * ranks * (root - 1) * (STEPS[benchmark] + 1)
    sent = 6 * ranks * exchanges + carried
    counts = {"MPI_Isend": sent, "MPI_Irecv": sent, "MPI_Waitall": ranks * exchanges}
    if benchmark == "bt":
        lines = (POINTS // root + 1) ** 2
        return {**counts, "MPI_Wait": 2 * carried}, faces + carried // 2 * lines * 35 * 8
    counts["MPI_Waitall"] += carried
    lines = 3 * (root - 1) * (POINTS - 2) ** 2
    return counts, faces + lines * 32 * 8 * (STEPS[benchmark] + 1)


def test_the_forms_are_those_of_the_profiles_of_npb() -> None:
    """NPB's profiles are of class S."""
    both = {"MPI_Isend": 2952, "MPI_Irecv": 2952}
    assert multipartition("bt", 4) == (
        {**both, "MPI_Waitall": 248, "MPI_Wait": 2928},
        14_328_480,
    )
    both = {"MPI_Isend": 4872, "MPI_Irecv": 4872}
    assert multipartition("sp", 4) == ({**both, "MPI_Waitall": 2832}, 14_807_040)
    both = {"MPI_Isend": 9936, "MPI_Irecv": 9936}
    assert multipartition("bt", 9) == (
        {**both, "MPI_Waitall": 558, "MPI_Wait": 13_176},
        31_628_880,
    )
    both = {"MPI_Isend": 16_416, "MPI_Irecv": 16_416}
    assert multipartition("sp", 9) == ({**both, "MPI_Waitall": 11_826}, 29_614_080)
    lu = Pencils(2, 2)
    assert (lu.sweeps, lu.sweep_bytes) == (4080, 816_000)
    assert (lu.faces, lu.face_bytes) == (432, 2_488_320)
    assert (lu.integral, lu.integral_bytes) == (8, 832)
    assert reduced_and_broadcast("lu", 4) == {"MPI_Allreduce": 960, "MPI_Bcast": 84}
    assert reduced_and_broadcast("bt", 4)["MPI_Bcast"] == 36
    assert reduced_and_broadcast("sp", 4)["MPI_Bcast"] == 28


@pytest.mark.in_turn
@pytest.mark.parametrize("benchmark", ["bt", "sp"])
@pytest.mark.parametrize("ranks", cases([4], long=[1, 9]))
def test_a_multipartition_sends_what_npb_sends(
    waywiser: Waywiser, mpi: MpiLibrary, benchmark: str, ranks: int
) -> None:
    counts, sent = multipartition(benchmark, ranks)

    counted = functions(waywiser, mpi, benchmark, ranks, "--decomposition=multipartition")

    assert calls(counted) == counts | collectives(benchmark, ranks)
    assert_collectives_are_npbs(counted, benchmark, ranks)
    if counts:
        assert counted["MPI_Isend"]["bytes"] == counted["MPI_Irecv"]["receive_bytes"] == sent


@dataclass(frozen=True)
class Pencils:
    """LU's messages: of its two sweeps, of faces, and of the integral at the end."""

    x: int
    y: int

    @property
    def pairs(self) -> int:
        return (self.x - 1) * self.y + self.x * (self.y - 1)

    @property
    def cuts(self) -> int:
        return self.x - 1 + self.y - 1

    @property
    def sweeps(self) -> int:
        return 2 * (POINTS - 2) * self.pairs * (STEPS["lu"] + 1)

    @property
    def sweep_bytes(self) -> int:
        return 2 * (POINTS - 2) * (STEPS["lu"] + 1) * 40 * self.cuts * (POINTS - 2)

    @property
    def faces(self) -> int:
        return 2 * self.pairs * (STEPS["lu"] + 4)

    @property
    def face_bytes(self) -> int:
        return (STEPS["lu"] + 4) * 160 * self.cuts * POINTS**2

    @property
    def integral(self) -> int:
        return self.pairs + 2 * self.cuts

    @property
    def integral_bytes(self) -> int:
        along_x = (self.x - 1) * (POINTS + 2 * self.y)
        along_y = (self.y - 1) * POINTS
        return 16 * (along_x + along_y + self.cuts * POINTS)


@pytest.mark.in_turn
@pytest.mark.parametrize("grid", cases([(2, 2)], long=[(1, 1), (2, 1), (3, 2), (4, 2)]), ids=str)
def test_lu_sends_what_npb_sends(
    waywiser: Waywiser, mpi: MpiLibrary, grid: tuple[int, int]
) -> None:
    lu = Pencils(*grid)
    ranks = lu.x * lu.y
    expected = {
        "MPI_Recv": lu.sweeps,
        "MPI_Irecv": lu.faces + lu.integral,
        "MPI_Wait": lu.faces + lu.integral,
        "MPI_Send": lu.sweeps + lu.faces + lu.integral,
    }

    counted = functions(waywiser, mpi, "lu", ranks)

    assert_collectives_are_npbs(counted, "lu", ranks)
    if ranks == 1:
        assert calls(counted) == collectives("lu", ranks)
        return
    assert calls(counted) == expected | collectives("lu", ranks)
    assert counted["MPI_Recv"]["receive_bytes"] == lu.sweep_bytes
    assert counted["MPI_Irecv"]["receive_bytes"] == lu.face_bytes + lu.integral_bytes
    sent = lu.sweep_bytes + lu.face_bytes + lu.integral_bytes
    assert counted["MPI_Send"]["bytes"] == sent
