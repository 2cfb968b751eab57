"""No room in node memory or in the run's directory: the program does not notice."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support import BIN, MpiLibrary, Waywiser, captured
from tests.system.conftest import Build


def _may_mount() -> bool:
    if os.geteuid() != 0:
        return False
    tried = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/dev/shm"]
    return subprocess.run(tried, check=False, capture_output=True).returncode == 0


pytestmark = [
    pytest.mark.skipif(not _may_mount(), reason="mounting a file system needs root"),
    pytest.mark.in_turn,
]


def run_with(mount: str, directory: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a command where `mount`, in mount(8)'s words, holds for it alone."""
    words = ["unshare", "--mount", "sh", "-c", f'mount {mount} && exec "$@"', "sh"]
    return captured([*words, *map(str, command)], cwd=directory)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param("size=4k", id="full"),
        pytest.param("size=16k", id="no-room-for-records"),
        pytest.param("ro", id="not-writable"),
    ],
)
def test_no_room_in_node_memory(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, tmp_path: Path, options: str
) -> None:
    mount = f"-t tmpfs -o {options} none /dev/shm"
    command = mpi.command(1, build(mpi, "actor.c"), "code", "3")
    bare = run_with(mount, tmp_path, *command)

    done = run_with(mount, tmp_path, BIN / "waywiser", "profile", "-o", "run", "--", *command)

    assert done.returncode == bare.returncode
    if bare.returncode != 3:
        assert mpi.name == "mpich", "MPICH alone does not start without /dev/shm"
        return
    assert done.stdout == bare.stdout
    document = waywiser.show()
    assert document["functions"]["MPI_Sendrecv"]["calls"] == 1
    assert document["functions"]["MPI_Finalize"]["calls"] == 1
    assert document["lost"] == ["the program ended with exit code 3"]


def test_no_room_in_the_run(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, tmp_path: Path
) -> None:
    """The states stay in node memory until they are merged."""
    place = tmp_path / "full"
    place.mkdir()
    mount = f"-t tmpfs -o size=48k none {place}"
    # Not a code: a launcher that sees one may kill the other rank before it has ended.
    command = mpi.command(2, build(mpi, "actor.c"), "code", "0")

    # The run is copied out of the mount, which is gone with the last process in it.
    script = '"$@"; code=$?; cp -r full/run out; exit $code'
    profile: list[str | Path] = [BIN / "waywiser", "profile", "-o", "full/run", "--", *command]
    done = run_with(mount, tmp_path, "sh", "-c", script, "sh", *profile)

    assert done.returncode == 0, done.stderr
    # The ranks' copies may fill the place before the run is merged: then it is kept elsewhere.
    moved = [line for line in done.stderr.splitlines() if "is kept in" in line]
    elsewhere = moved[0].partition("is kept in ")[2].split(" ")[0] if moved else ""
    document = waywiser.show(elsewhere or "out")
    assert document["functions"]["MPI_Sendrecv"]["calls"] == 2
    assert document["lost"] == [line.removeprefix("waywiser: ") for line in moved]
    if moved:
        shutil.rmtree(elsewhere)


def test_a_trace_without_room_says_what_it_lost(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, tmp_path: Path
) -> None:
    place = tmp_path / "full"
    place.mkdir()
    times = 60_000
    mount = f"-t tmpfs -o size=512k none {place}"
    command = mpi.command(1, build(mpi, "traced.c"), "many", str(times))
    # The run is copied out of the mount, which is gone with the last process in it.
    script = '"$@"; code=$?; cp -r full/run out; exit $code'
    profile: list[str | Path] = [BIN / "waywiser", "profile", "--trace", "-o", "full/run", "--"]

    done = run_with(mount, tmp_path, "sh", "-c", script, "sh", *profile, *command)

    trace = waywiser.show("out")["trace"]
    assert trace["lost_calls"] == trace["dropped_calls"] > times
    assert trace["calls"] + trace["lost_calls"] == 4 * times + 3
    sentence = f"the trace: {trace['lost_calls']} calls are missing: "
    assert f"waywiser: {sentence}" in done.stderr
    assert "No space left on device" in done.stderr
    assert "make room or choose another directory (-o)" in done.stderr
    lost = waywiser.show("out")["lost"]
    assert any(line.startswith(sentence) and "No space left" in line for line in lost)
