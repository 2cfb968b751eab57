"""Native rooms under the address and undefined-behaviour sanitizers: readers, schedules."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.support import BIN, ROOT


def cmake(*arguments: str) -> None:
    done = subprocess.run(
        [str(BIN / "cmake"), *arguments],
        cwd=ROOT,
        env=os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_schedules_do_what_their_collectives_promise() -> None:
    cmake("--preset", "asan")
    cmake("--build", "--preset", "asan", "--target", "collective_schedules")

    program = ROOT / "build" / "asan" / "tests" / "native" / "collective_schedules"
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=300)

    assert done.returncode == 0, done.stdout + done.stderr


def test_a_timeline_holds_every_nanosecond_and_the_longest_calls(tmp_path: Path) -> None:
    cmake("--preset", "asan")
    cmake("--build", "--preset", "asan", "--target", "timeline_levels")

    program = ROOT / "build" / "asan" / "tests" / "native" / "timeline_levels"
    done = subprocess.run(
        [program, tmp_path], capture_output=True, text=True, check=False, timeout=300
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_no_damage_makes_the_readers_crash_or_pass_in_silence(tmp_path: Path) -> None:
    cmake("--preset", "asan")
    cmake("--build", "--preset", "asan", "--target", "trace_mutations")

    program = ROOT / "build" / "asan" / "tests" / "native" / "trace_mutations"
    done = subprocess.run(
        [str(program), str(tmp_path)], capture_output=True, text=True, check=False, timeout=300
    )

    assert done.returncode == 0, done.stdout + done.stderr
