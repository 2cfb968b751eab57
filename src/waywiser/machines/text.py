"""A machine as the text of a machine file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from waywiser.model.machine import Machine

LINE = 100
"""Longest line; a longer list has a line for each entry."""


def machine_text(machine: Machine) -> str:
    """Return the TOML that `parse_machine` reads as the same machine."""
    known = machine.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return "\n".join(_table(known, ())) + "\n"


def _table(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield values first: a key after a table's head would belong to that table."""
    inner = {key: value for key, value in table.items() if _is_table(value)}
    for key, value in table.items():
        if key not in inner:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in inner.items():
        here = (*path, _key(key))
        for subtable in value if isinstance(value, list) else [value]:
            head = ".".join(here)
            yield ""
            yield f"[[{head}]]" if isinstance(value, list) else f"[{head}]"
            yield from _table(subtable, here)


def _is_table(value: object) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(entry, Mapping) for entry in value)
    return isinstance(value, Mapping)


def _key(key: str) -> str:
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare else _value(key)


def _value(value: object) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Sequence):
        inside = [_value(entry) for entry in value]
        line = f"[{', '.join(inside)}]"
        return line if len(line) <= LINE else "[\n  " + ",\n  ".join(inside) + ",\n]"
    return json.dumps(value)  # TOML and JSON write numbers, true and false alike
