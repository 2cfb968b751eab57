"""Nothing compares the name of a launcher, a library or a batch system: it asks the object."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.support import ROOT
from waywiser.launch.launchers.table import KINDS
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.model.study import LIBRARIES

NAMES = {
    *(name for kind in KINDS for name in (kind.name, *kind.commands)),
    *(name for key, scheduler in SCHEDULERS.items() for name in (key, scheduler.name)),
    *(name for pair in LIBRARIES.items() for name in pair),
}


def compared(text: str) -> Iterator[int]:
    """Lines of a module that compare a name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and part.value in NAMES:
                    yield part.lineno


def test_no_module_compares_a_name() -> None:
    places = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in sorted((ROOT / "src" / "waywiser").rglob("*.py"))
        for line in compared(file.read_text(encoding="utf-8"))
    ]

    assert places == []


@pytest.mark.parametrize("text", ['kind.name == "Slurm"', 'name in {"a", "impi"}', '"local" != x'])
def test_a_comparison_would_be_seen(text: str) -> None:
    assert list(compared(text)) == [1]
