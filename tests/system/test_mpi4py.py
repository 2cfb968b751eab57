"""mpi4py under the profiler: it asks the process which MPI there is, and must not be fooled.

Its wheel brings one extension module for each ABI, chooses one when it is imported, and finds by
weak references which calls the library has.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import MpiLibrary, Waywiser, environment

HOME = Path(sys.prefix) / "mpi4py"
PYTHON = HOME / "bin" / "python"
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
    """How the user tells mpi4py where MPI is: by its file, by its folder, or by the ABI as well."""
    folder = {"LD_LIBRARY_PATH": str(mpi.bin.parent / "lib")}
    return {
        "file": {"MPI4PY_LIBMPI": str(library_of(mpi))},
        "folder": folder | {"MPI4PY_LIBMPI": library_of(mpi).name},
        "abi": folder | {"MPI4PY_MPIABI": mpi.abi},
    }[setting]


@pytest.mark.parametrize("setting", ["file", "folder", "abi"])
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
            assert function["bytes"] == function["posted_bytes"] == calls * 20 * 4
    assert sorted(document["matrix"]["messages"]) == [[0, 1, 50], [1, 0, 50]]


def test_a_wrong_abi_fails_as_ever(mpi: MpiLibrary, waywiser: Waywiser) -> None:
    """Where the user forces an ABI that is not there, Python says what it would have said."""
    script = waywiser.directory / "program.py"
    script.write_text("import mpi4py.MPI")
    command = [str(PYTHON), str(script)]
    for abi in {"openmpi", "mpich", "mpiabi"} - {mpi.abi}:
        env = {"LD_LIBRARY_PATH": str(mpi.bin.parent / "lib"), "MPI4PY_MPIABI": abi}
        bare = subprocess.run(
            command, env=environment(env), capture_output=True, text=True, check=False
        )

        done = waywiser.profile(command, abi, env=env)

        assert (done.returncode, done.stdout) == (bare.returncode, bare.stdout)
        for line in bare.stderr.splitlines():
            assert not line.startswith("ImportError") or line in done.stderr.splitlines()
