"""`waywiser build` compiles all that a workload includes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import ROOT
from waywiser.launch.workloads import rooms, workloads

SOURCES = ROOT / "native"
NAMES = workloads(SOURCES)


def included(file: Path) -> list[str]:
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.read_text(encoding="utf-8"), re.M)


def test_every_workload_of_cmake_is_found() -> None:
    text = (SOURCES / "workloads" / "CMakeLists.txt").read_text(encoding="utf-8")

    assert sorted(re.findall(r"^waywiser_workload\((\w+)", text, re.M)) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_what_a_workload_includes_is_in_rooms_that_are_compiled(name: str) -> None:
    """A header's room holds the functions that it declares."""
    compiled = rooms(name)
    seen: set[str] = set()
    todo = [
        header
        for room in compiled
        for file in (SOURCES / room).glob("*.cpp")
        for header in included(file)
    ]
    while todo:
        header = todo.pop()
        if header not in seen:
            seen.add(header)
            todo += included(SOURCES / header)

    assert seen
    assert {str(Path(header).parent) for header in seen} <= {*compiled}
