"""A real Slurm on two hosts: every MPI library, and the job scripts of docs/clusters.md."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rigs import slurm as rig
from tests.rigs.slurm import Slurm
from tests.support import (
    BIN,
    ROOT,
    MpiLibrary,
    Waywiser,
    assert_refused,
    environment,
    mpi_library,
    unpack,
)
from tests.system.conftest import Build, ProfileOf

RANKS = 4

# What each library needs to be told here. Open MPI asks Slurm by PMIx, MPICH by PMI-2; libfabric
# takes the loopback device otherwise, which leads to no other host; Open MPI 5 wants a HOME; the
# UCX of Debian's MPICH does not get from one of these hosts to the other. With a list of names,
# nothing else of the environment reaches the ranks.
BY_PMI_2 = ["--mpi=pmi2", "--export=FI_TCP_IFACE=eth0"]
OPTIONS = {
    "openmpi": ["--nodes=2", "--export=HOME"],
    "mpich": ["--nodes=2", *BY_PMI_2],
    "debian-openmpi": ["--nodes=2", "--export=NONE"],
    "debian-mpich": ["--nodes", "1", "--mpi", "pmi2", "--export", "NONE"],
}

# Jobs get the whole environment, whose setting for tests would keep Open MPI on one host.
BETWEEN_HOSTS = {"OMPI_MCA_btl": "self,sm,tcp"}


@pytest.fixture(scope="module")
def slurm() -> Iterator[Slurm]:
    with rig.started(2) as slurm:
        yield slurm


def library(name: str) -> MpiLibrary:
    """A wheel's library, or Debian's of the same family."""
    family = name.removeprefix("debian-")
    if family == name:
        return mpi_library(name)
    compiler = shutil.which(f"mpicc.{family}")
    if compiler is None:
        pytest.skip(f"Debian's {family} is not installed (mpicc.{family})")
    return MpiLibrary(name, Path(compiler).parent, f".{family}")


def profiled_step(slurm: Slurm, waywiser: Waywiser, *options: str) -> dict[str, Any]:
    """The profile of `srun OPTIONS`, which ends well."""
    done = slurm.run(
        BIN / "waywiser",
        *("profile", "-o", "run", "--", "srun", *options),
        directory=waywiser.directory,
        env=environment(),
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    document = waywiser.show("run", "--per-rank")
    assert document["status"] == "complete", document["lost"]
    return document


def exact(document: dict[str, Any]) -> dict[str, Any]:
    """The part of a profile that follows from the program alone."""
    keys = ("calls", "bytes", "receive_bytes")
    functions = document["functions"].items()
    return {
        "matrix": document["matrix"],
        "functions": {name: {key: function[key] for key in keys} for name, function in functions},
    }


@pytest.mark.parametrize("name", OPTIONS)
def test_a_step_gives_the_profile_that_mpirun_gives(
    slurm: Slurm, name: str, build: Build, profile_of: ProfileOf, waywiser: Waywiser
) -> None:
    mpi = library(name)
    command = [f"--ntasks={RANKS}", *OPTIONS[name], str(build(mpi, "matrix.c"))]

    document = profiled_step(slurm, waywiser, *command)

    used = {"n0", "n1"} if "--nodes=2" in command else {"n0"}
    assert {rank["host"] for rank in document["per_rank"]} == used
    family = mpi_library(name.removeprefix("debian-"))
    assert exact(document) == exact(profile_of(family, "matrix.c", RANKS))


def job_scripts() -> list[str]:
    """The page's job scripts: that with waywiser on the node, that without."""
    page = (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8")
    return re.findall(r"^```bash\n(#!/bin/bash\n.*?)^```", page, re.MULTILINE | re.DOTALL)


def submit(slurm: Slurm, script: str, directory: Path, path: str) -> tuple[str, str]:
    """Runs a job script to its end; its number and its output."""
    job = directory / "job.sh"
    job.write_text(script, encoding="utf-8")
    done = slurm.run(
        *("sbatch", "--wait", "--parsable", "--output=job.out", f"--export=ALL,PATH={path}", job),
        directory=directory,
        env=environment(BETWEEN_HOSTS),
        timeout=200,
    )
    output = (directory / "job.out").read_text(encoding="utf-8")
    assert done.returncode == 0, done.stderr + output
    return done.stdout.strip(), output


def test_the_pages_job_script(
    slurm: Slurm, openmpi: MpiLibrary, build: Build, profile_of: ProfileOf, waywiser: Waywiser
) -> None:
    shutil.copy(build(openmpi, "matrix.c"), waywiser.directory / "app")

    number, _ = submit(slurm, job_scripts()[0], waywiser.directory, f"{BIN}:/usr/bin:/bin")

    document = waywiser.show(f"run-{number}")
    assert exact(document) == exact(profile_of(openmpi, "matrix.c", RANKS))


def test_the_pages_job_script_without_python(
    slurm: Slurm,
    tarball: Path,
    openmpi: MpiLibrary,
    build: Build,
    profile_of: ProfileOf,
    waywiser: Waywiser,
) -> None:
    directory = waywiser.directory
    unpack(tarball, directory)
    shutil.copy(build(openmpi, "matrix.c"), directory / "app")
    tools = directory / "tools"
    tools.mkdir()
    (tools / "srun").symlink_to("/usr/bin/srun")

    number, output = submit(slurm, job_scripts()[1], directory, str(tools))

    assert "4 of 4 ranks" in output
    document = waywiser.show(f"run-{number}", "--per-rank")
    assert {rank["host"] for rank in document["per_rank"]} == {"n0", "n1"}
    assert exact(document) == exact(profile_of(openmpi, "matrix.c", RANKS))


def test_programs_in_a_file_are_started_by_hand(
    slurm: Slurm,
    tarball: Path,
    openmpi: MpiLibrary,
    build: Build,
    profile_of: ProfileOf,
    waywiser: Waywiser,
) -> None:
    """`waywiser profile` refuses --multi-prog with the way out that is taken here."""
    directory = waywiser.directory
    unpack(tarball, directory)
    (tools,) = directory.glob("waywiser-*/bin")
    by_hand = f"{tools}/ww-exec --run run -- {build(openmpi, 'matrix.c')}"
    (directory / "programs").write_text(f"0 {by_hand} master\n1-3 {by_hand} worker\n")
    command = ["srun", f"--ntasks={RANKS}", "--nodes=2", "--multi-prog", "programs"]
    env = environment(BETWEEN_HOSTS)

    refused = slurm.run(BIN / "waywiser", "profile", "--", *command, directory=directory, env=env)
    done = slurm.run(*command, directory=directory, env=env, timeout=200)
    merged = slurm.run(tools / "ww-merge", "run", directory=directory)

    assert_refused(refused, "ww-exec --run RUN --")
    assert done.returncode == 0, done.stderr
    assert merged.returncode == 0, merged.stderr
    assert exact(waywiser.show()) == exact(profile_of(openmpi, "matrix.c", RANKS))


@pytest.mark.long
def test_a_heterogeneous_step_is_one_run(
    slurm: Slurm, mpich: MpiLibrary, build: Build, waywiser: Waywiser
) -> None:
    """The step uses PMI-2: with PMIx, the srun of Slurm 22.05 may wait for ever at its end, without
    the profiler too (each component joins the one thread of pmixp_abort_agent_stop).
    """
    actor = str(build(mpich, "actor.c"))
    step = ["--ntasks=1", "--nodes=1", *BY_PMI_2, actor, "code", "0"]

    document = profiled_step(slurm, waywiser, *step, ":", *step)

    assert {rank["host"] for rank in document["per_rank"]} == {"n0", "n1"}
    assert sorted(document["matrix"]["bytes"]) == [[0, 1, 4], [1, 0, 4]]
