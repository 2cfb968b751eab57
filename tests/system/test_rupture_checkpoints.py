"""Runs of ww-rupture that are killed, and go on."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.kernel_programs import refusal
from tests.rupture_runs import SMALL_FAULT, STATIONS, points_file, run
from tests.support import MpiLibrary, cases, environment

LONG = [*SMALL_FAULT, "--order=3", "--end=6", "--every=0.1"]
WRITTEN = ["f.csv", "f.bin", "f.xdmf", "traces.csv", "stations-seen.csv", "s.bin", "s.xdmf"]


def observed(directory: Path) -> list[str]:
    """Options, with relative names: runs in different directories are alike."""
    points_file(directory / "points.csv", [(-5000, 900, -4000), (3000, -700, -0.05)])
    points_file(directory / "stations.csv", STATIONS)
    return [
        *("--receivers=points.csv", "--traces=traces.csv", "--fault-receivers=stations.csv"),
        *("--fault-traces=stations-seen.csv", "--sample-every=0.03", "--fault=f.csv"),
        *("--snapshots=s.xdmf", "--snapshots-every=0.5", "--checkpoint=ck", "--json=j.json"),
    ]


def descendants(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [int(word) for t in tasks for word in (t / "children").read_text().split()]
    except OSError:
        return []
    return [*children, *(descendant for child in children for descendant in descendants(child))]


def kill_after_checkpoints(
    process: subprocess.Popen[bytes], file: Path, count: int, wait: float
) -> bool:
    """Kills a rank, or all of them, at once; False if the run ends before."""

    def stamp() -> int:
        return file.stat().st_mtime_ns if file.exists() else 0

    last, end = stamp(), time.monotonic() + 200
    while count and process.poll() is None and time.monotonic() < end:
        now = stamp()
        count -= now != last
        last = now
        time.sleep(0.0005)
    time.sleep(wait)
    while process.poll() is None:
        ranks = [rank for rank in descendants(process.pid) if is_rank(rank)]
        for pid in ranks:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if ranks:
            break
    return process.wait(200) != 0


def is_rank(pid: int) -> bool:
    try:
        return b"ww-rupture" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
    except OSError:
        return False


@pytest.mark.parametrize("ranks", cases([2], long=[1]))
def test_a_run_that_is_killed_again_and_again_ends_as_one_that_is_not(
    openmpi: MpiLibrary, tmp_path: Path, ranks: int
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    command = [*openmpi.command(ranks, openmpi.program("ww-rupture")), *LONG]
    how: dict[str, Any] = {
        "env": environment({"OMP_NUM_THREADS": "1"}),
        "stdout": subprocess.DEVNULL,
    }
    for directory in (whole, killed):
        directory.mkdir()
    subprocess.run([*command, *observed(whole)], cwd=whole, check=True, timeout=120, **how)

    chance = random.Random(ranks)
    options = observed(killed)
    kills = 0
    for attempt in range(20):
        resumed = ["--restart=ck"] if (killed / "ck").exists() else []
        with subprocess.Popen(
            [*command, *options, *resumed], cwd=killed, stderr=subprocess.DEVNULL, **how
        ) as process:
            count = chance.randint(0, 12) if attempt < 6 else 10**9
            if not kill_after_checkpoints(process, killed / "ck", count, chance.uniform(0, 0.02)):
                break
            kills += 1

    assert kills >= 3
    for name in WRITTEN:
        assert (killed / name).read_bytes() == (whole / name).read_bytes(), name
    [unbroken, restarted] = (
        json.loads((directory / "j.json").read_text())["details"] for directory in (whole, killed)
    )
    for name in ("energies", "arrivals", "outputs"):
        assert unbroken[name] == restarted[name]
    assert unbroken["restarted_s"] == 0
    assert restarted["restarted_s"] > 0


def test_a_semaphore_that_a_killed_run_left_stops_no_other(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    """Open MPI names it after the file that the run was opening (its component sharedfp/sm)."""
    checkpoint = tmp_path / f"ck-{os.getpid()}"
    left = f"/OMPIO_{checkpoint.name}.new".encode()
    assert ctypes.CDLL(None).sem_open(left, os.O_CREAT, 0o600, ctypes.c_uint(0))

    try:
        run(openmpi, tmp_path, *SMALL_FAULT, f"--checkpoint={checkpoint}", ranks=2)
    finally:
        ctypes.CDLL(None).sem_unlink(left)

    assert checkpoint.exists()


def went_on(mpi: MpiLibrary, directory: Path, program: Path | None = None) -> list[list[Any]]:
    """Energies and the fault of a run, and of one that went on from a checkpoint in its middle."""
    case = [*SMALL_FAULT, "--every=0.25", f"--fault={directory}/f.csv"]
    half = [*case, "--end=0.5", f"--checkpoint={directory}/ck"]

    def end(*options: str) -> list[Any]:
        sample = run(mpi, directory, *case, *options, program=program)
        return [sample["details"]["energies"], (directory / "f.csv").read_bytes()]

    whole = end()
    run(mpi, directory, *half, program=program)
    return [whole, end(f"--restart={directory}/ck")]


def test_a_run_goes_on_to_the_last_bit(openmpi: MpiLibrary, tmp_path: Path) -> None:
    whole, resumed = went_on(openmpi, tmp_path)
    assert whole == resumed


def test_a_checkpoint_of_another_run_is_refused(openmpi: MpiLibrary, tmp_path: Path) -> None:
    file = tmp_path / "ck"
    run(openmpi, tmp_path, *SMALL_FAULT, "--checkpoint-every=0.5", f"--checkpoint={file}", ranks=2)

    def output(*options: str, ranks: int = 2) -> str:
        more = ["--end=2", f"--restart={file}"]
        return refusal(openmpi, "ww-rupture", ranks, *SMALL_FAULT, *more, *options)

    whole = file.read_bytes()
    assert output("--order=3") == f"'{file}' is of a run with order 2, and this one has 3"
    assert "with precision fp64, and this one has fp32" in output("--precision=fp32")
    assert "with ranks 2, and this one has 1" in output(ranks=1)
    assert "with cells 3696, and this one has" in output("--spacing=1500")
    assert "with mesh " in output("--growth=2.05")
    assert "with --every 0.5, and this one has 0.25" in output("--every=0.25")
    assert "with case tpv33, and this one has tpv5" in output("--case=tpv5")
    assert "stands at 1 s, and the run is to end at 1 s" in output("--end=1")
    file.write_bytes(whole[:-1])
    assert "is not as long as it says" in output()
    file.write_bytes(b"{" + whole[1:])
    assert "is not a checkpoint: give a file that --checkpoint wrote" in output()
    file.unlink()
    assert f"cannot read '{file}'" in output()


def test_a_restart_goes_on_further_and_needs_its_files(openmpi: MpiLibrary, tmp_path: Path) -> None:
    points = points_file(tmp_path / "points.csv", [(0, 500, -500)])
    traces = tmp_path / "traces.csv"
    files = [f"--receivers={points}", f"--traces={traces}", f"--snapshots={tmp_path}/s.xdmf"]
    saved = [f"--checkpoint={tmp_path}/ck", f"--restart={tmp_path}/ck"]
    run(openmpi, tmp_path, *SMALL_FAULT, *files, saved[0])
    kept = (tmp_path / "s.bin").read_bytes()

    longer = run(openmpi, tmp_path, *SMALL_FAULT, "--end=1.5", *files, *saved)

    assert longer["details"]["restarted_s"] == pytest.approx(1)
    assert [energy["time_s"] for energy in longer["details"]["energies"]] == pytest.approx(
        [0.5, 1, 1.5]
    )
    assert (tmp_path / "s.bin").read_bytes()[: len(kept)] == kept
    arguments = [*SMALL_FAULT, "--end=2.5", *files, saved[1]]
    (tmp_path / "s.bin").write_bytes(kept[:-1])
    assert "has fewer snapshots than the checkpoint says" in refusal(
        openmpi, "ww-rupture", 1, *arguments
    )
    traces.write_text("time_s\n", encoding="utf-8")
    assert "is not there or shorter than the" in refusal(openmpi, "ww-rupture", 1, *arguments)
