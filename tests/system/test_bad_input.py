"""Users' errors give one clear sentence and exit code 2, and lose nothing."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support import ALLOWANCES, MpiLibrary, Waywiser, assert_refused, mpi_libraries
from tests.system.conftest import Build, profile_bytes

pytestmark = pytest.mark.in_turn


def test_no_command(waywiser: Waywiser) -> None:
    assert_refused(waywiser("profile"), "no command", "mpirun -n 4 ./app")
    assert_refused(waywiser("profile", "--"), "no command")


def test_no_program(mpi: MpiLibrary, waywiser: Waywiser) -> None:
    assert_refused(waywiser("profile", "--", *mpi.command(2)), "no MPI program in the command")
    assert_refused(
        waywiser("profile", "--", *mpi.command(2, "./absent")), "there is no program ./absent"
    )
    assert not any(waywiser.directory.iterdir())


def test_unknown_launcher(waywiser: Waywiser) -> None:
    assert_refused(waywiser("profile", "--", "aprun", "-n", "2", "./app"), "aprun", "mpirun")
    assert_refused(
        waywiser("profile", "--", "./mpirun", "-n", "2", "./app"), "there is no ./mpirun"
    )


@pytest.mark.parametrize("through", [(), ("env", "A=1"), ("timeout", "60")], ids=" ".join)
def test_program_of_another_library(
    waywiser: Waywiser, build: Build, through: tuple[str, ...]
) -> None:
    for launcher, library in itertools.permutations(mpi_libraries(), 2):
        if launcher.abi == library.abi:
            continue
        program = build(library, "actor.c")
        done = waywiser("profile", "--", *launcher.command(2, *through, program))
        assert_refused(done, f"{program} is linked to", "is the launcher of", "waywiser doctor")


def test_program_of_the_standard_abi(
    openmpi: MpiLibrary, mpich: MpiLibrary, waywiser: Waywiser, tmp_path: Path
) -> None:
    """Open MPI 5 does not start it."""
    program, source = tmp_path / "program", tmp_path / "program.c"
    source.write_text("#include <mpi.h>\nint main(void) { return MPI_Init(0, 0); }\n")
    subprocess.run([mpich.bin / "mpicc_abi", source, "-o", program], check=True)

    done = waywiser("profile", "--", *openmpi.command(2, program))

    assert_refused(done, "is linked to the MPI-5 standard ABI", "launcher of Open MPI 5")


@pytest.mark.parametrize("options", [("-static",), ("-rdynamic",), ()], ids=" ".join)
def test_static_mpi(
    openmpi: MpiLibrary, waywiser: Waywiser, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """MPI from an archive, in a static program and in one that is dynamic but for MPI."""
    source = tmp_path / "static.c"
    source.write_text("int MPI_Init(void) { return 0; }\nint main(void) { return MPI_Init(); }\n")
    program = tmp_path / "static"
    result = subprocess.run(["cc", *options, source, "-o", program], check=False)
    if result.returncode != 0:
        pytest.skip("this machine has no static C library")

    done = waywiser("profile", "--", *openmpi.command(2, program))

    assert_refused(done, "statically linked", "mpicc OBJECTS", "without -static")


def test_run_that_exists(openmpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    (waywiser.directory / "run").mkdir()
    (waywiser.directory / "run" / "precious").write_text("data")

    assert_refused(
        waywiser.profile(openmpi.command(1, build(openmpi, "actor.c"))), "exists already", "-o"
    )
    assert (waywiser.directory / "run" / "precious").read_text() == "data"


def test_run_that_cannot_be_created(openmpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    command = openmpi.command(1, build(openmpi, "actor.c"))
    assert_refused(waywiser.profile(command, "/proc/run"), "/proc/run cannot be made")
    (waywiser.directory / "file").write_text("")
    assert_refused(waywiser.profile(command, "file/run"), "cannot be made")
    assert_refused(waywiser.profile(command, "file"), "file")


@pytest.mark.parametrize("code", [0, 4])
def test_program_that_never_calls_mpi(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, code: int
) -> None:
    done = waywiser.profile(mpi.command(2, build(mpi, "actor.c"), "never", str(code)))

    assert done.returncode == code
    assert "0 MPI calls seen: " in done.stderr
    assert ("never called MPI_Init" if code == 0 else "exit code 4") in done.stderr
    document = waywiser.show()
    assert document["functions"] == {}
    assert any("0 MPI calls seen" in sentence for sentence in document["lost"])


def test_program_without_mpi(openmpi: MpiLibrary, waywiser: Waywiser) -> None:
    done = waywiser.profile(openmpi.command(2, "true"))

    assert done.returncode == 0
    assert "0 MPI calls seen: true is not linked to an MPI library" in done.stderr


def test_tool_within_the_program(mpi: MpiLibrary, waywiser: Waywiser, tmp_path: Path) -> None:
    source = tmp_path / "tool.c"
    source.write_text(
        "#include <mpi.h>\n"
        "int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }\n"
        "int MPI_Finalize(void) { return PMPI_Finalize(); }\n"
        "int main(void) { return MPI_Init(0, 0) || MPI_Finalize(); }\n"
    )

    done = waywiser.profile(mpi.command(1, mpi.build(source, tmp_path / "tool")))

    assert done.returncode == 0
    assert "has an MPI_Init of its own (a tool is linked into it)" in done.stderr


def test_unreadable_runs(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    assert waywiser.profile(mpi.command(2, build(mpi, "actor.c"))).returncode == 0
    directory = waywiser.directory
    assert_refused(waywiser.here("show", "absent"), "absent", "directory not found")
    (directory / "foreign").mkdir()
    assert_refused(waywiser.here("show", "foreign"), "run.json")
    for name, content in {
        "garbage": b"\x00\xff{",
        "other": b'{"status": "running"}',
        "list": b"[1, 2]",
        "empty": b"",
    }.items():
        shutil.copytree(directory / "run", directory / name)
        (directory / name / "run.json").write_bytes(content)
        assert_refused(waywiser.here("show", name), "run.json")
    whole = (directory / "run" / "profile.ww").read_bytes()
    for name, content in {"no-profile": b"not one", "nothing": b""}.items():
        shutil.copytree(directory / "run", directory / name)
        (directory / name / "profile.ww").write_bytes(content)
        assert_refused(waywiser.here("show", name), "profile.ww")
    shutil.copytree(directory / "run", directory / "cut")
    (directory / "cut" / "profile.ww").write_bytes(whole[:-100])
    document = waywiser.show("cut")
    assert document["status"] == "partial"
    assert any("profile.ww: the file ends" in sentence for sentence in document["lost"])


def test_no_space_left(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    """The run is kept elsewhere, and it is said where; if what its ranks had saved makes room for
    it, which depends on whether they came before the output, in its own place."""
    small = waywiser.directory / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)]
    permitted = os.geteuid() == 0 and shutil.which("mount") is not None
    if not permitted or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a small file system needs root and the right to mount")
    try:
        command = mpi.command(2, build(mpi, "actor.c"), "every-byte", "4000")
        done = profile_bytes(command, waywiser.directory, "small/run")
        output = done.stderr.decode().splitlines()
        assert len(done.stdout) == 4000 * 256 + len("no newline at the end")
        assert any("stdout: No space left" in line for line in output)
        moved = [line.removeprefix("waywiser: ") for line in output if "is kept in" in line]
        place = moved[0].partition("is kept in ")[2].split(" ")[0] if moved else "small/run"
        document = waywiser.show(place)
        if moved:
            assert "No space left on device" in moved[0]
            assert moved[0] in document["lost"]
            assert waywiser.here("show", "small/run").returncode == 2
    finally:
        subprocess.run(["umount", "--lazy", small], check=True)  # a collector may be in it
    if moved:
        shutil.rmtree(place)
    assert document["functions"]["MPI_Sendrecv"]["calls"] == 2
    assert any("stdout: No space left" in sentence for sentence in document["lost"])


@pytest.mark.parametrize(
    ("allowances", "expected"),
    [
        ({}, "--allow-run-as-root"),
        ({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}, "OVERSUBSCRIBE"),
    ],
    ids=["as-root", "too-many-ranks"],
)
def test_missing_allowance_is_named(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build, allowances: dict[str, str], expected: str
) -> None:
    if os.geteuid() != 0 and "root" in expected:
        pytest.skip("only root is refused")
    ranks = 1 + (os.cpu_count() or 1)
    bare = {key: value for key, value in os.environ.items() if key not in ALLOWANCES}
    command = openmpi.command(ranks, build(openmpi, "actor.c"))
    done = profile_bytes(command, waywiser.directory, env=bare | allowances)

    assert done.returncode not in (0, 2)
    output = done.stderr.decode().splitlines()
    (sentence,) = [line for line in output if line.startswith("waywiser: mpirun of")]
    assert expected in sentence
