"""A verb in a process of its own, with what it took."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MOST_BYTES = 1 << 30
MOST_SECONDS = 10.0


@dataclass(frozen=True)
class Took:
    code: int
    said: str
    seconds: float
    """Of the processor: a busy machine changes it little."""

    peak_bytes: int


PEAK = """
import pathlib, sys
from waywiser.cli.main import main
try:
    code = main(sys.argv[2:])
finally:
    pathlib.Path(sys.argv[1]).write_text(pathlib.Path("/proc/self/status").read_text())
sys.exit(code)
"""
"""The kernel's own figure of a process that was waited for has that of the test's process in it."""


def measured(argv: Sequence[str | Path], folder: Path) -> Took:
    """Runs `waywiser ARGV`."""
    output, status_file = folder / "said", folder / "status"
    with output.open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-c", PEAK, status_file, *map(str, argv)],
            stdout=said,
            stderr=said,
            cwd=folder,
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    text = output.read_text(encoding="utf-8", errors="replace")
    assert status_file.exists(), text
    [kilobytes] = re.findall(r"VmHWM:\s*(\d+) kB", status_file.read_text(encoding="utf-8"))
    return Took(process.returncode, text, usage.ru_utime + usage.ru_stime, int(kilobytes) * 1024)


def assert_bounded(took: Took) -> None:
    assert took.seconds < MOST_SECONDS
    assert took.peak_bytes < MOST_BYTES
    assert "Traceback" not in took.said, took.said


def assert_refused(took: Took, *says: str) -> None:
    """In one sentence, by exit code 2, within the bounds."""
    assert_bounded(took)
    assert took.code == 2, took.said
    assert took.said.startswith("waywiser: "), took.said
    assert took.said.count("\n") == 1, took.said
    for words in says:
        assert words in took.said
