"""Fails if a directory uses another that the layering of CONTRIBUTING.md does not allow.

The two tables below list the directories, and those that each may use. Includes and imports are
read from the sources; `#include "room/…"` and `from waywiser.room import …` are the only forms that
are allowed.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

NATIVE: dict[str, set[str]] = {
    "base": set(),
    "trace": {"base"},
    "mpi": {"base", "trace", "machine"},
    "collectives": {"base"},
    "explain": {"base", "trace", "mpi", "collectives"},
    "exchange": {"base", "trace", "mpi", "collectives"},
    "extrapolate": {"base", "trace"},
    "machine": {"base"},
    "place": {"base", "machine"},
    "simulate": {"base", "trace", "mpi", "machine", "collectives"},
    "profile": {"base", "trace"},
    "rerank": {"base", "trace", "profile", "machine", "place"},
    "virtual": {"base", "trace", "mpi", "profile", "machine", "collectives"},
    "workloads": {"base"},
    "bind": {
        *("base", "trace", "mpi", "collectives", "explain", "exchange", "extrapolate"),
        *("machine", "place", "simulate"),
    },
    "standalone": {"base", "trace"},
}

# What may include mpi.h: the profiler serves every library and so includes none.
USES_MPI = {"workloads"}

LEAVES = {"errors", "extras", "units", "inputs", "progress"}

REPORT = LEAVES | {"model", "store", "analyse"}

PYTHON: dict[str, set[str]] = {
    "errors": set(),
    "extras": set(),
    "units": set(),
    "inputs": {"errors"},
    "progress": {"units"},
    "native": set(),
    "stats": {"errors", "units"},
    "model": LEAVES,
    "apps": LEAVES | {"model"},
    "launch": LEAVES | {"model"},
    "meshes": LEAVES | {"model"},
    "machines": LEAVES | {"model", "native"},
    "store": LEAVES | {"model", "native"},
    "measure": LEAVES | {"model", "native", "launch", "store"},
    "study": LEAVES | {"model", "stats", "apps", "launch", "store", "measure", "analyse"},
    "analyse": LEAVES | {"model", "stats", "native", "machines", "launch", "store"},
    "report/drawing": REPORT,
    "report": REPORT | {"report/drawing"},
    "report/answers": REPORT | {"report", "report/drawing"},
    "report/machines": REPORT | {"report", "report/drawing", "report/answers"},
    "report/run": REPORT | {"report", "report/drawing", "report/answers"},
    "report/study": REPORT | {"report", "report/drawing"},
}
PYTHON["api"] = set(PYTHON)
PYTHON["cli"] = set(PYTHON)

Complaint = str
RELATIVE = "."


def check_native(root: Path) -> Iterator[Complaint]:
    for file in sorted([*root.rglob("*.cpp"), *root.rglob("*.hpp")]):
        room = file.relative_to(root).parts[0]
        if room not in NATIVE:
            yield f"{file}: native/{room} is no room of the plan"
            continue
        text = file.read_text(encoding="utf-8")
        if re.search(r'^\s*#\s*include\s+"[^"]*\.\./', text, re.MULTILINE):
            yield f"{file}: write an include from native/ on, without '..'"
        for target in re.findall(r'^\s*#\s*include\s+"([^"/]+)/', text, re.MULTILINE):
            if target in NATIVE and target != room and target not in NATIVE[room]:
                allowed = ", ".join(sorted(NATIVE[room])) or "no other room"
                yield f"{file}: {room} may use {allowed}, not {target}"
        if room not in USES_MPI and re.search(r'#\s*include\s+[<"]mpi\.h[>"]', text):
            yield f"{file}: {room} may not include mpi.h"


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level > 0:
            yield RELATIVE
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "waywiser":
                yield from (f"waywiser.{alias.name}" for alias in node.names)
            else:
                yield node.module


def room_of(parts: Sequence[str]) -> str:
    """The directory of a module in the table: "launch", but "report/run" of reports."""
    inner = "/".join(parts[:2])
    return inner if inner in PYTHON else parts[0]


def check_python(root: Path) -> Iterator[Complaint]:
    for file in sorted(root.rglob("*.py")):
        relative = file.relative_to(root)
        room = room_of(relative.with_suffix("").parts)
        if room == "__init__":
            continue
        if room not in PYTHON:
            yield f"{file}: src/waywiser/{room} is no room of the plan"
            continue
        for module in _imports(ast.parse(file.read_text(encoding="utf-8"))):
            if module == RELATIVE:
                yield f"{file}: write an import from waywiser on, without leading dots"
            parts = module.split(".")
            if parts[0] != "waywiser" or len(parts) < 2 or parts[1] not in PYTHON:
                continue
            used = room_of(parts[1:])
            if used != room and used not in PYTHON[room]:
                allowed = ", ".join(sorted(PYTHON[room])) or "no other room"
                yield f"{file}: {room} may use {allowed}, not {used}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "root",
        type=Path,
        nargs="?",
        default=Path(__file__).resolve().parent.parent,
        help="the repository",
    )
    root: Path = parser.parse_args().root
    complaints = [*check_native(root / "native"), *check_python(root / "src" / "waywiser")]
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
