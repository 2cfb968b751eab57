"""Programs that fork, spawn, change their root, make many objects: as without the profiler."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest

from tests.support import MpiLibrary, Waywiser, captured, cases
from tests.system.conftest import Build
from tests.system.test_bad_ends import _waiting

pytestmark = pytest.mark.in_turn


def without_numbers(output: str) -> str:
    """Hydra names the process that ended badly."""
    return re.sub(r"PID \d+", "PID", output)


def without_ucx(output: str) -> str:
    """UCX complains on stdout, without the profiler too, when a process ends before another has
    looked at its memory."""
    return "".join(line for line in output.splitlines(keepends=True) if " UCX " not in line)


ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="chroot needs root")


@pytest.mark.parametrize(
    ("deed", "ranks", "messages"),
    [
        ("fork", 2, 6),
        ("programs", 2, 4),
        ("children", 2, 2),
        pytest.param("chroot", 2, 4, marks=ROOT_ONLY),
    ],
)
def test_it_behaves_as_without(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, deed: str, ranks: int, messages: int
) -> None:
    program = build(mpi, "odd.c")
    compare(waywiser, mpi.command(ranks, program, deed), ranks, messages)


def test_all_descriptors_may_be_closed(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    """The program runs without a launcher: Hydra may kill a process that has hung up."""
    compare(waywiser, [str(build(mpi, "odd.c")), "close-all"], ranks=1, messages=1)


def compare(waywiser: Waywiser, command: list[str], ranks: int, messages: int) -> None:
    """Runs a command bare and profiled: the same output and end, and a whole profile."""
    bare = captured(command)

    done = waywiser.profile(command)

    assert done.returncode == bare.returncode
    assert without_numbers(done.stdout) == without_numbers(bare.stdout)
    document = waywiser.show()
    assert document["functions"]["MPI_Sendrecv"]["calls"] == messages
    assert document["functions"]["MPI_Finalize"]["calls"] == ranks
    ended_well = [f"the program ended with exit code {bare.returncode}"] if bare.returncode else []
    assert document["lost"] == ended_well


def test_a_spawned_world_is_named(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    program = build(mpi, "odd.c")
    settings = {"OMPI_MCA_btl": "self,tcp"}  # sm does not join two worlds
    bare = mpi.run(1, program, "spawn-world", env=settings)

    done = waywiser.profile(mpi.command(1, program, "spawn-world"), env=settings)

    assert done.returncode == bare.returncode, done.stderr
    assert without_ucx(done.stdout) == without_ucx(bare.stdout) == "spawned a world\n"
    document = waywiser.show()
    assert document["status"] == "complete"
    assert document["ranks"] == 1
    assert document["functions"]["MPI_Send"]["calls"] == 2
    assert document["lost"] == [
        "2 messages with 8 bytes went to processes outside MPI_COMM_WORLD; "
        "the matrix leaves them out",
        "the processes that MPI_Comm_spawn started are not profiled",
    ]


@pytest.mark.parametrize(
    "case",
    cases(
        [("communicators", 20_000), ("requests", 200_000)],
        long=[("communicators", 1_000_000), ("requests", 10_000_000)],
    ),
    ids=str,
)
def test_memory_is_bounded(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, case: tuple[str, int]
) -> None:
    """The second half of `n` objects costs no memory that it would not cost without us."""

    def growth_kilobytes(output: str) -> int:
        match = re.fullmatch(r"grew by (-?\d+) kB\n", output)
        assert match, output
        return int(match[1])

    deed, n = case
    program = build(mpi, "odd.c")
    bare = mpi.run(1, program, deed, str(n), timeout=600)
    done = waywiser.profiles(mpi.command(1, program, deed, str(n)), timeout=600)

    assert growth_kilobytes(done.stdout) < max(0, growth_kilobytes(bare.stdout)) + 1024
    functions = waywiser.show()["functions"]
    if deed == "communicators":
        assert functions["MPI_Comm_free"]["calls"] == n
        assert functions["MPI_Bcast"]["calls"] == n
    else:
        assert functions["MPI_Isend"]["calls"] == n // 4
        assert functions["MPI_Startall"]["bytes"] == 4 * (n // 4)
        assert functions["MPI_Request_free"]["calls"] == n // 2
    assert waywiser.show()["lost"] == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_collector_is_not_needed(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build, tmp_path: Path, number: signal.Signals
) -> None:
    """States are read from memory if the collector is killed; told to end, it copies and stays."""
    program = build(openmpi, "actor.c")

    command = openmpi.command(2, program, "wait", "barrier")
    with _waiting(command, tmp_path, program) as (process, state):
        (copy,) = (tmp_path / "run" / "parts").glob("*.copy")
        modified = copy.stat().st_mtime_ns
        collector = _collector_of(state)
        os.kill(collector, number)
        time.sleep(1)
        if number == signal.SIGTERM:
            assert copy.stat().st_mtime_ns > modified
            assert _collector_of(state) == collector
        process.send_signal(signal.SIGTERM)
        process.wait(30)

    assert waywiser.show()["functions"]["MPI_Sendrecv"]["calls"] == 2


def _collector_of(state: Path) -> int:
    processes = []
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            words = (directory / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[:2] == [b"ww-collector", os.fsencode(state)]:
            processes.append(int(directory.name))
    (collector,) = processes
    return collector
