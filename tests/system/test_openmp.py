"""Threads of parallel regions: their work and their waits, as they measured them themselves."""

from __future__ import annotations

import ctypes.util
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import PROGRAMS, Build
from waywiser.model.openmp import OpenMp
from waywiser.native._native import read_profile
from waywiser.store.openmp import openmp_of

# Threads that wait leave the processor: the tests' machines have fewer than the teams have threads.
PASSIVE = {"OMP_WAIT_POLICY": "passive"}
timed = pytest.mark.alone("busy and wait times are what the program slept, within 2 ms")
UNIT_S = 0.04
"""Length of each sleep of the test program. Its own time stamps stand beside the profiler's; they
differ by the time between two statements, unless the kernel took the processor just there."""


def profiled(
    waywiser: Waywiser, command: list[str], env: dict[str, str] | None = None
) -> tuple[str, OpenMp | None]:
    """The output of a run, and its rank 0's regions."""
    done = waywiser.profiles(command, env={**PASSIVE, **(env or {})})
    profile = read_profile(str(waywiser.directory / "run" / "profile.ww"))
    assert profile.lost == []
    return done.stdout, openmp_of(profile.ranks[0])


def check(stdout: str, openmp: OpenMp | None, *, regions: int, threads: int) -> None:
    """The profile agrees with the program's stamps."""
    assert openmp is not None
    measured = json.loads(stdout)
    assert (openmp.regions, openmp.threads) == (regions, threads)
    busy, wait = measured["busy"][:threads], measured["wait"][:threads]
    assert openmp.busy_seconds == pytest.approx(busy, rel=0.05, abs=UNIT_S / 20)
    assert openmp.wait_seconds == pytest.approx(wait, rel=0.05, abs=UNIT_S / 20)
    assert openmp.load_balance == pytest.approx(sum(busy) / threads / max(busy), rel=0.05)
    for busy_s, wait_s in zip(openmp.busy_seconds, openmp.wait_seconds, strict=True):
        assert busy_s + wait_s < openmp.region_seconds * 1.001


