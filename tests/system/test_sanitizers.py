"""Native rooms under the address and undefined-behaviour sanitizers: readers, schedules, tables."""

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


def test_no_damage_makes_the_readers_crash_or_pass_in_silence(tmp_path: Path) -> None:
    cmake("--preset", "asan")
    cmake("--build", "--preset", "asan", "--target", "trace_mutations")

    program = ROOT / "build" / "asan" / "tests" / "native" / "trace_mutations"
    done = subprocess.run(
        [str(program), str(tmp_path)], capture_output=True, text=True, check=False, timeout=300
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_requests_have_the_smallest_free_numbers_and_keep_them() -> None:
    cmake("--preset", "asan")
    cmake("--build", "--preset", "asan", "--target", "request_slots")

    program = ROOT / "build" / "asan" / "tests" / "native" / "request_slots"
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=300)

    assert done.returncode == 0, done.stdout + done.stderr
