"""Programs on square grids, extrapolated from P, 4 P and 16 P ranks, make the calls that they make
on more ranks."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from pathlib import Path

import pytest

from tests import regular_programs as programs
from tests.job import Job
from tests.regular_programs import Program
from tests.square_programs import multipartition, pencils, strong, weak
from tests.support import cases
from tests.synthetic_jobs import PlannedCall, plan
from tests.unit.test_extrapolate import (
    LATENCY,
    OVERHEAD,
    Change,
    changed,
    extrapolated,
    members,
    network,
    recognised,
    recorded,
)
from waywiser.native import _native as native
from waywiser.native import simulate

SQUARES, INSIDE = (4, 16, 64), (16, 64, 256)
"""The smallest runs, and the smallest of which each has ranks and boxes that touch no face."""

BT = multipartition("bt", weak(3), padded=True)
SP = multipartition("sp", weak(3), padded=False, steps=1)
LU = pencils(weak(3))
ROWS, COLUMNS = (programs.along(axis, dimensions=2) for axis in (0, 1))

CASES: dict[str, tuple[Program, Sequence[int], int]] = {
    "ring": (programs.ring, SQUARES, 256),
    "butterfly": (programs.butterfly, SQUARES, 256),
    "torus 2-D of one size": (programs.halo(2, periodic=True, strong=True), SQUARES, 256),
    "torus 3-D": (programs.halo(3, periodic=True), INSIDE, 1024),
    "rows and columns": (programs.in_groups(ROWS, COLUMNS), SQUARES, 256),
    "BT": (BT, SQUARES, 256),
    "SP": (SP, INSIDE, 1024),
    "LU": (LU, INSIDE, 1024),
}


@pytest.mark.parametrize("name", CASES)
def test_calls_of_every_rank_are_those_of_the_program_itself(name: str, tmp_path: Path) -> None:
    """Ranks of the first, a middle and the last row of the grid stand for all of 1,024."""
    program, runs, ranks = CASES[name]

    run = native.Extrapolation(recognised(program, runs, tmp_path), ranks)

    rows = [0, ranks // 2, ranks - isqrt(ranks)]
    some = range(ranks) if ranks <= 256 else [row + i for row in rows for i in range(isqrt(ranks))]
    truth = traced(program, ranks, some, tmp_path / "truth.ww")
    job = native.TraceFile(truth).job
    for stream, rank in enumerate(some):
        assert extrapolated(run, rank) == recorded(truth, stream), rank
        assert members(run.job, rank) == members(job, rank), rank


def traced(program: Program, ranks: int, some: Sequence[int], path: Path) -> str:
    """A trace with the calls of some of the ranks only."""
    if len(some) == ranks:
        return programs.job(program, ranks).write(path)
    planned = Job(ranks)
    for rank in some:
        plan(planned, rank, program(ranks, rank))
    return planned.write(path)


def messages(ranks: int, line_bytes: int, lines: int) -> tuple[int, int]:
    """Messages of all ranks in a step of BT or SP, and their bytes.

    Args:
        line_bytes: of a line, forwards and back.
        lines: lines that all messages of a sweep have, each way.
    """
    side = isqrt(ranks)
    points = 3 * side
    sent = 6 * ranks + 6 * ranks * (side - 1)
    return sent, 480 * (side - 1) * points**2 + 3 * line_bytes * lines


@pytest.mark.parametrize("ranks", cases([1024], long=[2**14]))
@pytest.mark.parametrize("name", ["BT", "SP"])
def test_messages_are_those_of_the_closed_form(name: str, ranks: int, tmp_path: Path) -> None:
    """The numbers of docs/npb.md for one step of NPB: BT pads its lines, SP sends those inside."""
    side = isqrt(ranks)
    if name == "BT":
        padded = ranks * (side - 1) * (3 + 1) ** 2
        program, runs = multipartition("bt", weak(3), padded=True, steps=1), SQUARES
        expected = messages(ranks, 280, padded)
    else:
        inside = (side - 1) * (3 * side - 2) ** 2
        program, runs = SP, INSIDE
        expected = messages(ranks, 256, inside)
    pattern = recognised(without_collectives(program), runs, tmp_path)

    prediction = native.Extrapolation(pattern, ranks).replay(network())

    assert prediction.remarks == []
    assert (prediction.messages, prediction.bytes) == expected


@pytest.mark.parametrize("ranks", cases([1024], long=[2**14]))
def test_messages_of_lu_are_those_of_the_closed_form(ranks: int, tmp_path: Path) -> None:
    """Two sweeps, and an exchange of faces."""
    side = isqrt(ranks)
    points, pairs = 3 * side, 2 * side * (side - 1)
    pattern = recognised(without_collectives(LU), INSIDE, tmp_path)

    prediction = native.Extrapolation(pattern, ranks).replay(network())

    assert prediction.messages == 2 * (points - 2) * pairs + 2 * pairs
    sweeps = 80 * (points - 2) ** 2 * 2 * (side - 1)
    assert prediction.bytes == sweeps + 160 * 2 * (side - 1) * points**2


def without_collectives(program: Program) -> Program:
    def left(ranks: int, rank: int, number: int, call: PlannedCall) -> list[PlannedCall]:
        return [] if call[0] == "Allreduce" else [call]

    return changed(program, left)


def test_a_sweep_takes_a_stage_for_each_box(tmp_path: Path) -> None:
    """The time of all that BT computes and passes on, at any number of ranks."""
    program = without_collectives(BT)
    pattern = recognised(program, SQUARES, tmp_path)

    prediction = native.Extrapolation(pattern, 256).replay(network())

    truth = programs.job(program, 256).write(tmp_path / "truth.ww")
    recorded_ns = simulate.replay(truth, network()).makespan_ns
    # In what is extrapolated, MPI_Init takes no time and MPI_Finalize has no barrier.
    ends_ns = 100 + 8 * (LATENCY + 2 * OVERHEAD)
    assert prediction.makespan_ns == recorded_ns - ends_ns


def another_side(ranks: int, rank: int, number: int, call: PlannedCall) -> list[PlannedCall]:
    """Rank 5 of 16 sends its faces along the first axis to one rank further."""
    function, gap, given = call
    if (ranks, rank, function, given.get("tag")) == (16, 5, "Isend", 11):
        return [(function, gap, {**given, "peer": 7})]
    return [call]


def one_stage_less(ranks: int, rank: int, number: int, call: PlannedCall) -> list[PlannedCall]:
    """A loop runs as often as there are stages, but once less in the largest run."""
    rounds = {4: 1, 16: 3, 64: 6}[ranks]
    return [call, *[("Barrier", 0, {"site": 9})] * rounds] if call[0] == "Init" else [call]


def one_line_less(ranks: int, rank: int, number: int, call: PlannedCall) -> list[PlannedCall]:
    """A single message of a sweep lacks a line."""
    function, gap, given = call
    if (ranks, rank, number) == (64, 9, 23):
        return [(function, gap, {**given, "bytes": given["bytes"] - 176})]
    return [call]


@pytest.mark.parametrize(
    ("program", "runs", "change", "says"),
    [
        (BT, SQUARES, another_side, "the partner of rank 5 of 16 (7)"),
        (BT, SQUARES, one_stage_less, "a loop runs 1, 3, 6 times, which follows no law"),
        (SP, INSIDE, one_line_less, "not as those of a rank's boxes in a cube"),
        (SP, SQUARES, None, "nobody sends that in the smallest run: record larger ones"),
        (LU, SQUARES, None, "the runs are not regular"),
        (
            multipartition("bt", strong(64), padded=True),
            SQUARES,
            None,
            "its sizes follow no law of the number of ranks",
        ),
        (
            multipartition("sp", strong(64), padded=False, steps=1),
            INSIDE,
            None,
            "its sizes follow no law of the number of ranks",
        ),
        (pencils(strong(64)), INSIDE, None, "its sizes follow no law of the number of ranks"),
    ],
)
def test_what_does_not_follow_from_the_runs_is_refused(
    program: Program, runs: Sequence[int], change: Change | None, says: str, tmp_path: Path
) -> None:
    with pytest.raises(native.InvalidInput) as refused:
        recognised(changed(program, change) if change else program, runs, tmp_path)

    assert says in str(refused.value)


def test_runs_that_quadruple_reach_powers_of_four(tmp_path: Path) -> None:
    pattern = recognised(programs.ring, SQUARES, tmp_path)
    for ranks in (2, 128, 2**26):
        with pytest.raises(native.InvalidInput, match="expected 4 times a power of four, at most"):
            native.Extrapolation(pattern, ranks)
    with pytest.raises(native.InvalidInput, match="or P, 4 P, 16 P, … ranks, P more than 1; found"):
        recognised(programs.ring, (4, 16, 32), tmp_path)


def test_laws_of_squares_are_stated(tmp_path: Path) -> None:
    pattern = recognised(BT, SQUARES, tmp_path)

    laws = {(law.call, law.what): law.law for law in pattern.laws}
    assert laws["MPI_Isend at main at made.c:2", "bytes"] == "(sqrt(ranks) - 1)"
    assert laws["MPI_Waitall", "computing"] == "sqrt(ranks)"
    assert pattern.grid(1024) == "32 x 32"
