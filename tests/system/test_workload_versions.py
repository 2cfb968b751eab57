"""Waywiser's own programs say their version, and studies of them find it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.support import MpiLibrary, Waywiser, mpi_libraries
from tests.unit.test_programs_compared import WORKLOADS
from waywiser import __version__
from waywiser.apps.application import Output
from waywiser.apps.table import APPLICATIONS, version_in

GRID = ["--n1=16", "--tries=1"]
SMALL = {
    "minife": ["--nx=4"],
    "mpibench": ["--benchmark=barrier", "--iterations=10", "--seconds=1"],
    "memory": GRID,
    "grid": GRID,
    "comm": GRID,
    "fd": GRID,
    "propa": [*GRID, "--steps=2"],
    "npb": ["--benchmark=sp", "--iterations=3"],
    "tbl": ["--n1=8", "--n2=8", "--n3=8", "--steps=2"],
    "lattice": ["--x=4", "--y=4", "--z=4", "--t=4"],
    "shallow": ["--grid=2", "--steps=2"],
    "spectral": ["--truncation=10", "--steps=2"],
    "rupture": ["--case=planewave", "--cells=6", "--order=2", "--end=0.002"],
}


@pytest.mark.parametrize("name", WORKLOADS)
def test_version_is_reported_once_with_the_compiler(openmpi: MpiLibrary, name: str) -> None:
    program = openmpi.program(f"ww-{name}")

    output = openmpi.run(2, program, "--nobody=1", "--version").stdout

    compiled = r"compiled by (GCC|Clang|Intel)\b.* \d+\.\d+"
    assert re.match(rf"ww-{name} {re.escape(__version__)} of Waywiser, {compiled}", output)
    assert output.count("\n") == 1
    helped = openmpi.run(1, program, "--help").stdout
    assert "--version" in helped
    assert [line for line in helped.splitlines() if len(line) > 80] == []
    assert re.findall(r"(?:\)|  --\S+)\n +(of|what|who|how|which|where|that) ", helped) == []
    refused = openmpi.run(1, program, "--nobody=1", check=False)
    assert refused.returncode != 0
    assert refused.stderr.count("--version") == 1


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_run_prints_the_version_where_its_reader_looks(
    openmpi: MpiLibrary, name: str, tmp_path: Path
) -> None:
    done = openmpi.run(2, openmpi.program(f"ww-{name}"), *SMALL[name])

    output = Output(done.stdout, done.stderr, tmp_path)
    assert APPLICATIONS[name].version_in(output) == __version__
    assert version_in(output) == __version__


STUDY = """\
title = "MPICH against Open MPI"
profile = "never"
{libraries}
[application.minife]
reader = "minife"
program = "ww-minife"
arguments = ["--nx=4"]
[repeats]
blocks = 1
warm_up = false
"""
LIBRARY = """
[mpi.{name}]
launcher = "{launcher}"
programs = {{ minife = "{program}" }}
"""


def test_a_study_of_two_libraries_is_of_one_version(tmp_path: Path, waywiser: Waywiser) -> None:
    """The report used to begin with different builds "whose version is not known"."""
    libraries = [library for library in mpi_libraries() if library.name in ("mpich", "openmpi")]
    texts = (
        LIBRARY.format(
            name=library.name,
            launcher=os.path.realpath(library.bin / "mpirun"),
            program=library.program("ww-minife"),
        )
        for library in libraries
    )
    (tmp_path / "minife.toml").write_text(STUDY.format(libraries="".join(texts)))

    waywiser.succeeds("study", "run", "minife.toml")
    report = json.loads(waywiser.here("study", "report", "minife.toml", "--json").stdout)

    assert len(report["configurations"]) == 2
    assert report["programs"] == []
    read = [json.loads(path.read_text()) for path in tmp_path.glob("*.study/runs/*/b001/run.json")]
    assert [run["result"]["reading"]["version"] for run in read] == [__version__] * 2
    assert len({run["program"]["build_id"] for run in read}) == 2
