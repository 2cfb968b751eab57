"""Runs the tests in three parts, all of them even if one fails; the exit code is then 1.

Tests that start launchers, batch systems and browsers wait for them a third of the time, so that
one more of them runs than there are processors. Tests that only compute run in parallel with them
at a low priority, one for each processor. Tests marked `alone` come last, one by one.

A file's tests stay together, since they share costly fixtures. Times by test are written to
build/log, for `tools/test_times.py`. A run that is stopped by SIGINT or SIGTERM reports failures,
and leaves no process behind.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
MOST_WORKERS = 4
"""Largest number of processors that count, as tests start up to eight ranks each."""

STARTING = ["tests/system", "tests/verification"]
COMPUTING = ["tests/fuzz", "tests/native", "tests/unit"]
"""Directories in this order, as many small files come last: with a large file at the end, the other
workers would be idle."""

BY_FILE = ["--dist", "loadfile", "--no-loadscope-reorder"]

LOWER_PRIORITY = 5
"""Niceness of tests that compute; more would leave them no time on a busy machine."""

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
MOST_SECONDS_TO_END = 300
"""On a busy machine, pytest takes more than a minute to report what had failed."""


def with_tests_alone() -> list[str]:
    """Files with tests marked `alone`; pytest need not collect the others again."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(file) for file in files if "mark.alone" in file.read_text(encoding="utf-8")]


def words(name: str, marks: list[str], *options: str) -> list[str]:
    times = f"--junitxml=build/log/tests-{name}.xml"
    return [sys.executable, "-m", "pytest", "-m", " and ".join(marks), times, *options]


def at_once(workers: int) -> list[str]:
    """Options for the number of workers. A single worker is pytest itself, since each other process
    collects and imports all tests again."""
    return ["-n", str(workers), *BY_FILE] if workers > 1 else []


def lower_priority() -> None:
    """Lower the priority of the calling session leader: of the process and, where Linux shares
    processors among sessions (autogroups), of its session."""
    os.nice(LOWER_PRIORITY)
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(LOWER_PRIORITY), encoding="ascii")


@contextlib.contextmanager
def started(
    command: list[str], output: IO[bytes] | None = None, before: Callable[[], None] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Starts a command and waits for its end. On an interrupt, the command gets time to report
    failures. It leads a session, so that a terminal's interrupt reaches it once, from here."""
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        start_new_session=True,
        preexec_fn=before,
    ) as process:
        try:
            yield process
            process.wait()
        except BaseException:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(MOST_SECONDS_TO_END)
            process.kill()
            raise


def call(command: list[str]) -> bool:
    with started(command) as process:
        pass
    return process.returncode == 0


@contextlib.contextmanager
def beside(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a command in the background, then waits for it and prints its output."""
    with tempfile.TemporaryFile() as output:
        try:
            with started(command, output, lower_priority) as process:
                yield process
        finally:
            output.seek(0)
            shutil.copyfileobj(output, sys.stdout.buffer)
            sys.stdout.flush()


@contextlib.contextmanager
def with_all_that_it_starts() -> Iterator[None]:
    """Ends all processes that were started within, of any session and parent: orphans become this
    process's children. SIGTERM and SIGINT raise KeyboardInterrupt, also in the background."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        while left := descendants():
            for process in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            reap()


def reap() -> None:
    """Waits for a child, then reaps all that have ended: a run leaves hundreds of orphans."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(-1, 0)
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def descendants() -> list[int]:
    """Process ids of all children of this process, and of their children."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # the process has ended
            parent = (
                status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1]
            )
            parents[int(status.parent.name)] = int(parent)
    results = [os.getpid()]
    for ancestor in results:
        results += [process for process, parent in parents.items() if parent == ancestor]
    return results[1:]


def run(marks: list[str], options: list[str]) -> bool:
    """Runs the three parts; returns True if all tests have passed."""
    workers = min(len(os.sched_getaffinity(0)), MOST_WORKERS)
    others = [*marks, "not alone"]
    compute = [*at_once(workers), *options, *COMPUTING]
    with beside(words("computing", others, *compute)) as computing:
        passed = [call(words("starting", others, *at_once(workers + 1), *options, *STARTING))]
    passed += [computing.returncode == 0]
    passed += [call(words("alone", [*marks, "alone"], *options, *with_tests_alone()))]
    return all(passed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="also those that take minutes")
    marks = [] if parser.parse_args().long else ["not long"]
    try:
        with with_all_that_it_starts():
            return 0 if run(marks, []) else 1
    except KeyboardInterrupt:
        print("run_tests: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
