"""A program does under the profiler what it does without."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support import BIN, MpiLibrary, Waywiser, environment
from tests.system.conftest import PROGRAMS, Build, ProfileOf, profile_bytes

pytestmark = [pytest.mark.every_mpi, pytest.mark.in_turn]


def every_byte(blocks: int) -> bytes:
    """Output of `actor every-byte BLOCKS`."""
    return bytes(range(256)) * blocks + b"no newline at the end"


def test_output_is_the_same_byte_for_byte(mpi: MpiLibrary, build: Build, tmp_path: Path) -> None:
    done = profile_bytes(mpi.command(2, build(mpi, "actor.c"), "every-byte", "4000"), tmp_path)

    assert done.returncode == 0, done.stderr
    assert done.stdout == every_byte(4000)
    assert (tmp_path / "run" / "stdout").read_bytes() == done.stdout


def test_a_slow_reader_gets_all_output(openmpi: MpiLibrary, build: Build, tmp_path: Path) -> None:
    """The program ends long before its output is read; the pipes hold 64 KiB each."""
    command = openmpi.command(1, build(openmpi, "actor.c"), "every-byte", "400")
    with subprocess.Popen(
        [BIN / "waywiser", "profile", "-o", "run", "--", *command],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(6.5)
        assert process.stdout.read() == every_byte(400)


def test_input_reaches_the_program(mpi: MpiLibrary, build: Build, tmp_path: Path) -> None:
    command = mpi.command(2, build(mpi, "actor.c"), "copy-input")

    done = profile_bytes(command, tmp_path, stdin=b"a line\n")

    assert done.stdout == b"read a line\n"


@pytest.mark.parametrize("code", [3, 255])
def test_exit_code_is_passed_on(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, code: int
) -> None:
    done = waywiser.profile(mpi.command(2, build(mpi, "actor.c"), "code", str(code)))

    assert done.returncode == code
    document = waywiser.show()
    assert document["functions"]["MPI_Sendrecv"]["calls"] == 2
    assert document["exit_code"] == code
    # Before it, perhaps: the other rank, which Open MPI's launcher ends within its MPI_Finalize.
    *lost, sentence = document["lost"]
    assert sentence == f"the program ended with exit code {code}"
    assert document["status"] == ("partial" if lost else "complete")
    shown = waywiser.here("show", "run").stdout.splitlines()[0]
    assert shown.endswith(f"· {document['status']}, failed (exit code {code})")
    data = f"({document['status']}, failed with exit code {code})"
    assert f"profiled {document['ranks']} ranks {data}" in done.stderr


def test_signal_after_the_end_of_mpi(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    program = build(mpi, "actor.c")
    bare = mpi.run(2, program, "signal", check=False)

    done = waywiser.profile(mpi.command(2, program, "signal"))

    assert done.returncode == bare.returncode % 256 != 0
    assert waywiser.show()["functions"]["MPI_Sendrecv"]["calls"] == 2


def test_profiler_is_not_in_the_environment(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    done = waywiser.profile(mpi.command(2, build(mpi, "actor.c"), "environment"))

    assert done.stdout == "child clean clean\n"


def test_children_do_not_disturb(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    """A fork that ends by exit(), in a program that has changed its directory."""
    done = waywiser.profile(mpi.command(2, build(mpi, "actor.c"), "have-child"))

    assert done.stdout == 2 * "child ended with 7\n"
    document = waywiser.show()
    assert (document["status"], document["lost"]) == ("complete", [])
    assert document["functions"]["MPI_Finalize"]["calls"] == 2


def test_descriptors_of_the_program_are_its_own(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, tmp_path: Path
) -> None:
    done = waywiser.profiles(
        mpi.command(1, build(mpi, "actor.c"), "own-descriptors", str(tmp_path / "own"))
    )

    assert done.stdout == "my file is as I wrote it\n"
    assert (tmp_path / "own").read_text() == "mine"
    assert waywiser.show()["functions"]["MPI_Initialized"]["calls"] == 61


def test_failed_calls_are_counted_and_carry_nothing(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    bare = mpi.run(2, build(mpi, "actor.c"), "wrong-calls")

    done = waywiser.profiles(mpi.command(2, build(mpi, "actor.c"), "wrong-calls"))

    assert done.stdout == bare.stdout
    functions = waywiser.show()["functions"]
    assert functions["MPI_Send"]["calls"] == 6
    for name in ("MPI_Send", "MPI_Bcast", "MPI_Isend"):
        assert functions[name]["bytes"] == functions[name]["receive_bytes"] == 0


def test_calls_before_init_and_after_finalize(mpi: MpiLibrary, profile_of: ProfileOf) -> None:
    document = profile_of(mpi, "actor.c", 2, "early")

    assert document["status"] == "complete"
    assert document["functions"]["MPI_Initialized"]["calls"] == 2
    assert document["functions"]["MPI_Finalized"]["calls"] == 2


def test_exceptions_pass_through(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    """Calls after one that was left by an exception are recorded as usual."""
    program = build(mpi, "throwing.cpp")
    bare = mpi.run(1, program)

    done = waywiser.profiles(mpi.command(1, program))

    assert done.stdout == bare.stdout == "caught 3\n"
    assert waywiser.show()["functions"]["MPI_Allreduce"]["calls"] == 5


def test_another_tool_is_kept(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, tmp_path: Path
) -> None:
    """The user's own preload sees its calls, and the program sees the user's setting."""
    tool = mpi.build(PROGRAMS / "other_tool.c", tmp_path / "libother.so", "-shared", "-fPIC")
    launcher, n, ranks, *program = mpi.command(2, build(mpi, "actor.c"), "environment")
    setting = ["-x", f"LD_PRELOAD={tool}"]
    if mpi.name != "openmpi":
        setting = ["-env", "LD_PRELOAD", str(tool)]

    done = waywiser.profiles([launcher, n, ranks, *setting, *program])

    assert done.stdout.count("the other tool saw 1") == 2
    assert f"LD_PRELOAD={tool}" in done.stdout
    assert f"child {tool} clean" in done.stdout
    assert waywiser.show()["functions"]["MPI_Sendrecv"]["calls"] == 2
