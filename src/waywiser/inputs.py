"""Files that users name, read within bounds: a few bytes can cost any amount of memory or time.

Every reader of a user's text, TOML or XML uses these functions. They bound nesting and expansion in
one place, and report an error in one sentence.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

from waywiser.errors import InvalidCommand, not_read

MOST_CHARACTERS = 1 << 26
"""Largest number of characters in a text that is read whole. The largest known text, the links of a
machine of 160,000 nodes, has less than a third of that; a device file may be endless."""

MOST_LEVELS = 256
"""Largest depth of XML. Files of hwloc have about 15 levels; the work for an element may grow with
its depth."""

MOST_PARTS = 32
"""Largest number of parts in a TOML key. The parser's time and memory grow with its square."""

_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MOST_PARTS}}}")
_DECLARATION = re.compile(r"<!(ENTITY|ATTLIST)")
_PIECE = 1 << 16


def read_text(path: Path, expected: str, errors: str = "strict") -> str:
    """
    Args:
        expected: what the file should be, e.g. "valid TOML".
        errors: handling of bytes that are not UTF-8, as for `open`.

    Raises:
        InvalidCommand: the file cannot be read, is too long, or is not text.
    """
    try:
        with path.open(encoding="utf-8", errors=errors) as file:
            text = file.read(MOST_CHARACTERS + 1)
    except OSError as error:
        raise InvalidCommand(not_read(path, error)) from error
    except UnicodeDecodeError as error:
        raise InvalidCommand(f"{path} is not {expected}: {error}") from error
    if len(text) > MOST_CHARACTERS:
        raise InvalidCommand(
            f"{path} is not {expected}: it is longer than {MOST_CHARACTERS} characters"
        )
    return text


def toml_of(text: str, source: str) -> dict[str, Any]:
    """The tables of a TOML file.

    Raises:
        InvalidCommand: the text is not valid TOML, or nests more deeply than any real file.
    """
    if _LONG_KEY.search(text):
        raise InvalidCommand(f"{source} is not valid TOML: a key has more than {MOST_PARTS} parts")
    try:
        tables = tomllib.loads(text)
        _check_integers(tables)
        return tables
    except RecursionError as error:
        raise InvalidCommand(
            f"{source} is not valid TOML: its arrays or tables are nested too deeply"
        ) from error
    except ValueError as error:  # invalid syntax, or numbers of thousands of digits
        raise InvalidCommand(f"{source} is not valid TOML: {error}") from error


def _check_integers(value: object) -> None:
    """Refuses long integers: Python reads hexadecimal integers of any length and cannot print
    them."""
    if isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            _check_integers(child)
    elif isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise ValueError("an integer has more than 64 bits")


def xml_of(text: str, source: str) -> ElementTree.Element:
    """The root of an XML file.

    Raises:
        InvalidCommand: the text is not valid XML, nests too deeply, or declares entities, which can
            expand a few bytes to any size.
    """
    if declaration := _DECLARATION.search(text):
        raise InvalidCommand(f"{source}: {declaration[0]} is not accepted in XML; remove it")
    parser: ElementTree.XMLPullParser[Any] = ElementTree.XMLPullParser(("start", "end"))
    root: ElementTree.Element | None = None
    depth = 0
    try:
        for at in range(0, len(text), _PIECE):
            parser.feed(text[at : at + _PIECE])
            events = cast(Iterator[tuple[str, ElementTree.Element]], parser.read_events())
            for event, element in events:
                root = element if root is None else root
                depth += 1 if event == "start" else -1
                if depth > MOST_LEVELS:
                    raise InvalidCommand(
                        f"{source}: XML is nested more than {MOST_LEVELS} levels deep; remove the"
                        " levels in between"
                    )
        parser.close()
    except (ElementTree.ParseError, ValueError) as error:
        raise InvalidCommand(f"{source} is not valid XML: {error}") from error
    if root is None:
        raise InvalidCommand(f"{source} is not valid XML: it is empty")
    return root


def check_choice(option: str, value: str, choices: Iterable[str]) -> None:
    """
    Raises:
        InvalidCommand: the value is none of the choices.
    """
    named = list(choices)
    if value not in named:
        raise InvalidCommand(f"{option} {value}: expected one of {', '.join(named)}")
