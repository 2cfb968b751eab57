"""Checks a change in at most three minutes: style, layering, types, tests.

It runs the tests that import or name a changed file: first those that failed last, then the nearest
by imports, the cheapest first. It names tests for which there is no time. `make test` runs all.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import re
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools import run_tests, test_times

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.prefix) / "bin"
TIMES = ROOT / "build" / "log" / "checked.xml"
MOST_SECONDS = 180
TO_END = 20
"""Seconds that pytest takes to stop its workers and to report failures."""

PYTHON = ("src", "tests", "tools", "bench")
BUILT = ("native/", "tests/native/", "CMakeLists.txt", "CMakePresets.json", "tools/build.py")


def git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def changed_since(base: str) -> list[str]:
    """Files of the tree that differ from the commit `base`, or are new."""
    new = git("ls-files", "--others", "--exclude-standard")
    return sorted({*git("diff", "--name-only", base), *new})


def module(path: str) -> str:
    return path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports(path: Path) -> Iterator[str]:
    """Names that a Python file imports: modules, and names in modules."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def conftests(path: Path) -> list[str]:
    """Files conftest.py that pytest loads with a test."""
    results = (
        directory / "conftest.py"
        for directory in path.parents
        if directory.is_relative_to(ROOT / "tests")
    )
    return [module(str(file.relative_to(ROOT))) for file in results if file.exists()]


@cache
def importers() -> dict[str, set[str]]:
    """Module -> the files that import it."""
    results = defaultdict[str, set[str]](set)
    for directory in PYTHON:
        for path in (ROOT / directory).rglob("*.py"):
            for name in {*imports(path), *conftests(path)}:
                results[name].add(str(path.relative_to(ROOT)))
    return results


def names(path: str) -> set[str]:
    """Words by which tests refer to a file: a directory, a workload, a verb, the file's name."""
    parts = Path(path).parts
    if parts[0] == "native" and len(parts) > 2:
        return {parts[2] if parts[1] == "workloads" else parts[1], parts[-1]}
    if path.startswith("src/waywiser/cli/"):
        return {f'"{Path(path).stem.replace("_", "-")}"'}
    return set() if path.endswith(".py") else {parts[-1], Path(path).stem}


@cache
def texts() -> dict[str, str]:
    """Contents of the tests' Python files, by name."""
    files = (ROOT / "tests").rglob("*.py")
    return {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in files}


def naming(path: str) -> set[str]:
    """Python files of tests that refer to a file."""
    words = names(path)
    if not words:
        return set()
    mentions = re.compile("|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in sorted(words)))
    return {file for file, text in texts().items() if mentions.search(text)}


def reached(changed: Iterable[str]) -> dict[str, int]:
    """Test file -> number of imports between it and the nearest changed file."""
    results = dict.fromkeys(changed, 0)
    queue = list(results)
    for path in queue:
        for user in sorted(importers()[module(path)] | naming(path)):
            if user not in results:
                results[user] = results[path] + 1
                queue.append(user)
    return {
        path: away
        for path, away in sorted(results.items(), key=lambda item: item[1])
        if re.fullmatch(r"tests/.*/test_\w+\.py", path) and (ROOT / path).exists()
    }


def in_order(tests: dict[str, int]) -> list[str]:
    """Sort tests by distance, then by their last run time."""
    taken: dict[str, float] = {}
    for report in TIMES.parent.glob("tests-*.xml"):
        for name, (_, seconds, _) in test_times.by_file(report).items():
            taken[name] = taken.get(name, 0) + seconds
    return sorted(tests, key=lambda path: (tests[path], taken.get(module(path), 1.0)))


def style(changed: list[str]) -> list[list[str | Path]]:
    """Commands that check style and types and build; each must succeed."""
    here = [path for path in changed if (ROOT / path).exists()]
    python = [path for path in here if path.endswith(".py")]
    native = [path for path in here if Path(path).suffix in (".c", ".cpp", ".h", ".hpp")]
    commands: list[list[str | Path]] = [[sys.executable, "tools/check_layering.py"]]
    if native:
        commands.append([BIN / "clang-format", "--dry-run", "--Werror", *native])
    if python:
        commands.append([BIN / "ruff", "check", "--quiet", *python])
        commands.append([BIN / "ruff", "format", "--quiet", "--check", *python])
        commands.append([BIN / "mypy", *python])
    if any(path.startswith(BUILT) for path in changed):
        commands.append(["make", "--silent", "build"])
    return commands


def run(tests: list[str], seconds: float) -> bool:
    """Runs as many tests as time allows, and names the others; returns True if none failed."""
    TIMES.unlink(missing_ok=True)
    options = ["--ff", "-q", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    selection = ["-m", "not long and not alone", f"--junitxml={TIMES}"]
    command = [sys.executable, "-m", "pytest", *selection, *options, *tests]
    with run_tests.with_all_that_it_starts(), run_tests.started(command) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
    if not TIMES.exists():
        return False
    report = ElementTree.parse(TIMES)
    started = test_times.by_file(TIMES)
    left = [path for path in tests if module(path) not in started]
    if left:
        print(f"check: not run: {len(left)} of {len(tests)} files: {' '.join(left)}")
    return process.returncode == 5 or not [*report.iter("failure"), *report.iter("error")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default="HEAD", help="what is new since the branch left this one")
    parser.add_argument("--seconds", type=float, default=MOST_SECONDS, help="the limit")
    parser.add_argument("--list", action="store_true", help="only print the files of tests")
    args = parser.parse_args()
    end = time.monotonic() + args.seconds
    changed = changed_since(git("merge-base", args.base, "HEAD")[0])
    tests = in_order(reached(changed))
    if args.list:
        print(*tests, sep="\n")
        return 0
    print(f"check: {len(changed)} changed files, {len(tests)} files of tests")
    passed = True
    for command in style(changed):
        with contextlib.suppress(subprocess.TimeoutExpired):
            done = subprocess.run(command, cwd=ROOT, check=False, timeout=end - time.monotonic())
            passed &= done.returncode == 0
            continue
        print(f"check: not finished in time, nor any test: {' '.join(map(str, command))}")
        return 1
    left = end - time.monotonic() - TO_END
    return 0 if (not tests or run(tests, max(left, 0))) and passed else 1


if __name__ == "__main__":
    sys.exit(main())
