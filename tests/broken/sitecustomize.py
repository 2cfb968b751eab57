"""Breaks one sentence of Waywiser in every Python program that finds this directory in PYTHONPATH.

`BROKEN_SENTENCE` holds the file and the template of the sentence, with a line end between them.
"""

from __future__ import annotations

import ast
import os
import re
from importlib.machinery import SourceFileLoader
from types import CodeType

KEPT = re.compile(r"<[^>]*>|\{[^}]*\}|&\w+;|%[a-z]|[A-Za-z]")
"""Tags, fields of formats and entities stay whole; of what remains, each letter goes."""


class Broken(ast.NodeTransformer):
    def __init__(self, text: str) -> None:
        self.text = text

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if node.value == self.text:
            node.value = without_letters(self.text)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        if "".join(map(str, parts)) != self.text:
            return self.generic_visit(node)
        for part in node.values:
            if isinstance(part, ast.Constant):
                part.value = without_letters(str(part.value))
        return node


def without_letters(text: str) -> str:
    return KEPT.sub(lambda found: "#" if found[0].isalpha() else found[0], text)


def install(file: str, text: str) -> None:
    whole = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        if loader.path != file:
            return whole(loader, name)
        tree = ast.parse(loader.get_data(file))
        return compile(ast.fix_missing_locations(Broken(text).visit(tree)), file, "exec")

    # The one place that every import passes; mypy knows no other way to replace a method.
    SourceFileLoader.get_code = get_code  # type: ignore[method-assign,assignment]


install(*os.environ["BROKEN_SENTENCE"].split("\n", 1))
