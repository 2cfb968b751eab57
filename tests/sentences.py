"""Every sentence that the rooms of reports can produce: found in the sources, and told by tables.

A table lies in `tests/sentences/ROOM.MODULE.toml`. Its rows have a sentence as in the source, where
`{}` stands for a value; when the sentence is true; the run or answer in which it is true and said;
and one in which it is neither. These are expressions in the names of a module of
`tests/sentence_runs`, which the table calls `runs`; one expression may give both. Or they are
FILE::TEST of `tests/unit`; one test may have both.
"""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.support import ROOT

PACKAGE = ROOT / "src" / "waywiser"
ROOMS = ("analyse", "report", "stats")
TABLES = Path(__file__).parent / "sentences"

WORDS = {re.compile(r"[A-Za-z]{4,}"): 2, re.compile(r"[A-Za-z]{2,}"): 3}
"""Words of prose -> how many of them make a text a sentence, or a part of one."""


@dataclass(frozen=True)
class Entry:
    """A table's entry for one sentence."""

    text: str
    when: str
    sides: tuple[str, ...]
    """Cases that show the sentence, and cases that do not."""

    runs: str
    """The module of `tests/sentence_runs` for expressions."""

    @property
    def elsewhere(self) -> bool:
        """Other tests show it."""
        return all(".py::" in side for side in self.sides)


def modules() -> list[str]:
    """ "analyse.findings", …"""
    files = (file for room in ROOMS for file in (PACKAGE / room).rglob("*.py"))
    return sorted(".".join(file.relative_to(PACKAGE).with_suffix("").parts) for file in files)


@cache
def sentences(module: str) -> frozenset[str]:
    """The templates of a module's prose, in which `{}` stands for each value."""
    tree = ast.parse((PACKAGE / Path(*module.split("."))).with_suffix(".py").read_text("utf-8"))
    skipped = set(_no_prose(tree))
    templates = (_template(node) for node in ast.walk(tree) if node not in skipped)
    return frozenset(text for text in templates if text and _is_prose(text))


def _no_prose(tree: ast.AST) -> Iterator[ast.AST]:
    """Docstrings, patterns, messages of assertions, and the pieces of templates."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield from (part for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.FormattedValue) and node.format_spec:
            yield node.format_spec
        elif isinstance(node, ast.Assert) and node.msg:
            yield from ast.walk(node.msg)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
            yield from node.args


def _template(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return "".join(map(str, parts))


def _is_prose(text: str) -> bool:
    enough = any(len(words.findall(text)) >= fewest for words, fewest in WORDS.items())
    return enough and " " in text.strip()


def table(module: str) -> list[Entry]:
    document = tomllib.loads((TABLES / f"{module}.toml").read_text(encoding="utf-8"))
    runs = document.pop("runs", "")
    return [Entry(text, when, tuple(sides), runs) for text, (when, *sides) in document.items()]


def both_runs(entry: Entry) -> tuple[str, str]:
    """The texts of both sides."""
    true, untrue = [text for side in entry.sides for text in _texts(entry.runs, side)]
    return true, untrue


@cache
def _texts(runs: str, side: str) -> tuple[str, ...]:
    """Rows of one condition share what they name, which may take long to make."""
    value = eval(side, vars(importlib.import_module(f"tests.sentence_runs.{runs}")))
    if callable(value):
        value = value()
    return value if isinstance(value, tuple) else (value,)


@cache
def names_of_tests(file: Path) -> frozenset[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
