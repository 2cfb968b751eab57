"""Traces of real runs in other tools' formats: what each tool sees is what the run did."""

from __future__ import annotations

import csv
import functools
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.simgrid import needs_simgrid, replayed_seconds
from tests.support import MpiLibrary, Waywiser, succeeded
from tests.system.conftest import Build
from tests.unit.test_export_paraver import Prv
from tests.unit.test_export_perfetto import decoded
from tests.unit.test_export_replay import ends_ns, goal

pytestmark = pytest.mark.in_turn

RANKS = 4


@pytest.fixture(scope="module")
def traced(
    build: Build, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[MpiLibrary, str], Waywiser]:
    """`traced(mpi, name)`: the directory with a traced run of a program on 4 ranks, run once."""

    @functools.cache
    def run_of(mpi: MpiLibrary, name: str) -> Waywiser:
        waywiser = Waywiser(tmp_path_factory.mktemp("traced"))
        program = build(mpi, name) if name.endswith(".c") else mpi.program(name)
        arguments = ("--nx", "12") if name == "ww-minife" else ()
        command = mpi.command(RANKS, program, *arguments)
        waywiser.succeeds("profile", "--trace", "-o", "run", "--", *command)
        return waywiser

    return run_of


@pytest.fixture(params=["ww-minife", "point_to_point.c", "persistent.c"])
def run(
    request: pytest.FixtureRequest,
    mpi: MpiLibrary,
    traced: Callable[[MpiLibrary, str], Waywiser],
) -> Waywiser:
    return traced(mpi, request.param)


def exported(run: Waywiser, form: str, name: str) -> Path:
    succeeded(run.here("export", "run", "--to", form, "-o", name))
    return run.directory / name


def test_calls_and_messages_are_those_of_the_run(run: Waywiser) -> None:
    calls = {name: of["calls"] for name, of in run.show()["functions"].items()}
    with exported(run, "csv", "calls.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    perfetto = decoded(exported(run, "perfetto", "run.pftrace"))
    paraver = Prv(exported(run, "paraver", "run.prv"))

    counted = Counter[str]()
    for row in rows:
        counted[row["function"]] += int(row["polls"])
    assert counted == calls
    assert Counter(span.name for span in perfetto.slices) == Counter(
        row["function"] for row in rows
    )
    heads = Counter(flow for span in perfetto.slices for flow in span.heads)
    tails = {flow for span in perfetto.slices for flow in span.tails}
    assert heads
    assert set(heads) <= tails
    assert set(heads.values()) == {1}
    assert len(paraver.messages) == len(heads)


def test_replays_come_to_their_end(run: Waywiser) -> None:
    ranks = goal(exported(run, "goal", "run.goal").read_text())

    assert all(max(ends.values()) > 0 for ends in ends_ns(ranks))


@needs_simgrid
def test_simgrid_replays_the_run(run: Waywiser) -> None:
    trace = exported(run, "simgrid-ti", "run.txt")

    assert replayed_seconds(trace, RANKS, bandwidth="10GBps", latency="1us") > 0
