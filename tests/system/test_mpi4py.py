"""mpi4py under the profiler: it asks the process which MPI there is, and must not be fooled.

Its wheel brings one extension module for each ABI, chooses one when it is imported, and finds by
weak references which calls the library has.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.support import MpiLibrary, Waywiser, captured, cases, mpi_library
from tests.system.conftest import PROGRAMS

pytestmark = pytest.mark.every_mpi

HOME = Path(sys.prefix) / "mpi4py"
PYTHON = HOME / "bin" / "python"
MEASURED = ("--callsites", "--trace")
"""Both look at the frame of Python that calls."""

PROGRAM = """
import array, sys
from mpi4py import MPI

world = MPI.COMM_WORLD
ours, theirs = array.array("i", [1] * 20), array.array("i", [0] * 20)
for _ in range(100):
    world.Allreduce([ours, MPI.INT], [theirs, MPI.INT])
assert theirs[0] == world.size
right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
for _ in range(50):
    world.Sendrecv([ours, MPI.INT], right, 0, [theirs, MPI.INT], left, 0)
if world.rank == 0:
    print(sys.modules["mpi4py.MPI"].__file__, MPI.VERSION, MPI.Get_library_version())
"""


def library_of(mpi: MpiLibrary) -> Path:
    return mpi.bin.parent / "lib" / ("libmpi.so.40" if mpi.name == "openmpi" else "libmpi.so.12")


def settings_of(mpi: MpiLibrary, setting: str) -> dict[str, str]:
    """Ways in which a user names MPI to mpi4py: by file, by directory, or by the ABI as well."""
    directory = {"LD_LIBRARY_PATH": str(mpi.bin.parent / "lib")}
    return {
        "file": {"MPI4PY_LIBMPI": str(library_of(mpi))},
        "directory": directory | {"MPI4PY_LIBMPI": library_of(mpi).name},
        "abi": directory | {"MPI4PY_MPIABI": mpi.abi},
    }[setting]


@pytest.mark.in_turn
@pytest.mark.parametrize("setting", ["file", "directory", "abi"])
def test_the_abi_is_the_librarys_and_counts_are_exact(
    mpi: MpiLibrary, waywiser: Waywiser, setting: str
) -> None:
    script = waywiser.directory / "program.py"
    script.write_text(PROGRAM)
    env = settings_of(mpi, setting)
    bare = mpi.run(2, PYTHON, script, env=env)

    done = waywiser.profile(mpi.command(2, PYTHON, script), env=env)

    assert (done.returncode, done.stdout) == (0, bare.stdout), done.stderr
    assert f"MPI.{mpi.abi}." in bare.stdout
    document = waywiser.show("run", "--per-rank")
    assert (document["status"], document["lost"]) == ("complete", [])
    assert (document["mpi"]["library"], document["mpi"]["abi"]) == (mpi.full_name, mpi.abi)
    large = "_c" if mpi.abi == "mpich" else ""  # mpi4py calls the large-count forms where they are
    for rank in document["per_rank"]:
        for name, calls in (("Allreduce", 100), ("Sendrecv", 50)):
            function = rank["functions"][f"MPI_{name}{large}"]
            assert function["calls"] == calls
            assert function["bytes"] == function["receive_bytes"] == calls * 20 * 4
    assert sorted(document["matrix"]["messages"]) == [[0, 1, 50], [1, 0, 50]]


def test_a_wrong_abi_fails_as_ever(mpi: MpiLibrary, waywiser: Waywiser) -> None:
    """If the user forces an ABI that is not there, Python says what it says without Waywiser."""
    script = waywiser.directory / "program.py"
    script.write_text("import mpi4py.MPI")
    command = [str(PYTHON), str(script)]
    for abi in {"openmpi", "mpich", "mpiabi"} - {mpi.abi}:
        env = {"LD_LIBRARY_PATH": str(mpi.bin.parent / "lib"), "MPI4PY_MPIABI": abi}
        bare = captured(command, env=env)

        done = waywiser.profile(command, abi, env=env)

        assert (done.returncode, done.stdout) == (bare.returncode, bare.stdout)
        for line in bare.stderr.splitlines():
            assert not line.startswith("ImportError") or line in done.stderr.splitlines()


def outcomes(
    run: Callable[[Sequence[str]], subprocess.CompletedProcess[str]],
    mpi: MpiLibrary,
    ranks: int,
    output: Path,
    options: Sequence[str],
) -> list[list[str]]:
    """Each rank's verdicts on mpi4py's own tests, one line for each of them."""
    runner = PROGRAMS / "mpi4py_outcomes.py"
    command = mpi.command(ranks, PYTHON, runner, HOME / "test", output, "-q", *options)
    done = run(command)
    files = [Path(f"{output}-{rank}") for rank in range(ranks)]
    assert all(file.exists() for file in files), done.stderr[-3000:]
    return [[f"exit code {done.returncode}", *file.read_text().splitlines()] for file in files]


def own_tests_agree(mpi: MpiLibrary, waywiser: Waywiser, ranks: int, *options: str) -> int:
    """Compares the verdicts with and without the profiler; returns how many tests there were."""
    directory = waywiser.directory
    # Processes that are spawned talk over tcp, and leave files where they work.
    env = settings_of(mpi, "file") | {"OMPI_MCA_btl": "self,sm,tcp"}
    patience = 1200

    def run_bare(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return waywiser.bare(command, env=env, timeout=patience)

    def run_profiled(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        line = ("profile", "-o", "run", *MEASURED, "--", *command)
        return waywiser(*line, env=env, timeout=patience)

    bare = outcomes(run_bare, mpi, ranks, directory / "bare", options)
    profiled = outcomes(run_profiled, mpi, ranks, directory / "profiled", options)
    assert profiled == bare
    return len(bare[0]) - 1


SLICE = r"^test_(p2p_buf|cco_buf|cco_nb_buf|request|rma|session|attributes|file|mpiapi)\b"


@pytest.mark.parametrize("name", cases(["mpich"], long=["openmpi"]))
def test_a_slice_of_its_own_tests(waywiser: Waywiser, name: str) -> None:
    """MPICH on one rank: its ranks wait busily, and there may be fewer cores."""
    mpi = mpi_library(name)

    assert own_tests_agree(mpi, waywiser, 1 if name == "mpich" else 2, "-i", SLICE) > 200
    assert waywiser.show()["functions"]["MPI_Request_free"]["calls"] > 0


@pytest.mark.long
@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("name", ["openmpi", "mpich"])
def test_all_of_its_own_tests(waywiser: Waywiser, name: str, ranks: int) -> None:
    mpi = mpi_library(name)

    assert own_tests_agree(mpi, waywiser, ranks) > 2000
