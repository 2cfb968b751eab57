"""Programs between launcher and program: scripts, env, numactl, and other preloaded tools."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support import MpiLibrary, Waywiser, executable
from tests.system.conftest import PROGRAMS, Build, ProfileOf

pytestmark = pytest.mark.in_turn

# Tools of the system that job scripts put before a program, in the order in which they often stand.
CHAINS = {
    "env": ["env", "NAME=a value"],
    "taskset": ["taskset", "--cpu-list", "0"],
    "numactl": ["numactl", "--localalloc"],
    "nice": ["nice", "-n", "1", "nohup"],
}


def script(directory: Path, text: str) -> Path:
    path = executable(directory / "wrapper.sh", f"#!/bin/bash\n{text}\n")
    return path


@pytest.mark.parametrize("name", CHAINS)
def test_a_tool_before_the_program(
    name: str, openmpi: MpiLibrary, waywiser: Waywiser, build: Build, profile_of: ProfileOf
) -> None:
    chain = CHAINS[name]
    if shutil.which(chain[0]) is None:
        pytest.skip(f"{chain[0]} is not installed")

    waywiser.profiles(openmpi.command(4, *chain, build(openmpi, "matrix.c")))

    document = waywiser.show()
    assert (document["status"], document["lost"]) == ("complete", [])
    assert document["matrix"] == profile_of(openmpi, "matrix.c", 4)["matrix"]


def test_a_script_before_the_program(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, tmp_path: Path
) -> None:
    """The script starts helpers before and after; the profile is the program's alone."""
    wrapper = script(
        tmp_path, 'true | cat; echo "begin" >/dev/null\n"$@"\ncode=$?\ncat </dev/null\nexit $code'
    )

    waywiser.profiles(mpi.command(2, wrapper, build(mpi, "actor.c"), "code", "0"))

    document = waywiser.show("run", "--per-rank")
    assert (document["status"], document["lost"]) == ("complete", [])
    assert [rank["rank"] for rank in document["per_rank"]] == [0, 1]
    assert document["functions"]["MPI_Sendrecv"]["calls"] == 2


@pytest.mark.parametrize("order", ["tool:ours", "ours:tool"])
def test_another_tool_works_on_either_side(
    order: str, mpi: MpiLibrary, waywiser: Waywiser, build: Build, tmp_path: Path
) -> None:
    """A tool behind ours sees what ours passes on; a tool before ours hides the calls it wraps."""
    tool = mpi.build(PROGRAMS / "other_tool.c", tmp_path / "libother.so", "-shared", "-fPIC")
    preload = order.replace("tool", str(tool)).replace("ours", "$LD_PRELOAD")
    wrapper = script(tmp_path, f'LD_PRELOAD={preload} exec "$@"')

    done = waywiser.profiles(mpi.command(2, wrapper, build(mpi, "actor.c"), "code", "0"))

    assert done.stdout == 2 * "the other tool saw 1\n"
    functions = waywiser.show()["functions"]
    assert functions["MPI_Init"]["calls"] == 2
    hidden = order == "tool:ours"
    assert functions.get("MPI_Sendrecv", {"calls": 0})["calls"] == (0 if hidden else 2)
