"""Advice against reality: a cause is planted, and the gain predicted that mending it measures.

On a busy machine the gate has to speak instead: no lever may be called worth it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser, mpi_libraries
from tests.system.conftest import Build

# Judges times, which other work on the machine changes: beside such work it sees the gate instead.
pytestmark = pytest.mark.alone

TRIES = 3
"""Runs until the machine is free; then what is said on a busy one is looked at."""

REPEATED = 0.05
"""Of the run time, by which runs of the same program differ here: added to the gain's own error."""


@dataclass(frozen=True)
class Planted:
    cause: str
    lever: str
    rounds: int
    mendable: bool = True
    """Whether mending does what the lever says: joined messages do not halve the latency."""


CAUSES = (
    Planted("imbalance-at-collective", "balance", 100),
    Planted("imbalance-at-exchange", "balance", 100),
    Planted("late-sender", "early sends", 80),
    Planted("late-reply", "early sends", 80),
    Planted("noise-in-turn", "noise", 150),
    Planted("noise-by-chance", "noise", 150),
    Planted("small-messages", "latency", 100, mendable=False),
)


@dataclass(frozen=True)
class Machine:
    waywiser: Waywiser
    library: MpiLibrary
    program: Path

    def command(self, planted: Planted, how: str) -> list[str]:
        return self.library.command(2, self.program, planted.cause, how, str(planted.rounds))

    def advised(self, planted: Planted, number: int) -> dict[str, Any]:
        name = f"run{number}"
        done = self.waywiser(
            "profile", "--trace", "-o", name, "--", *self.command(planted, "planted")
        )
        assert done.returncode == 0, done.stderr
        answered = self.waywiser.here("advise", name, "--json")
        assert answered.returncode == 0, answered.stderr
        return dict(json.loads(answered.stdout))

    def seconds(self, planted: Planted, how: str) -> float:
        """Of the rounds, by the program's own clock; the less disturbed of two runs."""
        found = []
        for number in range(2):
            name = f"{how}{number}"
            done = self.waywiser("profile", "--bare", "-o", name, "--", *self.command(planted, how))
            took = re.search(r"rounds took (\d+) ns", done.stdout)
            assert took, done.stderr
            found.append(int(took[1]) / 1e9)
        return min(found)


@pytest.fixture
def machine(waywiser: Waywiser, build: Build) -> Machine:
    library = next(library for library in mpi_libraries() if library.name == "openmpi")
    return Machine(waywiser, library, build(library, "planted_causes.c"))


def best(found: dict[str, Any]) -> dict[str, Any]:
    """The first that is no bound."""
    return next(lever for lever in found["levers"] if not lever["bound"])


@pytest.mark.parametrize("planted", CAUSES, ids=[one.cause for one in CAUSES])
def test_the_planted_cause_is_the_first_advice_and_its_gain_is_what_mending_measures(
    machine: Machine, planted: Planted
) -> None:
    found: dict[str, Any] = {}
    for number in range(TRIES):
        found = machine.advised(planted, number)
        if not found["gate"]["contended"] and not found["gate"]["unlike"]:
            break
    else:
        assert all(lever["verdict"] == "refused" for lever in found["levers"])
        return

    lever = best(found)
    assert lever["name"] == planted.lever, [one["name"] for one in found["levers"]]
    assert lever["verdict"] in ("expected", "possible")
    if planted.mendable:
        measured = machine.seconds(planted, "planted") - machine.seconds(planted, "mended")
        differ = REPEATED * found["recorded_seconds"]
        assert lever["low_seconds"] - differ <= measured <= lever["high_seconds"] + differ


def test_beside_busy_programs_the_gate_speaks(machine: Machine) -> None:
    """Programs that compute all the time, two for each CPU."""
    planted = CAUSES[0]
    spin = [sys.executable, "-c", "while True: pass"]
    spinning = [subprocess.Popen(spin) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        found = machine.advised(planted, 0)
    finally:
        for one in spinning:
            one.kill()
            one.wait()

    assert found["gate"]["contended"]
    if Path("/proc/self/schedstat").exists():  # the kernel counts, and the profile keeps it
        assert any("ready to run but had no CPU" in one for one in found["gate"]["contended"])
    assert all(lever["verdict"] == "refused" for lever in found["levers"])
    shown = machine.waywiser.here("show", "run0").stdout
    assert "Contended run:" in shown
