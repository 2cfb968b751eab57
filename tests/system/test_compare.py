"""`waywiser compare` on real runs: of ww-minife in two sizes, and of studies on one machine.

Other programs may run beside the tests, and then the verdict is refused. What was measured stands
in the document all the same, and is looked at here.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.support import MpiLibrary, Waywiser, executable, judged

SMALL, LARGE = 4, 32
"""Elements along an edge of the cube: 0.0001 s and 0.2 s of work."""

STUDY = """\
title = "a study of a script"
profile = "never"
mpi = ["mpich"]
[application.script]
program = "./script.sh"
arguments = ["{value}"]
metrics.metric = { pattern = 'metric: (\\S+)', unit = "s", better = "lower" }
[axes]
value = [2.0, 3.0]
"""


def compared(waywiser: Waywiser, *words: str) -> dict[str, Any]:
    done = judged(waywiser.here("compare", *words, "--json"))
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def gated(comparison: dict[str, Any], kind: str) -> None:
    """The verdict, or that there is none because other programs had the machine as well."""
    assert comparison["kind"] in (kind, "refused"), comparison
    if comparison["kind"] == "refused":
        assert "failed the validity gate" in comparison["reason"], comparison["reason"]


def test_two_sizes_of_one_program_are_distinguished(
    waywiser: Waywiser, openmpi: MpiLibrary
) -> None:
    program = openmpi.program("ww-minife")
    for number in range(6):
        for name, elements in (("small", SMALL), ("large", LARGE)):
            command = openmpi.command(2, program, "--nx", str(elements))
            waywiser.profiles(command, f"{name}/{number}")
    crashed = waywiser.profile(openmpi.command(2, program, "--nx", "0"), "small/crashed")
    assert crashed.returncode != 0

    answer = compared(waywiser, "small", "large", "--metric", "run_time", "--metric", "mpi_time")

    for comparison in answer["comparisons"]:
        gated(comparison, "slower")
        assert comparison["n"] == 6
        assert comparison["high"] < 0
        assert not comparison["paired"]
    assert answer["b"]["counted"] == 6
    assert [(run["run"], len(run["reasons"])) for run in answer["a"]["excluded"]] == [
        ("crashed", 1)
    ]
    rows = {row["name"]: (row["a"], row["b"]) for row in answer["differences"]}
    assert rows == {"Arguments": (f"--nx {SMALL}", f"--nx {LARGE}")}


def test_a_study_and_its_copy_match_configuration_by_configuration(
    waywiser: Waywiser, tmp_path: Path
) -> None:
    directory = waywiser.directory
    executable(directory / "script.sh", '#!/bin/sh\necho "metric: $1"\n')
    (directory / "first.toml").write_text(STUDY)
    waywiser.succeeds("study", "run", "first.toml")
    shutil.copytree(directory / "first.study", directory / "second.study")

    same = compared(waywiser, "first.study", "second.study")
    configurations = compared(waywiser, "first.study/runs/value2.0", "first.study/runs/value3.0")

    assert [comparison["a"]["median"] for comparison in same["comparisons"]] == [2.0, 3.0]
    assert [comparison["change"] for comparison in same["comparisons"]] == [0, 0]
    for comparison in same["comparisons"]:
        gated(comparison, "equivalent")
    (between,) = configurations["comparisons"]
    gated(between, "slower")
    assert between["paired"]
    assert round(between["change"], 12) == round(2 / 3 - 1, 12)
    assert len(configurations["a"]["excluded"]) == 1, "the warm-up is not named"
