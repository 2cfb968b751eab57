"""Finds phrases that no native speaker writes, in the pages for users and in what programs print.

Looked at are README.md and the pages of docs/ but for design notes, and the string literals of
`src/` and `native/`; comments and docstrings are not. `make lint` runs it.
"""

from __future__ import annotations

import ast
import itertools
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PHRASES = {
    r"(?<!there )\b(?:is|are) no (?!longer|more\b|less|better|larger|smaller|faster|slower)\w": (
        "is not a …, there is no …"
    ),
    r"\b(?:told|tell) (?:them )?apart\b": "distinguished, separated",
    r"\bso many times as\b|\bas many times as\b": "N times as …",
    r"\bcomes? to (?:its|their|an) end\b": "finishes",
    r"\blikewise\b": "the same, also",
    r"\b(?:is|are) taken for\b": "counts as, is treated as",
    r"\bstands? there\b": "is there, is given",
    r"\bleaves? away\b": "omits",
    r"\bof chance\b": "random",
    r"\b(?:at|from|to|before|after) (?:its|the|their) begins?\b": "start",
    r"\bheld against\b": "validated against, compared with",
    r"\bkeepers?\b": "collector",
    r"\blevers?\b": "opportunity",
    r"\bnetwork cards?\b": "NIC",
    r"\bstretch(?:es)? (?:of (?:time|computing)|between)\b": "computation interval",
    r"\b(?:is|are) played\b": "is simulated",
}
"""Pattern -> what to write instead."""

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
CODE = re.compile(r"^```.*?^```|^ {4,}\S.*?$|`[^`\n]*`", re.DOTALL | re.MULTILINE)

Place = tuple[str, int, str]
"""File, line and text."""


def pages(root: Path) -> Iterator[Place]:
    """Paragraphs of the pages for users, without code."""
    files = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    for path in files:
        name = str(path.relative_to(root))
        if name.startswith(("docs/design", "docs/gallery")):
            continue
        text = CODE.sub(lambda code: "\n" * code[0].count("\n"), path.read_text(encoding="utf-8"))
        line = 1
        for paragraph in text.split("\n\n"):
            yield name, line, paragraph
            line += paragraph.count("\n") + 2


def python_strings(root: Path) -> Iterator[Place]:
    """String literals that are no docstrings."""
    for path in sorted((root / "src").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documents = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or id(node) in documents:
                continue
            if isinstance(node.value, str) and " " in node.value:
                yield str(path.relative_to(root)), node.lineno, node.value


def native_strings(root: Path) -> Iterator[Place]:
    """String literals of C++."""
    for path in sorted((root / "native").rglob("*.[ch]pp")):
        text = COMMENT.sub(
            lambda comment: "\n" * comment[0].count("\n"), path.read_text(encoding="utf-8")
        )
        for literal in LITERAL.finditer(text):
            if " " in literal[1]:
                line = text.count("\n", 0, literal.start()) + 1
                yield str(path.relative_to(root)), line, literal[1]


def faults(places: Iterable[Place]) -> Iterator[str]:
    """One line for each phrase that is found."""
    for file, line, text in places:
        words = " ".join(text.split())
        for pattern, better in PHRASES.items():
            for found in re.finditer(pattern, words, re.IGNORECASE):
                yield f"{file}:{line}: {found[0]!r}: write {better!r}"


def main() -> int:
    places = itertools.chain(pages(ROOT), python_strings(ROOT), native_strings(ROOT))
    found = list(faults(places))
    print("".join(f"{fault}\n" for fault in found), end="", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
