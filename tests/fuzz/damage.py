"""Damage to files of text or bytes, as accidents and malice make it."""

from __future__ import annotations

import copy
import json
import random
import re
from typing import Any

ODD = (
    *(b"0", b"-1", b"1e999", b"nan", b"4294967296", b"9223372036854775808", b"16777216"),
    *(
        b"9" * 25,
        b"9" * 5000,
        b"0x" + b"f" * 5000,
        b"",
        b"\0",
        b"\xff\xfe",
        b"\xc3\xa9",
        b"%",
        b"$",
    ),
    *(b"[0-99999999]", b"[1-16777216]", b"n[0-1023]x[0-1023]", b"true", b"null", b"{}", b"[]"),
    *(b"'", b'"', b"\\", b"(", b"#", b"=", b":", b"/dev/zero", b"../../x"),
)
NESTS = (
    *((b"[", b"]"), (b"{", b"}"), (b"(", b")"), (b'{"a":', b"}"), (b"a.", b"a"), (b"$(", b")")),
    *((b"<object type='Core'>", b"</object>"), (b"a = [", b"]"), (b"-", b"1"), (b"${a:-", b"}")),
)
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 10**30, 1e308, float("nan"), float("-inf"), "", "x", "\0", "\ud800"),
    *([], {}, [[]], {"": None}, [0] * 1000, "9" * 5000, "2024-01-01T00:00:00Z"),
)
WORD = re.compile(rb"[\w.+-]+")
LONGEST = 1 << 18


def damaged(content: bytes, chance: random.Random) -> bytes:
    """The content after one to three accidents."""
    if content.startswith(b"{") and chance.random() < 0.7:
        return _other_values(content, chance)
    for _ in range(chance.choice((1, 1, 2, 3))):
        content = chance.choice(ACCIDENTS)(content, chance)
    return content


def _other_values(content: bytes, chance: random.Random) -> bytes:
    """A document of JSON, or lines of it: with other values in one of them, or without some."""
    lines = [content] if b"\n " in content else content.splitlines()
    at = chance.randrange(len(lines))
    document = json.loads(lines[at])
    for _ in range(chance.randint(1, 3)):
        container, key = chance.choice(_places(document) or [({"": 0}, "")])
        if chance.random() < 0.2:
            del container[key]
        else:
            container[key] = copy.deepcopy(chance.choice(ODD_VALUES))
    lines[at] = json.dumps(document).encode()
    return b"\n".join(lines)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a document."""
    places: list[tuple[Any, Any]] = []
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            places += [(value, key), *_places(value[key])]
    return places


def _flipped(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice((1, 3, 30))):
        if changed:
            at = chance.randrange(len(changed))
            changed[at : at + chance.randint(0, 3)] = chance.randbytes(chance.randint(0, 3))
    return bytes(changed)


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def _other_word(content: bytes, chance: random.Random) -> bytes:
    words = list(WORD.finditer(content[:LONGEST]))
    if not words:
        return chance.choice(ODD)
    word = chance.choice(words)
    new = chance.choice((*ODD, chance.choice(words)[0]))
    return content[: word.start()] + new + content[word.end() :]


def _stretched(content: bytes, chance: random.Random) -> bytes:
    """A few characters of it many times in their place: what grows with the square shows."""
    if not content:
        return content
    at = chance.randrange(len(content))
    piece = content[at : at + chance.choice((1, 1, 2, 5, 30))]
    times = chance.choice((100, 10_000, LONGEST // len(piece)))
    return content[:at] + piece * times + content[at:]


def _nested(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    begin, end = chance.choice(NESTS)
    times = chance.choice((40, 3000))
    return content[:at] + begin * times + end * times + content[at:]


def _other_lines(content: bytes, chance: random.Random) -> bytes:
    lines = content.split(b"\n")
    at = chance.randrange(len(lines))
    match chance.randrange(3):
        case 0:
            del lines[at]
        case 1:
            lines.insert(chance.randrange(len(lines)), lines[at])
        case 2:
            lines[at : at + 1] = [lines[at]] * min(2000, LONGEST // (len(lines[at]) + 1))
    return b"\n".join(lines)


ACCIDENTS = (_flipped, _cut, _other_word, _other_word, _stretched, _nested, _other_lines)
