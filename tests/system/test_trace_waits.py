"""Delays that are planted: waits are theirs, of the rank and the line that they are planted in."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser, assert_refused
from tests.system.conftest import PROGRAMS, Build

pytestmark = pytest.mark.in_turn
timed = pytest.mark.alone("waits are delays of 200 ms, within 2 %")

ROUNDS, LATE_MS = 2, 200
RANKS, LATE = 4, 2
KINDS = {
    "send": "late_sender",
    "receiver": "late_receiver",
    "allreduce": "all_to_all",
    "barrier": "barrier",
    "post": "late_post",
    "wait": "early_wait",
    "lock": "lock",
    "neighbour": "late_sender",
    "file": "all_to_all",
    "spin": "late_sender",
}
WAITING = {"allreduce": 3, "barrier": 3, "file": 3, "neighbour": 2}
"""Ranks; of other kinds one."""


def line_of(mark: str) -> int:
    lines = (PROGRAMS / "planted_delay.c").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, start=1) if f"// {mark}" in line)


def run(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, kind: str, late_ms: int
) -> tuple[float, dict[str, Any]]:
    """The waiting that the program has seen itself [s], and the summary of its trace."""
    program = build(mpi, "planted_delay.c")
    name = f"{kind}-{late_ms}"
    done = waywiser.succeeds(
        *("profile", "--trace", "-o", name, "--"),
        *mpi.command(RANKS, program, kind, str(ROUNDS), str(late_ms)),
    )
    waited = re.search(r"waited (\d+) ns", done.stdout)
    assert waited is not None, done.stdout
    return int(waited[1]) / 1e9, waywiser.show(name)


@timed
@pytest.mark.parametrize("kind", KINDS)
def test_waiting_is_the_planted_delay_and_names_its_place(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, kind: str
) -> None:
    waited, summary = run(mpi, waywiser, build, kind, LATE_MS)

    waits = summary["waits"]
    longest = next(cause for cause in waits["causes"] if cause["wait"] == KINDS[kind])
    planted = ROUNDS * LATE_MS / 1e3 * WAITING.get(kind, 1)
    assert waited > 0.75 * planted
    assert longest["seconds"] == pytest.approx(waited, rel=0.02)
    assert longest["causing_rank"] == LATE
    assert longest["computing"]
    assert longest["before"]["place"] == f"main at planted_delay.c:{line_of('before the delay')}"
    assert longest["after"]["place"].endswith(f" at planted_delay.c:{line_of('late ' + kind)}")
    assert waits["unmatched_sends"] == waits["unmatched_receives"] == 0
    awaited = sum(seconds for _, rank, seconds, _ in waits["pairs"] if rank == LATE)
    assert awaited >= 0.98 * waited


@pytest.mark.parametrize("kind", ["send", "allreduce"])
def test_a_delay_is_no_transfer(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, kind: str
) -> None:
    """The waiting call is looked at, and not what shares the ranks' CPUs beside it. Ranks that poll
    on fewer CPUs leave it a slice of time after each other, however long the delay is."""
    waited, summary = run(mpi, waywiser, build, kind, 3 * LATE_MS)

    function = {"send": "MPI_Recv", "allreduce": "MPI_Allreduce"}[kind]
    in_calls = summary["functions"][function]["seconds"]
    waiting = sum(
        cause["seconds"]
        for cause in summary["waits"]["causes"]
        if cause["waiting"]["function"] == function
    )
    assert in_calls - waiting < 0.02 * waited


def test_the_first_iterations_can_be_left_out(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    program = build(mpi, "planted_delay.c")
    rounds = 12
    waywiser.succeeds(
        *("profile", "--trace", "-o", "run", "--"),
        *mpi.command(RANKS, program, "barrier", str(rounds), "20"),
    )
    iterations = waywiser.show("run")["waits"]["iterations"]
    assert len(iterations["begin_seconds"]) == rounds + 1

    page = waywiser.here("report", "run", "--skip-iterations", "2", "-o", "page.html")
    refused = waywiser.here("report", "run", "--skip-iterations", str(rounds))

    assert page.returncode == 0, page.stderr
    assert "of calls that begin between" in (waywiser.directory / "page.html").read_text("utf-8")
    assert_refused(refused, f"give 1 to {rounds - 1}")
