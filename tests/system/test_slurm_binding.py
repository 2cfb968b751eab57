"""Cores that ranks on two nodes of a real Slurm get, by every launcher.

The nodes have this machine's two cores each, so that Slurm's own binding is at work as well.
"""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rigs import slurm as rig
from tests.rigs.slurm import Slurm
from tests.support import MpiLibrary, environment, mpi_libraries, mpi_library
from waywiser.launch.batch import Job
from waywiser.launch.binding import binding_environment, forwarding_words, launch_words
from waywiser.launch.command import identify_launcher
from waywiser.launch.launchers.launcher import Launcher
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.launch.shape import Shape
from waywiser.model.study import Resources

CORES = 2
PATIENCE_SECONDS = 200.0
SHOW = "echo $(hostname) $(sed -n s/Cpus_allowed_list://p /proc/self/status) $OMP_NUM_THREADS"
ALLOWANCES = ("PRTE_MCA_rmaps_default_mapping_policy", "OMPI_MCA_rmaps_base_oversubscribe")
"""The tests' own, for more ranks than cores: they change how ranks are bound."""


@pytest.fixture(scope="module")
def slurm() -> Iterator[Slurm]:
    if len(os.sched_getaffinity(0)) < CORES:
        pytest.skip("needs two cores")
    with rig.started(2, cpus=CORES) as slurm:
        yield slurm


@pytest.fixture(params=[*(mpi.name for mpi in mpi_libraries()), "Debian's Open MPI", "srun"])
def launcher(request: pytest.FixtureRequest, slurm: Slurm) -> Launcher:
    if request.param == "srun":
        return identify_launcher(slurm.commands() / "srun")
    if request.param == "Debian's Open MPI":
        path = shutil.which("mpirun.openmpi")
        if path is None:
            pytest.skip("Debian's Open MPI is not installed (mpirun.openmpi)")
        return identify_launcher(Path(path))
    return identify_launcher(by_name(request.param).bin / "mpirun")


def by_name(name: str) -> MpiLibrary:
    return mpi_library(name)


def places(slurm: Slurm, launcher: Launcher, shape: Shape, *arguments: str) -> list[str]:
    """Host, cores and threads of each rank, in a job of this shape."""
    variables = binding_environment(launcher, shape)
    words = [*launch_words(launcher, shape), *forwarding_words(launcher, variables), *arguments]
    if launcher.path.name == "srun":
        words[0] = "srun"
    settings = [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    steps = (*settings, shlex.join([*words, "sh", "-c", SHOW]))
    job = Job("job", Path(tempfile.mkdtemp(dir=slurm.directory)), shape, minutes=2, steps=steps)
    job.script.write_text(
        SCHEDULERS["slurm"].script(job, Resources.model_validate({})), encoding="utf-8"
    )
    env = environment({"OMPI_MCA_btl": "self,sm,tcp"})
    done = slurm.run(
        *("sbatch", job.script),
        env={name: value for name, value in env.items() if name not in ALLOWANCES},
    )
    assert done.returncode == 0, done.stderr
    end = time.monotonic() + PATIENCE_SECONDS
    while not job.marker().exists():
        assert time.monotonic() < end, job.output().read_text(encoding="utf-8")
        time.sleep(0.1)
    output = job.output().read_text(encoding="utf-8").splitlines()
    return sorted(line for line in output if line.startswith("n"))


def test_a_core_for_each_rank(slurm: Slurm, launcher: Launcher) -> None:
    shape = Shape(nodes=2, ranks=4, cores_per_node=CORES)

    bound = places(slurm, launcher, shape)

    assert bound == ["n0 0 1", "n0 1 1", "n1 0 1", "n1 1 1"]


def test_a_core_that_stays_free(slurm: Slurm, launcher: Launcher) -> None:
    shape = Shape(nodes=2, ranks=2, free_cores=1, cores_per_node=CORES)

    assert places(slurm, launcher, shape) == ["n0 0-1 1", "n1 0-1 1"]


def test_ranks_that_do_not_divide_by_the_nodes(slurm: Slurm, launcher: Launcher) -> None:
    shape = Shape(nodes=2, ranks=3, cores_per_node=CORES)

    node_of_rank = [line.split()[0] for line in places(slurm, launcher, shape)]

    assert node_of_rank == ["n0", "n0", "n1"]
