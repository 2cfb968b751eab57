"""Two LAMMPS of unlike versions, each with the MPI library that it is linked to: no verdict."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.support import Waywiser
from tests.system.conftest import TRANSPORT

NEW = next((Path(sys.prefix) / "lammps").glob("lib/*/site-packages/lammps/lmp"), None)
INPUT = """
units lj
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
run 5
"""
STUDY = """
title = "LAMMPS: MPICH against Open MPI"

[mpi.mpich]
programs = { lj = "NEW" }

[mpi.openmpi]
launcher = "LAUNCHER"
programs = { lj = "OLD" }

[application.lj]
reader = "lammps"
program = "lmp"
arguments = ["-in", "in.lj", "-log", "none"]
inputs = ["in.lj"]

[repeats]
blocks = 1
warm_up = false
"""


def test_unlike_versions_are_refused_first(tmp_path: Path, waywiser: Waywiser) -> None:
    old, launcher = shutil.which("lmp"), shutil.which("mpirun.openmpi")
    if not (NEW and old and launcher):
        pytest.skip("make setup's LAMMPS, or Debian's with openmpi-bin, is not installed")
    (tmp_path / "in.lj").write_text(INPUT)
    text = STUDY.replace("NEW", str(NEW)).replace("OLD", old).replace("LAUNCHER", launcher)
    (tmp_path / "lj.toml").write_text(text)

    waywiser.succeeds("study", "run", "lj.toml", env=TRANSPORT[".openmpi"])
    report = json.loads(waywiser.here("study", "report", "lj.toml", "--json").stdout)

    start = "The versions of lmp are not the same: "
    (sentence,) = report["programs"]
    versions = r"\d+ \w+ \d{4}.* \(MPICH\), \d+ \w+ \d{4}.* \(Open MPI\)"
    assert re.fullmatch(rf"{start}{versions}; no verdict holds between them\.", sentence)
    assert {comparison["kind"] for comparison in report["comparisons"]} == {"refused"}
    builds = {row["text"] for row in report["system"] if row["name"].startswith("Build of")}
    assert len(builds) == 2
    compared = waywiser.here("compare", "lj.study/runs/mpich", "lj.study/runs/openmpi")
    assert f"\n{start}" in f"\n{compared.stdout}"
    assert "no verdict: unlike versions of lmp" in compared.stdout
