"""Programs that end badly: their exit code is passed on, and what was measured is kept."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support import BIN, MpiLibrary, Waywiser, environment, executable
from tests.system.conftest import Build
from waywiser.native._native import merge_states

pytestmark = pytest.mark.in_turn

PATIENCE_S = 200


def _processes_of(program: Path) -> list[int]:
    """Processes whose command line names `program`."""
    processes = []
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            words = (directory / "cmdline").read_bytes()
        except OSError:
            continue
        if os.fsencode(program) in words:
            processes.append(int(directory.name))
    return processes


def _end(program: Path, number: signal.Signals) -> None:
    for pid in _processes_of(program):
        with suppress(ProcessLookupError):  # the launcher may have been faster
            os.kill(pid, number)


def _soon(condition: Callable[[], bool]) -> bool:
    """True if the condition holds within a time that is long even on a busy machine."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def _nobody_left(program: Path) -> bool:
    return _soon(lambda: not _processes_of(program))


@pytest.mark.parametrize(
    ("deed", "says"),
    [
        ("killed", "rank 1 ended outside MPI (killed"),
        ("crash", "rank 1 ended outside MPI (killed"),
        ("abort", "rank 1 called MPI_Abort"),
        ("exit-early", "rank 1 ended outside MPI by exit, without MPI_Finalize"),
    ],
)
def test_end_of_one_rank(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, deed: str, says: str
) -> None:
    program = build(mpi, "actor.c")
    bare = mpi.run(2, program, deed, check=False)

    done = waywiser.profile(mpi.command(2, program, deed))

    assert done.returncode != 0
    if mpi.name == "openmpi" or deed in (
        "killed",
        "abort",
    ):  # else Hydra's is the first it hears of
        assert done.returncode == bare.returncode % 256
    document = waywiser.show("run", "--per-rank")
    assert document["status"] == "partial"
    assert any(says in sentence for sentence in document["lost"]), document["lost"]
    for rank in document["per_rank"]:
        assert rank["functions"]["MPI_Sendrecv"]["calls"] == 1
        assert rank["wall_seconds"] > rank["init_seconds"] > 0
    assert document["matrix"]["bytes"] == [[0, 1, 4], [1, 0, 4]]
    assert _nobody_left(program)


def _exchanges(state: Path) -> int:
    """MPI_Sendrecv that the ranks of a run have done so far."""
    profile = merge_states([str(path) for path in state.glob("*.state")], False)
    functions = (f for rank in profile.ranks for thread in rank.threads for f in thread.functions)
    return sum(f.load.calls for f in functions if f.name == "MPI_Sendrecv")


