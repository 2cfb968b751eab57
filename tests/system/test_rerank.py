"""Ranks in another order: each use of MPI_COMM_WORLD, Fortran, mpi4py, and the profiler."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.support import (
    BIN,
    MpiLibrary,
    Waywiser,
    assert_refused,
    captured,
    cases,
    mpi_library,
)
from tests.system.conftest import PROGRAMS, TRANSPORT, Build, ProfileOf, debian_library
from tests.system.rank_orders import ORDER, RANKS, placed, write_order
from tests.system.test_exports import compile_plain, wrappers
from tests.system.test_mpi4py import PYTHON, outcomes, settings_of
from waywiser.native import SHIM

pytestmark = pytest.mark.in_turn


def reranked(
    waywiser: Waywiser,
    *command: str | Path,
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
) -> str:
    """Output of a program under `waywiser rerank`; its own checks have held."""
    done = waywiser.succeeds("rerank", "order", "--", *command, env=env, timeout=timeout)
    assert "0 checks failed" in done.stdout.splitlines(), done.stdout
    return done.stdout


@pytest.mark.every_mpi
def test_every_use_of_the_world(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    write_order(waywiser.directory)
    program = build(mpi, "rerank.c")

    output = reranked(waywiser, *mpi.command(RANKS, program, "plain", "made.bin"))

    assert {rank: where[0] for rank, where in placed(output).items()} == dict(enumerate(ORDER))


@pytest.mark.parametrize("debian", cases(["openmpi"], long=["mpich"]), indirect=True)
def test_every_use_on_debians_libraries(
    debian: MpiLibrary, waywiser: Waywiser, tmp_path: Path
) -> None:
    write_order(waywiser.directory)
    program = debian.build(PROGRAMS / "rerank.c", tmp_path / "rerank")
    windowless = ["windowless"] if debian.name == "mpich" else []

    command = debian.command(RANKS, program, "plain", "made.bin", *windowless)
    output = reranked(waywiser, *command, env=TRANSPORT.get(debian.suffix))

    assert {rank: where[0] for rank, where in placed(output).items()} == dict(enumerate(ORDER))


def test_windows_that_the_library_mixes_up_are_refused(waywiser: Waywiser, tmp_path: Path) -> None:
    """MPICH 4.0.2 puts the data of the program's own MPI_Comm_split to wrong ranks, too."""
    write_order(waywiser.directory)
    mpich = debian_library("mpich")
    program = mpich.build(PROGRAMS / "rerank.c", tmp_path / "rerank")

    done = waywiser("rerank", "order", "--", *mpich.command(RANKS, program, "plain", "made.bin"))

    assert done.returncode == 1
    assert done.stderr.count("mixes up the memory of windows") == 1


@pytest.mark.parametrize(
    "form", cases([1, 3], long=[2]), ids={1: "mpif.h", 2: "mpi", 3: "mpi_f08"}.get
)
def test_fortran(debian: MpiLibrary, waywiser: Waywiser, tmp_path: Path, form: int) -> None:
    if shutil.which("gfortran") is None:
        pytest.skip("no Fortran compiler (gfortran)")
    write_order(waywiser.directory)
    options = [f"-DFORM={form}", f"-J{tmp_path}", "-ffree-line-length-none"]
    options += ["-w", "-fallow-argument-mismatch"]
    program = debian.build(PROGRAMS / "rerank.F90", tmp_path / "rerank", *options)

    command = debian.command(RANKS, program, "plain", "made.bin")
    reranked(waywiser, *command, env=TRANSPORT.get(debian.suffix))


