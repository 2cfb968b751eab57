"""What ww-npb sends as NPB does, by `waywiser profile`: the closed forms that profiles of NPB 3.4
itself met, all ranks together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser, cases

POINTS = 12
STEPS = {"bt": 60, "sp": 100, "lu": 50}
"""Of class S. One more is not timed."""

Counts = dict[str, int]


def functions(
    waywiser: Waywiser, mpi: MpiLibrary, benchmark: str, ranks: int, *options: str
) -> dict[str, Any]:
    program = mpi.program("ww-npb")
    # Another variant than one given would be found by steps, whose messages would count.
    words = [f"--benchmark={benchmark}", "--class=S", "--variant=vector", "--messages=npb"]
    done = waywiser.profile(mpi.command(ranks, program, *words, *options))
    assert done.returncode == 0, done.stdout + done.stderr
    counted: dict[str, Any] = waywiser.show("run")["functions"]
    return counted


def calls(counted: dict[str, Any], *names: str) -> Counts:
    return {name: counted[name]["calls"] for name in names}


def multipartition(benchmark: str, ranks: int) -> tuple[Counts, int]:
    """Calls, and bytes sent."""
    root = round(ranks**0.5)
    exchanges = STEPS[benchmark] + 2
    faces = 6 * (root - 1) * POINTS**2 * 80 * exchanges
    carried = 6 * ranks * (root - 1) * (STEPS[benchmark] + 1)
    counts = {"MPI_Isend": 6 * ranks * exchanges + carried, "MPI_Waitall": ranks * exchanges}
    if benchmark == "bt":
        lines = (POINTS // root + 1) ** 2
        return {**counts, "MPI_Wait": 2 * carried}, faces + carried // 2 * lines * 35 * 8
    counts["MPI_Waitall"] += carried
    lines = 3 * (root - 1) * (POINTS - 2) ** 2
    return counts, faces + lines * 32 * 8 * (STEPS[benchmark] + 1)


def test_the_forms_are_those_of_the_profiles_of_npb() -> None:
    """Of class S on 4 ranks."""
    assert multipartition("bt", 4) == (
        {"MPI_Isend": 2952, "MPI_Waitall": 248, "MPI_Wait": 2928},
        14_328_480,
    )
    assert multipartition("sp", 4) == ({"MPI_Isend": 4872, "MPI_Waitall": 2832}, 14_807_040)
    lu = Pencils(2, 2)
    assert (lu.sweeps, lu.sweep_bytes) == (4080, 816_000)
    assert (lu.faces, lu.face_bytes) == (432, 2_488_320)
    assert (lu.integral, lu.integral_bytes) == (8, 832)


@pytest.mark.in_turn
@pytest.mark.parametrize("benchmark", ["bt", "sp"])
@pytest.mark.parametrize("ranks", cases([4], long=[9]))
def test_a_multipartition_sends_what_npb_sends(
    waywiser: Waywiser, mpi: MpiLibrary, benchmark: str, ranks: int
) -> None:
    counts, sent = multipartition(benchmark, ranks)

    counted = functions(waywiser, mpi, benchmark, ranks, "--decomposition=multipartition")

    assert calls(counted, *counts) == counts
    assert counted["MPI_Irecv"]["calls"] == counts["MPI_Isend"]
    assert counted["MPI_Isend"]["bytes"] == counted["MPI_Irecv"]["posted_bytes"] == sent
    assert not {"MPI_Send", "MPI_Recv"} & set(counted)


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
@pytest.mark.parametrize("grid", cases([(2, 2)], long=[(2, 1), (3, 2)]), ids=str)
def test_lu_sends_what_npb_sends(
    waywiser: Waywiser, mpi: MpiLibrary, grid: tuple[int, int]
) -> None:
    lu = Pencils(*grid)

    counted = functions(waywiser, mpi, "lu", lu.x * lu.y)

    assert calls(counted, "MPI_Recv", "MPI_Irecv", "MPI_Wait", "MPI_Send") == {
        "MPI_Recv": lu.sweeps,
        "MPI_Irecv": lu.faces + lu.integral,
        "MPI_Wait": lu.faces + lu.integral,
        "MPI_Send": lu.sweeps + lu.faces + lu.integral,
    }
    assert counted["MPI_Recv"]["posted_bytes"] == lu.sweep_bytes
    assert counted["MPI_Irecv"]["posted_bytes"] == lu.face_bytes + lu.integral_bytes
    sent = lu.sweep_bytes + lu.face_bytes + lu.integral_bytes
    assert counted["MPI_Send"]["bytes"] == sent
    assert not {"MPI_Isend", "MPI_Waitall"} & set(counted)