@contextmanager
def _waiting(
    command: Sequence[str | Path], directory: Path, program: Path
) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A profiled program whose rank 0 waits in MPI_Barrier and whose rank 1 sleeps; and the
    directory of its live state."""
    process = subprocess.Popen(
        [
            BIN / "waywiser",
            "profile",
            "-o",
            "run",
            "--",
            *command,
        ],
        cwd=directory,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    state = Path()
    try:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(1)  # until rank 0 is in the barrier
        state = Path(json.loads((directory / "run" / "run.json").read_text())["state_directory"])
        assert _soon(lambda: _exchanges(state) == 2)
        yield process, state
        process.communicate(timeout=PATIENCE_S)
        assert _nobody_left(program)
    finally:
        _end(program, signal.SIGKILL)
        process.communicate()
        if state.name.startswith("waywiser-"):
            shutil.rmtree(state, ignore_errors=True)


def _check_kept(document: dict[str, Any]) -> None:
    assert document["status"] == "partial"
    assert document["functions"]["MPI_Sendrecv"]["calls"] == 2
    assert any("rank 0 ended inside MPI_Barrier" in sentence for sentence in document["lost"])
    assert any("rank 1 ended outside MPI" in sentence for sentence in document["lost"])


@pytest.mark.parametrize(
    ("number", "to_all"),
    [(signal.SIGINT, False), (signal.SIGINT, True), (signal.SIGTERM, False)],
    ids=["SIGINT", "SIGINT-to-the-group", "SIGTERM"],
)
def test_interruption(
    mpi: MpiLibrary,
    waywiser: Waywiser,
    build: Build,
    tmp_path: Path,
    number: signal.Signals,
    to_all: bool,
) -> None:
    program = build(mpi, "actor.c")

    with _waiting(mpi.command(2, program, "wait", "barrier"), tmp_path, program) as (
        process,
        state,
    ):
        (os.killpg if to_all else os.kill)(process.pid, number)
        process.wait(PATIENCE_S)
        assert not state.exists()

    assert process.returncode != 0
    assert (
        process.returncode == json.loads((tmp_path / "run" / "run.json").read_text())["exit_code"]
    )
    _check_kept(waywiser.show())


def test_a_launcher_that_returns_0_when_interrupted(
    waywiser: Waywiser, build: Build, tmp_path: Path, mpich: MpiLibrary
) -> None:
    """Hydra returns 0 at times when two signals come at once; the run still counts as failed."""
    program = build(mpich, "actor.c")
    real, *arguments = mpich.command(2, program, "wait", "barrier")
    launcher = executable(
        tmp_path / "mpiexec",
        f"#!/bin/sh\ntrap 'kill -TERM $!; wait; exit 0' INT\n{real} \"$@\" &\nwait\n",
    )

    with _waiting([launcher, *arguments], tmp_path, program) as (process, _):
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_S)

    assert process.returncode == 128 + signal.SIGINT
    written = json.loads((tmp_path / "run" / "run.json").read_text())
    assert written["exit_code"] == 128 + signal.SIGINT
    _check_kept(waywiser.show())


def test_waywiser_is_killed(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, tmp_path: Path
) -> None:
    """The run is readable as partial, from what the ranks have in memory."""
    program = build(mpi, "actor.c")

    with _waiting(mpi.command(2, program, "wait", "barrier"), tmp_path, program) as (process, _):
        process.kill()
        process.wait()
        assert json.loads((tmp_path / "run" / "run.json").read_text())["status"] == "running"
        document = waywiser.show()
        _end(program, signal.SIGTERM)

    _check_kept(document)
    assert any("waywiser was killed" in sentence for sentence in document["lost"])
    run = tmp_path / "run"
    assert _soon(lambda: not list(run.glob("parts/*.copy")))
    # The ranks have ended now: what reads the run makes it permanent, outside of node memory.
    for document in (waywiser.show(), waywiser.show()):
        _check_kept(document)
        assert any("exit code and the rest" in sentence for sentence in document["lost"])
    assert json.loads((run / "run.json").read_text())["status"] == "partial"
    assert sorted(path.name for path in run.iterdir()) == [
        "profile.ww",
        "run.json",
        "stderr",
        "stdout",
    ]


def test_a_signal_becomes_the_exit_code_of_a_shell(waywiser: Waywiser) -> None:
    """A command without a launcher ends by the signal itself."""
    done = waywiser.profile(["sh", "-c", "kill -TERM $$"])

    assert done.returncode == 128 + signal.SIGTERM


def test_the_output_cannot_be_written(waywiser: Waywiser, openmpi: MpiLibrary) -> None:
    waywiser.profile(openmpi.command(1, openmpi.program("ww-minife"), "--nx", "4"))

    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [BIN / "waywiser", "show", "run"],
            cwd=waywiser.directory,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=200,
        )

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr


def test_a_killed_rank_leaves_its_profile_where_pages_are_large(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    """A rank's state is mapped from within a page, and from the node's memory alone."""
    large_pages = build(openmpi, "large_pages.c", "-shared", "-fPIC")

    waywiser.profile(
        openmpi.command(2, build(openmpi, "actor.c"), "killed"),
        env={"LD_PRELOAD": str(large_pages)},
    )

    document = waywiser.show("run", "--per-rank")
    assert document["status"] == "partial"
    assert [rank["functions"]["MPI_Sendrecv"]["calls"] for rank in document["per_rank"]] == [1, 1]
