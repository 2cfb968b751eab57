"""Runs the tests in three parts, all of them whatever fails; the exit code is 1 if something did.

Tests that start launchers, batch systems and browsers wait for them a third of the time, and fail
where more of them at a time compete for the processors. What they leave over is for the tests that
only compute, beside them at the lowest priority. Last, one by one, come those marked `alone`.

A file's tests stay together, since they share what is costly to start. Times by test are left in
build/log, for `tools/test_times.py`.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_WORKERS = 4
"""Tests start up to eight ranks each."""

STARTING = ["tests/system", "tests/verification"]
COMPUTING = ["tests/fuzz", "tests/native", "tests/unit"]
"""Many small files come last: a large one would leave the other workers idle."""

LOWEST = 19


def with_tests_alone() -> list[str]:
    """Files that have such tests: the others need not be read once more."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(file) for file in files if "mark.alone" in file.read_text(encoding="utf-8")]


def words(name: str, marks: list[str], *options: str) -> list[str]:
    times = f"--junitxml=build/log/tests-{name}.xml"
    return [sys.executable, "-m", "pytest", "-m", " and ".join(marks), times, *options]


def call(command: list[str]) -> bool:
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def give_way() -> None:
    """Called in a process that leads a session: that, where Linux shares processors among
    sessions (autogroups), and the process itself get what nobody else wants."""
    os.nice(LOWEST)
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(LOWEST), encoding="ascii")


@contextlib.contextmanager
def beside(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a command meanwhile, and waits for it; what it says comes then."""
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=give_way,
        ) as process,
    ):
        try:
            yield process
            process.wait()
        except BaseException:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            raise
        finally:
            said.seek(0)
            shutil.copyfileobj(said, sys.stdout.buffer)
            sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="also those that take minutes")
    marks = [] if parser.parse_args().long else ["not long"]
    workers = min(len(os.sched_getaffinity(0)), MOST_WORKERS)
    at_once = ["-n", str(workers), "--dist", "loadfile", "--no-loadscope-reorder"]
    others = [*marks, "not alone"]
    with beside(words("computing", others, *at_once, *COMPUTING)) as computing:
        passed = [call(words("starting", others, *at_once, *STARTING))]
    passed += [computing.returncode == 0]
    passed += [call(words("alone", [*marks, "alone"], *with_tests_alone()))]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