@pytest.fixture(scope="module", params=["libgomp", "libomp"])
def program(
    request: pytest.FixtureRequest,
    openmpi: MpiLibrary,
    build: Build,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The test program on a runtime without OMPT, and on one with it.

    LLVM's runtime also has libgomp's entry points, so that GCC's object code runs on it.
    """
    if request.param == "libgomp":
        return build(openmpi, "openmp.c", "-fopenmp")
    runtime = ctypes.util.find_library("omp")
    if runtime is None:
        pytest.skip("LLVM's OpenMP runtime is not installed (libomp5-14)")
    directory = tmp_path_factory.mktemp("libomp")
    compiled = directory / "openmp.o"
    openmpi.build(PROGRAMS / "openmp.c", compiled, "-c", "-fopenmp")
    return openmpi.build(compiled, directory / "openmp", f"-l:{runtime}")


PARTS = [
    ("region_end", 1, 4),
    ("barrier", 1, 4),
    ("loops", 2, 4),
    ("teams", 2, 4),
    ("nested", 1, 2),
]

IN_TURN = [
    pytest.param(runtime, *part, marks=[pytest.mark.long] * ((number + turn) % 2))
    for turn, runtime in enumerate(["libgomp", "libomp"])
    for number, part in enumerate(PARTS)
]
"""`make test` has each part on one runtime."""


@timed
@pytest.mark.parametrize(("program", "part", "regions", "threads"), IN_TURN, indirect=["program"])
def test_work_and_waits_are_those_that_were_planted(
    openmpi: MpiLibrary, waywiser: Waywiser, program: Path, part: str, regions: int, threads: int
) -> None:
    stdout, openmp = profiled(waywiser, openmpi.command(1, program, part))

    check(stdout, openmp, regions=regions, threads=threads)


def test_a_call_of_mpi_in_a_region_is_recorded(
    openmpi: MpiLibrary, waywiser: Waywiser, program: Path
) -> None:
    _, openmp = profiled(waywiser, openmpi.command(2, program, "messages"))

    assert openmp is not None
    assert (openmp.regions, openmp.threads) == (1, 2)
    assert waywiser.show()["functions"]["MPI_Barrier"]["calls"] == 2


def test_tasks_leave_the_load_balance_open(
    openmpi: MpiLibrary, waywiser: Waywiser, program: Path
) -> None:
    _, openmp = profiled(waywiser, openmpi.command(1, program, "tasks"))

    assert openmp is not None
    assert (openmp.tasks, openmp.load_balance) == (5, None)


def test_regions_outside_mpi_do_not_count(
    openmpi: MpiLibrary, waywiser: Waywiser, program: Path
) -> None:
    _, openmp = profiled(waywiser, openmpi.command(1, program, "none"))

    assert openmp is None


def test_another_ompt_tool_is_not_displaced(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build, tmp_path: Path
) -> None:
    runtime = ctypes.util.find_library("omp")
    if runtime is None:
        pytest.skip("LLVM's OpenMP runtime is not installed (libomp5-14)")
    source, tool = tmp_path / "tool.c", tmp_path / "tool.so"
    source.write_text(
        "#include <stdio.h>\n"
        'void* ompt_start_tool(unsigned v, const char* r) { fputs("other tool\\n", stderr);'
        " return 0; }\n"
    )
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", tool], check=True)
    compiled = tmp_path / "openmp.o"
    openmpi.build(PROGRAMS / "openmp.c", compiled, "-c", "-fopenmp")
    program = openmpi.build(compiled, tmp_path / "openmp", f"-l:{runtime}")

    done = waywiser.profile(
        openmpi.command(1, program, "region_end"), env={**PASSIVE, "OMP_TOOL_LIBRARIES": str(tool)}
    )

    assert done.returncode == 0
    assert "other tool" in done.stderr


def test_fortran(openmpi: MpiLibrary, waywiser: Waywiser, tmp_path: Path) -> None:
    if shutil.which("gfortran") is None:
        pytest.skip("gfortran is not installed")
    (tmp_path / "main.c").write_text(
        "#include <mpi.h>\n#include <time.h>\nvoid regions_(void);\n"
        "void rest_(int* ms) { struct timespec t = {0, *ms * 1000000L}; nanosleep(&t, 0); }\n"
        "int main(int argc, char** argv) { MPI_Init(&argc, &argv); regions_(); MPI_Finalize(); }\n"
    )
    (tmp_path / "regions.f90").write_text(
        "subroutine regions()\n  integer :: i\n"
        "  !$omp parallel do num_threads(3) schedule(static, 1)\n"
        "  do i = 1, 3\n    call rest(100 * i)\n  end do\n"
        "  !$omp end parallel do\nend subroutine\n"
    )
    compiled = tmp_path / "regions.o"
    subprocess.run(
        ["gfortran", "-fopenmp", "-c", tmp_path / "regions.f90", "-o", compiled],
        check=True,
    )
    program = openmpi.build(tmp_path / "main.c", tmp_path / "main", str(compiled), "-fopenmp")

    _, openmp = profiled(waywiser, openmpi.command(1, program))

    assert openmp is not None
    assert (openmp.regions, openmp.threads) == (1, 3)
    for i, (busy, wait) in enumerate(zip(openmp.busy_seconds, openmp.wait_seconds, strict=True), 1):
        assert busy >= 0.1 * i  # a sleep is never shorter
        assert busy + wait == pytest.approx(openmp.region_seconds, rel=0.05)


def test_a_runtime_outside_the_global_scope_is_found(
    openmpi: MpiLibrary, waywiser: Waywiser, tmp_path: Path
) -> None:
    """Python's extension modules load runtimes so: the program itself knows no OpenMP."""
    (tmp_path / "work.c").write_text(
        "#include <omp.h>\n#include <time.h>\n"
        "int team(void) {\n  int members = 0;\n"
        "#pragma omp parallel num_threads(3) reduction(+ : members)\n  {\n"
        "    struct timespec t = {0, 50000000L * (omp_get_thread_num() + 1)};\n"
        "    nanosleep(&t, 0);\n#pragma omp barrier\n    members = 1;\n  }\n"
        "  return members;\n}\n"
    )
    (tmp_path / "main.c").write_text(
        "#include <dlfcn.h>\n#include <mpi.h>\n"
        "int main(int argc, char** argv) {\n"
        "  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);\n"
        '  int (*team)(void) = (int (*)(void))dlsym(library, "team");\n'
        "  int bad = team() != 3;\n"
        "  MPI_Init(&argc, &argv);\n  bad |= team() != 3;\n  MPI_Finalize();\n"
        "  return bad;\n}\n"
    )
    library = tmp_path / "work.so"
    subprocess.run(
        ["cc", "-O1", "-fopenmp", "-shared", "-fPIC", tmp_path / "work.c", "-o", library],
        check=True,
    )
    program = openmpi.build(tmp_path / "main.c", tmp_path / "main", "-ldl")

    _, openmp = profiled(waywiser, openmpi.command(1, program, str(library)))

    assert openmp is not None
    assert (openmp.regions, openmp.threads) == (1, 3)
    for i, (busy, wait) in enumerate(zip(openmp.busy_seconds, openmp.wait_seconds, strict=True), 1):
        assert busy >= 0.05 * i
        assert busy + wait == pytest.approx(openmp.region_seconds, rel=0.05)
