"""Advice on programs whose trouble is planted: imbalance, latency, bandwidth."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser, gated, mpi_library, succeeded
from tests.system.conftest import Build

pytestmark = pytest.mark.alone("beside other work, the gate refuses the advice that is judged here")

LATE = 1

TRIES = 3
"""Runs until the machine is free."""


@pytest.fixture(scope="module")
def library() -> MpiLibrary:
    return mpi_library("openmpi")


def advised(
    library: MpiLibrary, waywiser: Waywiser, build: Build, *words: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The advice on a run of two ranks with how long they computed by their own clocks [s], and
    its opportunities by name. On a machine that stays busy these are none, once it was seen that
    the gate refuses them."""
    program = build(library, "planted_opportunities.c")
    advice: dict[str, Any] = {}
    for number in range(TRIES):
        run = f"run{number}"
        done = waywiser.succeeds(
            *("profile", "--trace", "-o", run, "--"), *library.command(2, program, *words)
        )
        advice = gated(waywiser.here("advise", run, "--json"))
        advice["computed"] = [int(ns) / 1e9 for ns in re.findall(r"computed (\d+) ns", done.stdout)]
        if not advice["gate"]["unreliable"] and not advice["gate"]["unlike"]:
            return advice, {
                opportunity["name"]: opportunity for opportunity in advice["opportunities"]
            }
    assert all(opportunity["assessment"] == "refused" for opportunity in advice["opportunities"])
    return advice, {}


def best(advice: dict[str, Any]) -> str:
    """Other jobs of the machine may make noise the best one."""
    names = [
        opportunity["name"] for opportunity in advice["opportunities"] if not opportunity["bound"]
    ]
    return str(next(name for name in names if name != "noise"))


def test_an_allreduce_that_absorbs_imbalance_is_not_worth_tuning(
    library: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    """Rank 1 computes 20 ms before each Allreduce, rank 0 10 ms. To balance this gains no more than
    the mean falls short of the most."""
    advice, opportunities = advised(library, waywiser, build, "imbalance", "30")
    if not opportunities:
        return
    most, mean = max(advice["computed"]), sum(advice["computed"]) / 2

    assert abs(advice["base_error"]) < 0.1
    assert best(advice) == "balance"
    balance = opportunities["balance"]
    assert balance["assessment"] == "expected"
    gain = (most - mean) / advice["recorded_seconds"]
    assert 0.6 * gain <= balance["share"] <= gain + 0.02
    assert balance["because"].startswith(f"rank {LATE} computes ")
    assert "planted_opportunities.c:" in balance["cause"]["after"]["place"]
    algorithm = opportunities["algorithm of MPI_Allreduce"]
    assert algorithm["assessment"] == "none"
    assert algorithm["share"] < 0.01
    sentence = next(
        finding for finding in advice["findings"] if finding.startswith("MPI_Allreduce takes ")
    )
    assert "it absorbs imbalance, and tuning its algorithm is not worth it" in sentence
    # Other jobs of the machine may delay computing.
    others = [
        opportunity
        for name, opportunity in opportunities.items()
        if name not in ("balance", "noise")
    ]
    assert all(opportunity["assessment"] == "none" for opportunity in others), others
    efficiencies = advice["efficiencies"]
    assert efficiencies["load_balance"] == pytest.approx(mean / most, abs=0.03)
    assert efficiencies["serialisation"] > 0.9
    assert efficiencies["most_rank"] == LATE


def test_a_program_of_short_messages_is_bound_by_latency(
    library: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    advice, opportunities = advised(library, waywiser, build, "latency", "300")

    if not opportunities:
        return
    assert best(advice) == "latency"
    assert opportunities["latency"]["assessment"] == "expected"
    assert opportunities["balance"]["share"] < 0.1
    assert opportunities.get("bandwidth", {"share": 0})["share"] < 0.05
    # A network that takes no time saves at least what half the latency does.
    assert advice["efficiencies"]["transfer"] < 1 - opportunities["latency"]["share"]


def test_a_program_of_long_messages_is_bound_by_bandwidth(
    library: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    advice, opportunities = advised(library, waywiser, build, "bandwidth", "50")

    if not opportunities:
        return
    assert best(advice) == "bandwidth"
    assert opportunities["bandwidth"]["assessment"] == "expected"
    # Messages take nearly all the time, half of which twice the bandwidth saves.
    assert 0.3 < opportunities["bandwidth"]["share"] <= 0.5
    assert opportunities["latency"]["share"] < 0.1
    assert advice["efficiencies"]["transfer"] < 0.5


def test_the_commands_of_opportunities_run(
    library: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    """Each predicts what the opportunity says."""
    advice, opportunities = advised(library, waywiser, build, "bandwidth", "5")
    if not opportunities:
        return
    for opportunity in advice["opportunities"]:
        if opportunity["command"] is None:
            assert opportunity["bound"], "what no command predicts is a bound"
            continue
        answered = succeeded(waywiser.here(*shlex.split(opportunity["command"])[1:], "--json"))
        predicted = json.loads(answered.stdout)["predictions"][0]["predicted_seconds"]
        assert predicted == pytest.approx(opportunity["predicted_seconds"], rel=1e-6)
