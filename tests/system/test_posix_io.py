"""Files that the program itself reads and writes, with --posix-io."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support import MpiLibrary, Waywiser, captured
from tests.system.conftest import Build
from waywiser.native._native import Profile, read_profile
from waywiser.store.posix_io import posix_io_of

pytestmark = pytest.mark.in_turn

Counts = dict[str, tuple[int, int]]


def run(
    mpi: MpiLibrary,
    directory: Path,
    program: Path,
    *argv: str,
    options: tuple[str, ...] = ("--posix-io",),
) -> tuple[subprocess.CompletedProcess[str], Profile]:
    done = Waywiser(directory).succeeds(
        "profile", "-o", "run", *options, "--", *mpi.command(1, program, *argv), timeout=200
    )
    return done, read_profile(str(directory / "run" / "profile.ww"))


def counts(profile: Profile) -> Counts:
    """Calls and bytes by function."""
    (rank,) = profile.ranks
    io = posix_io_of(rank)
    if io is None:
        return {}
    return {name: (function.calls, function.bytes) for name, function in io.functions.items()}


CALLS: Counts = {
    "open": (2, 0),
    "creat": (1, 0),
    "openat": (1, 0),
    "write": (10, 10_000),
    "pwrite": (2, 100),
    "writev": (1, 300),
    "fsync": (1, 0),
    "fdatasync": (1, 0),
    "read": (6, 5 * 512),
    "pread": (2, 120),
    "readv": (1, 300),
    "close": (4, 0),
}
STREAMS: Counts = {
    "fopen": (1, 0),
    "fwrite": (3, 600),
    "fputs": (1, 9),
    "fprintf": (1, 9),
    "fflush": (1, 0),
    "fread": (2, 600),
    "fgets": (1, 9),
    "getline": (1, 9),
    "fclose": (1, 0),
}


@pytest.mark.parametrize(("part", "expected"), [("calls", CALLS), ("streams", STREAMS)])
@pytest.mark.parametrize("fortify", ["-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"])
def test_calls_and_bytes_are_the_programs(
    mpi: MpiLibrary, build: Build, tmp_path: Path, fortify: str, part: str, expected: Counts
) -> None:
    program = mpi.build(
        Path(__file__).parent / "programs" / "posix_io.c", tmp_path / "p", fortify, "-fno-builtin"
    )

    _, profile = run(mpi, tmp_path, program, part, "file")

    assert {k: v for k, v in counts(profile).items() if k in expected} == expected
    assert set(counts(profile)) == set(expected)


def test_only_files_count_and_nothing_changes(
    mpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    program = build(mpi, "posix_io.c")
    (tmp_path / "plain").mkdir()

    watched, profile = run(mpi, tmp_path, program, "others", "file")

    plain = captured(mpi.command(1, program, "others", "file"), cwd=tmp_path / "plain", check=True)
    output = (tmp_path / "run" / "stderr").read_text()  # without Waywiser's own sentence
    assert (watched.stdout, output) == (plain.stdout, plain.stderr)
    assert "closed: -1 1" in output
    assert counts(profile) == {"open": (1, 0), "write": (1, 7)}


def test_mpi_io_stays_mpi_time(mpi: MpiLibrary, build: Build, tmp_path: Path) -> None:
    _, profile = run(mpi, tmp_path, build(mpi, "posix_io.c"), "parallel", "file")

    assert counts(profile) == {"open": (1, 0), "read": (1, 300), "close": (1, 0)}
    (rank,) = profile.ranks
    functions = {f.name: f.load for thread in rank.threads for f in thread.functions}
    assert (functions["MPI_File_write_at"].calls, functions["MPI_File_read_at"].calls) == (1, 1)


def test_without_the_option_nothing_is_counted(
    openmpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    _, profile = run(openmpi, tmp_path, build(openmpi, "posix_io.c"), "calls", "file", options=())

    assert counts(profile) == {}


def test_cpp_streams_are_seen_below_them(openmpi: MpiLibrary, tmp_path: Path) -> None:
    source = tmp_path / "streams.cpp"
    source.write_text(
        "#include <mpi.h>\n#include <fstream>\n#include <string>\n"
        "int main(int argc, char** argv) {\n"
        "  MPI_Init(&argc, &argv);\n"
        "  { std::ofstream out(\"file\"); out << std::string(100000, 'x'); }\n"
        '  { std::ifstream in("file"); std::string text; in >> text; if (text.size() != 100000)'
        " return 1; }\n"
        "  MPI_Finalize();\n}\n"
    )

    _, profile = run(openmpi, tmp_path, openmpi.build(source, tmp_path / "streams"))

    seen = counts(profile)
    assert sum(seen.get(name, (0, 0))[1] for name in ("write", "writev")) == 100_000
    assert seen["read"][1] == 100_000
    assert seen["fopen"][0] == 2


def test_fortran_writes_are_seen_below_them(openmpi: MpiLibrary, tmp_path: Path) -> None:
    if shutil.which("gfortran") is None:
        pytest.skip("gfortran is not installed")
    main = tmp_path / "main.c"
    main.write_text(
        "#include <mpi.h>\nvoid files_(void);\n"
        "int main(int argc, char** argv) { MPI_Init(&argc, &argv); files_(); MPI_Finalize(); }\n"
    )
    source, compiled = tmp_path / "files.f90", tmp_path / "files.o"
    source.write_text(
        "subroutine files()\n  character :: x(50000) = 'x'\n"
        "  open(10, file='file', access='stream', form='unformatted')\n"
        "  write(10) x\n  rewind(10)\n  read(10) x\n  close(10)\nend subroutine\n"
    )
    subprocess.run(["gfortran", "-c", source, "-o", compiled], check=True)
    program = openmpi.build(main, tmp_path / "main", str(compiled), "-lgfortran")

    _, profile = run(openmpi, tmp_path, program)

    seen = counts(profile)
    assert seen["write"][1] == 50_000
    assert seen["read"][1] == 50_000
    assert (seen["open"][0], seen["close"][0]) == (1, 1)
