"""A verb in a process of its own, with what it took."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.forked import instead_of_starting

MOST_BYTES = 1 << 30
MOST_SECONDS = 10.0


@dataclass(frozen=True)
class Took:
    code: int
    output: str
    seconds: float
    """Processor time, which a busy machine changes little."""

    peak_bytes: int


def measured(argv: Sequence[str | Path], directory: Path) -> Took:
    """Runs `waywiser ARGV`; its peak has what this process has taken so far."""
    output, status_file = directory / "said", directory / "status"
    words = [*map(str, argv)]

    def keep_peak() -> None:
        # The kernel's metric of a process that was waited for has this process's own peak in it.
        status_file.write_text(Path("/proc/self/status").read_text(encoding="utf-8"))

    with output.open("wb") as message:
        process = subprocess.Popen(
            ["waywiser", *words],
            stdout=message,
            stderr=message,
            cwd=directory,
            preexec_fn=instead_of_starting(words, os.environ, keep_peak),
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
    assert "Traceback" not in took.output, took.output


def assert_refused(took: Took, *says: str) -> None:
    """Asserts a refusal in one sentence, with exit code 2, within the bounds."""
    assert_bounded(took)
    assert took.code == 2, took.output
    assert took.output.startswith("waywiser: "), took.output
    assert took.output.count("\n") == 1, took.output
    for words in says:
        assert words in took.output
