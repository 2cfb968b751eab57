"""Cores of this machine that ranks and threads really get, under every launcher."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support import MpiLibrary, environment, mpi_library
from tests.system.conftest import PROGRAMS, Build
from waywiser.errors import InvalidCommand
from waywiser.launch.binding import (
    binding_environment,
    forwarding_words,
    launch_words,
    library_environment,
    pmi_of,
)
from waywiser.launch.check import check_pairing
from waywiser.launch.command import identify_launcher
from waywiser.launch.launchers.launcher import Launcher
from waywiser.launch.launchers.table import KINDS
from waywiser.launch.library import mpi_library_of
from waywiser.launch.shape import Shape

pytestmark = pytest.mark.in_turn

CORES = sorted(os.sched_getaffinity(0))[:2]
# The rank's own cores, before OpenMP takes some of them for its first thread.
RANK = 'grep Cpus_allowed_list /proc/self/status; exec "$0"'


def cores_of(text: str) -> set[int]:
    """The cores of a list as the kernel writes it, e.g. "0-1,4"."""
    cores: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        cores |= set(range(int(first), int(last or first) + 1))
    return cores


def run(mpi: MpiLibrary, program: Path, shape: Shape) -> tuple[list[set[int]], list[set[int]]]:
    """The cores of each rank, and those of each thread."""
    launcher = identify_launcher(mpi.bin / f"mpirun{mpi.suffix}")
    bound = binding_environment(launcher, shape)
    words = [*launch_words(launcher, shape), *forwarding_words(launcher, bound)]
    # Without the tests' own allowance for more ranks than cores, which changes how ranks are bound.
    env = {key: value for key, value in environment().items() if "oversubscribe" not in value}
    env.pop("OMPI_MCA_rmaps_base_oversubscribe", None)
    if mpi.suffix:
        env.pop("OMPI_MCA_btl", None)
    done = subprocess.run(
        [*words, "sh", "-c", RANK, str(program)],
        env=env | bound | library_environment(launcher),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ranks = [cores_of(text) for text in re.findall(r"Cpus_allowed_list:\s+(\S+)", done.stdout)]
    threads = re.findall(r"rank \d+ thread \d+:([ \d]+)", done.stdout)
    return ranks, [set(map(int, numbers.split())) for numbers in threads]


def in_order(sets: list[set[int]]) -> list[set[int]]:
    return sorted(sets, key=sorted)


def shape(ranks: int, threads: int = 1, free_cores: int = 0) -> Shape:
    return Shape(1, ranks, threads, free_cores, cores_per_node=2)


@pytest.mark.skipif(len(CORES) < 2, reason="needs two cores")
@pytest.mark.every_mpi
class TestWhatRanksGet:
    def test_a_core_for_each_rank(self, mpi: MpiLibrary, build: Build) -> None:
        ranks, threads = run(mpi, build(mpi, "affinity.c", "-fopenmp"), shape(2))

        assert in_order(ranks) == [{core} for core in CORES]
        assert in_order(threads) == [{core} for core in CORES]

    def test_a_core_for_each_thread(self, mpi: MpiLibrary, build: Build) -> None:
        ranks, threads = run(mpi, build(mpi, "affinity.c", "-fopenmp"), shape(1, threads=2))

        assert ranks == [set(CORES)]
        assert in_order(threads) == [{core} for core in CORES]

    def test_a_core_that_stays_free(self, mpi: MpiLibrary, build: Build) -> None:
        program = build(mpi, "affinity.c", "-fopenmp")

        ranks, threads = run(mpi, program, shape(1, free_cores=1))

        assert ranks == [set(CORES)]
        assert threads == [{CORES[0]}]

    def test_no_binding_where_cores_are_short(self, mpi: MpiLibrary, build: Build) -> None:
        program = build(mpi, "affinity.c", "-fopenmp")

        ranks, threads = run(mpi, program, shape(2, free_cores=1))

        assert ranks == [set(CORES)] * 2
        assert threads == [set(CORES)] * 2


@pytest.mark.skipif(len(CORES) < 2, reason="needs two cores")
@pytest.mark.parametrize(
    ("cores", "bind", "share"),
    [
        (CORES, "false", False),
        (CORES, "true", False),  # GNU's runtime has then bound the first thread before main begins
        (CORES, "spread", False),
        (CORES, "master", True),
        (CORES[:1], "false", True),
        (CORES[:1], "true", True),
    ],
)
def test_threads_that_share_a_core_are_noted(
    openmpi: MpiLibrary, cores: list[int], bind: str, share: bool
) -> None:
    bound = ["taskset", "-c", ",".join(map(str, cores))]
    options = ["--n1=8", "--kernel=copy", "--tries=1"]
    threads = {"OMP_NUM_THREADS": "2", "OMP_PROC_BIND": bind, "OMP_WAIT_POLICY": "passive"}

    done = openmpi.run(1, *bound, openmpi.program("ww-memory"), *options, env=threads)

    assert ("NOTE: 2 threads of a rank share 1 CPU(s)" in done.stdout) == share, done.stdout


@pytest.fixture
def intel() -> Launcher:
    return identify_launcher(mpi_library("impi").bin / "mpirun")


def test_an_unmodified_program_gets_the_launchers_library(
    mpich: MpiLibrary, intel: Launcher, tmp_path: Path
) -> None:
    """MPICH's program runs with Intel's library: one build serves a comparison."""
    program = mpich.build(PROGRAMS / "matrix.c", tmp_path / "program")
    environment = library_environment(intel)

    assert check_pairing(program, intel, environment) == "mpich"
    library = mpi_library_of(program, environment)
    assert library is not None
    assert "/impi/" in str(library.path)


def test_a_program_that_brings_its_own_library_is_refused(
    mpich: MpiLibrary, intel: Launcher, tmp_path: Path
) -> None:
    home = mpich.bin.parent
    linked = [f"-I{home}/include", f"-L{home}/lib", "-lmpi", f"-Wl,-rpath,{home}/lib"]
    program = tmp_path / "program"
    subprocess.run(
        ["cc", PROGRAMS / "matrix.c", "-o", program, *linked, "-Wl,--disable-new-dtags"],
        check=True,
        timeout=200,
    )

    assert check_pairing(program, identify_launcher(mpich.bin / "mpirun")) == "mpich"
    with pytest.raises(InvalidCommand, match=r"would run with .*/mpich/lib/libmpi"):
        check_pairing(program, intel, library_environment(intel))


def test_a_program_of_another_family_is_refused(
    openmpi: MpiLibrary, intel: Launcher, build: Build
) -> None:
    with pytest.raises(InvalidCommand, match="is linked to Open MPI, but"):
        check_pairing(build(openmpi, "matrix.c"), intel, library_environment(intel))


def test_debians_launchers_need_no_path(debian: MpiLibrary, build: Build, tmp_path: Path) -> None:
    launcher = identify_launcher(debian.bin / f"mpirun{debian.suffix}")
    program = debian.build(PROGRAMS / "matrix.c", tmp_path / "program")

    assert library_environment(launcher) == {}
    assert check_pairing(program, launcher) == debian.abi


def test_each_program_gets_its_pmi_from_srun(mpi: MpiLibrary, build: Build) -> None:
    srun = Launcher(Path("srun"), next(kind for kind in KINDS if kind.name == "Slurm"), "22.05")

    abi = check_pairing(build(mpi, "matrix.c"), srun)

    assert pmi_of(abi) == {"openmpi": "pmix", "mpich": "pmi2"}[mpi.name]
