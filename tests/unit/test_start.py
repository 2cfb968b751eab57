"""What starting the command takes from the machine."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os
from waywiser.cli.main import parser
parser(["show"])
print(len(os.listdir("/proc/self/task")), os.environ.get("OPENBLAS_NUM_THREADS"))
"""


@pytest.mark.parametrize(("asked", "threads"), [(None, 1), ("3", 3)])
def test_no_threads_are_started_that_nobody_asked_for(asked: str | None, threads: int) -> None:
    """And a program that is started gets the environment as it was."""
    kept = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    environment = kept | ({} if asked is None else {"OPENBLAS_NUM_THREADS": asked})

    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True, env=environment
    )

    assert run.stdout.split() == [str(min(threads, os.cpu_count() or 1)), str(asked)]


def test_starting_a_program_waits_for_no_numbers() -> None:
    """NumPy takes a quarter of the time in which `profile` starts."""
    script = (
        "from waywiser.cli.main import parser; parser(['profile']); import sys; print(*sys.modules)"
    )

    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)

    assert "waywiser.measure.profiled" in run.stdout.split()
    assert "numpy" not in run.stdout.split()