def test_spawned_processes_keep_their_world(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    """Spawned processes get another MPI_COMM_WORLD; the intercommunicator has the new ranks."""
    write_order(waywiser.directory)
    program = build(openmpi, "rerank.c")

    command = openmpi.command(RANKS, program, "plain", "made.bin", "spawn")
    reranked(waywiser, *command, env={"OMPI_MCA_btl": "self,sm,tcp"})


def test_the_profile_is_that_of_the_program(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, profile_of: ProfileOf
) -> None:
    """Counts, matrix and communicators, which are of ranks, are those of a run in default order."""
    program = build(mpi, "matrix.c")
    write_order(waywiser.directory, (2, 0, 3, 1))

    waywiser.succeeds(
        *("profile", "-o", "run", "--rerank", "order", "--"),
        *mpi.command(4, program),
    )

    document, expected = waywiser.show("run", "--per-rank"), profile_of(mpi, "matrix.c", 4)
    assert document["matrix"] == expected["matrix"]
    for ours, theirs in zip(document["per_rank"], expected["per_rank"], strict=True):
        for name, function in theirs["functions"].items():
            for key in ("calls", "bytes", "receive_bytes"):
                assert ours["functions"][name][key] == function[key], (name, key)


def test_call_sites_are_the_programs(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    """The library ends its calls in jumps, so that it is no caller; but in MPI_Init."""
    program = build(mpi, "sites.c")
    write_order(waywiser.directory, (1, 0))
    sites = []
    for run, order in (("plain-run", ()), ("run", ("--rerank", "order"))):
        command = mpi.command(2, program)
        waywiser.succeeds("profile", "-o", run, "--callsites", *order, "--", *command)
        call_sites = waywiser.show(run)["call_sites"]
        known = ((s["function"], str(s["place"]), s["calls"]) for s in call_sites)
        sites.append(sorted(site for site in known if site[0] != "MPI_Init"))

    assert sites[0] == sites[1]
    assert len(sites[0]) > 3


FEW = r"^test_(p2p_buf|comm|comm_inter|group|win)\b"
SLICE = (
    r"^test_(p2p_buf|cco_buf|cco_nb_buf|cco_ngh_buf|comm|comm_inter|comm_topo|group|attributes|"
    r"errhandler|file|io|rma|win|status|objmodel|mpiapi)\b"
)


@pytest.mark.parametrize("name", cases(["mpich"], long=["openmpi"]))
@pytest.mark.parametrize("part", cases([FEW], long=[SLICE]), ids=["few", "slice"])
def test_mpi4pys_own_tests(waywiser: Waywiser, name: str, part: str) -> None:
    """Two ranks change places, and each test says what it says without."""
    mpi = mpi_library(name)
    write_order(waywiser.directory, (1, 0))
    env = settings_of(mpi, "file") | {"OMPI_MCA_btl": "self,sm,tcp"}
    directory = waywiser.directory

    def run_bare(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return waywiser.bare(command, env=env, timeout=600)

    def run_reranked(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return waywiser("rerank", "order", "--", *command, env=env, timeout=600)

    bare = outcomes(run_bare, mpi, 2, directory / "bare", ("-i", part))
    ours = outcomes(run_reranked, mpi, 2, directory / "reranked", ("-i", part))

    assert len(bare[0]) > (200 if part == SLICE else 100)
    assert ours == bare


def test_mpi4py_has_the_new_ranks(mpi: MpiLibrary, waywiser: Waywiser) -> None:
    write_order(waywiser.directory, (2, 0, 1))
    script = waywiser.directory / "program.py"
    script.write_text(
        "import os\nfrom mpi4py import MPI\n"
        "old = os.environ.get('OMPI_COMM_WORLD_RANK') or os.environ['PMI_RANK']\n"
        "every = MPI.COMM_WORLD.gather(int(old))\n"
        "if MPI.COMM_WORLD.rank == 0: print(every, os.popen('echo [$LD_PRELOAD]').read())\n"
    )

    command = mpi.command(3, PYTHON, script)
    done = waywiser("rerank", "order", "--", *command, env=settings_of(mpi, "file"))

    assert (done.returncode, done.stdout) == (0, "[2, 0, 1] []\n\n"), done.stderr


@pytest.mark.parametrize("verb", [("rerank", "order"), ("profile", "--rerank", "order")])
def test_a_process_sees_the_calls_of_its_library(
    mpi: MpiLibrary, waywiser: Waywiser, tmp_path: Path, verb: tuple[str, ...]
) -> None:
    """Alone and before the profiler; and a process without MPI sees none."""
    write_order(waywiser.directory, (0,))
    asker = PROGRAMS / "asker.c"
    for program in (
        mpi.build(asker, tmp_path / "asker", "-DWITH_MPI"),
        compile_plain("asker.c", tmp_path / "without"),
    ):
        words = [str(program), *wrappers()]
        bare = captured(words, check=True)
        done = waywiser(*verb, "--", *words)
        assert (done.returncode, done.stdout) == (0, bare.stdout), done.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1\n0\n", "orders 2 ranks, but there are 3"),
        ("0\n1\n1\n", ":3: rank 1 is given for the second time"),
        ("0\n1\n3\n", ":3: expected a rank from 0 to 2, got '3'"),
        ("0 1 2\n", ":1: expected a rank from 0 to 2, got '0 1 2'"),
        (None, "No such file"),
    ],
)
def test_a_bad_order_does_no_harm(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build, text: str | None, says: str
) -> None:
    """A start by hand checks nothing before: there is one sentence, and the default order."""
    if text is not None:
        (waywiser.directory / "order").write_text(text)
    (waywiser.directory / "plain").write_text("0\n1\n2\n")
    program = build(openmpi, "rerank.c")

    done = waywiser.bare(
        openmpi.command(3, SHIM, "--rerank=order", "--", program, "plain", "made.bin")
    )

    assert done.returncode == 0, done.stderr
    assert "0 checks failed" in done.stdout.splitlines()
    (sentence,) = [line for line in done.stderr.splitlines() if line.startswith("waywiser: ")]
    assert says in sentence
    assert sentence.endswith("; the ranks keep their order")


def test_several_programs_keep_their_order(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    write_order(waywiser.directory, (1, 0))
    program = build(mpi, "sites.c")
    shim = (str(SHIM), "--rerank=order", "--", str(program))

    done = waywiser.bare([*mpi.command(1, *shim), ":", "-n", "1", *shim])
    refused = waywiser("rerank", "order", "--", *mpi.command(1, program), ":", "-n", "1", program)

    assert done.returncode == 0, done.stderr
    assert done.stderr.count("several programs were started together; the ranks keep") == 1
    assert_refused(refused, "the command starts several programs")


def test_by_hand_with_the_profiler(openmpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    write_order(waywiser.directory)
    program = build(openmpi, "rerank.c")
    shim = (SHIM, "--rerank=order", "--run", "run", "--")

    done = waywiser.bare(openmpi.command(RANKS, *shim, program, "plain", "made.bin"))
    merged = waywiser.bare([BIN / "ww-merge", "run"])

    assert "0 checks failed" in done.stdout.splitlines(), done.stderr
    assert (merged.returncode, "profiled 6 ranks" in merged.stderr) == (0, True), merged.stderr
