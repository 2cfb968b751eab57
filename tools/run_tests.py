"""Runs the tests: most of them several at a time, then one by one those that are marked `alone`.

A file's tests stay together, since they share what is costly to start. Both calls are made whatever
fails; the exit code is 1 if something did.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_WORKERS = 4
"""Tests start up to eight ranks each."""

FOLDERS = [f"tests/{name}" for name in ("fuzz", "system", "verification", "unit")]
"""Many small files come last: a large one would leave the other workers idle."""


def with_tests_alone() -> list[str]:
    """Files that have such tests: the others need not be read once more."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(file) for file in files if "mark.alone" in file.read_text(encoding="utf-8")]


def call(marks: list[str], *options: str) -> bool:
    words = [sys.executable, "-m", "pytest", "-m", " and ".join(marks), *options]
    return subprocess.run(words, cwd=ROOT, check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="also those that take minutes")
    marks = [] if parser.parse_args().long else ["not long"]
    workers = min(len(os.sched_getaffinity(0)), MOST_WORKERS)
    beside = ["-n", str(workers), "--dist", "loadfile", "--no-loadscope-reorder", *FOLDERS]
    passed = [call([*marks, "not alone"], *beside), call([*marks, "alone"], *with_tests_alone())]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
