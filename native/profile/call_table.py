"""calls.txt: what each call carries."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class Form:
    """How the payload of a call is computed."""

    function: str
    """Of payload.hpp."""

    arguments: tuple[str, ...]
    """By the standard's names."""

    synchronised: bool = False
    """With --split-sync, a barrier comes before the call."""


def read_table(path: Path) -> dict[str, Form]:
    """calls.txt: call -> form."""
    table: dict[str, Form] = {}
    form: Form | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        heading = re.fullmatch(r"(\w+)\(([\w, ]+)\)", line)
        if heading:
            form = Form(heading[1], tuple(heading[2].split(", ")))
        elif line.startswith(" ") and form is not None:
            for word in line.split():
                table[word.rstrip("!")] = replace(form, synchronised=word.endswith("!"))
        elif line.strip() and not line.startswith("#"):
            raise SystemExit(f"{path}:{number}: expected 'form(arguments)' or indented calls")
    return table
