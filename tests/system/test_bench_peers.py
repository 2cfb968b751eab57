"""Facts that benches record on the programs they run: library, version and flags."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench import mpibench as bench
from bench.common import build_of
from tests.support import MpiLibrary


def test_the_bench_takes_its_own_program_by_any_name(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """A symbolic link in another directory, as `make setup` leaves one, loads the same library."""
    program = openmpi.program("ww-mpibench")
    link = tmp_path / "bin" / "ww-mpibench"
    link.parent.mkdir()
    link.symlink_to(program)

    args = bench.parse(["--program", str(link), "--mpirun", "/bin/true", f"--peer=imb={program}"])

    assert args.peer == {"imb": program}
    assert bench.linked_mpi(link) == bench.linked_mpi(program) != "none that is shared"


def test_a_peers_file_tells_its_version_compiler_and_flags(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    source, program = tmp_path / "peer.c", tmp_path / "peer"
    source.write_text(
        "#include <mpi.h>\n#include <stdio.h>\n"
        'int main(void) { puts("peer version 7.5-rc1"); return MPI_Init(0, 0); }\n'
    )
    compiler = str(openmpi.bin / f"mpicc{openmpi.suffix}")
    subprocess.run([compiler, "-g", "-O2", str(source), "-o", str(program)], check=True)

    build = build_of(program)["build"]

    assert build["versions"] == ["peer version 7.5-rc1"]
    assert build["compiler"].startswith("GCC")
    assert "-O2" in build["flags"]
    assert "libmpi" in build["mpi_library"]
    assert len(build["sha256"]) == 64
