"""Every sentence that the rooms of reports can produce: found in the sources, and told by tables.

A table lies in `tests/sentences/ROOM.MODULE.toml`: each sentence, and when it is true. A case of
`tests/said` shows it there, and absent where it is not true; where other tests do, the sentence is
a table of its own, which names them.
"""

from __future__ import annotations

import ast
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

SAID = "unit/test_said.py::test_said_where_true_and_only_there"
"""Looks for each sentence of `tests/said`."""

WORDS = {re.compile(r"[A-Za-z]{4,}"): 2, re.compile(r"[A-Za-z]{2,}"): 3}
"""Words of prose -> how many of them make a text a sentence, or a part of one."""


@dataclass(frozen=True)
class Entry:
    """What a table says of one sentence."""

    text: str
    """As in the source; `{}` stands where a value does."""

    when: str
    shown: str = SAID
    """FILE::TEST below tests/, in which the sentence is true and said."""

    absent: str = SAID
    """FILE::TEST below tests/, in which it is not true, and not said."""


def modules() -> list[str]:
    """ "report.findings", …"""
    files = (file for room in ROOMS for file in (PACKAGE / room).rglob("*.py"))
    return sorted(".".join(file.relative_to(PACKAGE).with_suffix("").parts) for file in files)


@cache
def sentences(module: str) -> frozenset[str]:
    """The templates of a module's prose, in which `{}` stands for each value."""
    tree = ast.parse((PACKAGE / Path(*module.split("."))).with_suffix(".py").read_text("utf-8"))
    skipped = set(_no_prose(tree))
    found = (_template(node) for node in ast.walk(tree) if node not in skipped)
    return frozenset(text for text in found if text and _is_prose(text))


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


def table(module: str) -> list[Entry] | None:
    """None where there is none."""
    file = TABLES / f"{module}.toml"
    if not file.exists():
        return None
    told = tomllib.loads(file.read_text(encoding="utf-8"))
    return [
        Entry(text, one) if isinstance(one, str) else Entry(text, **one)
        for text, one in told.items()
    ]


@cache
def names_of_tests(file: Path) -> frozenset[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
