"""Messages of BT, SP and LU on more ranks than a trace can have: the table of docs/libraries.md."""

from __future__ import annotations

import re

import pytest

from tests.support import ROOT

POINTS, RANKS, SIDE = 2560, 16_384, 128
BOX = POINTS // SIDE
DOUBLE = 8
OPERATIONS = {
    "BT": (3478.8, -17655.7, 28023.7, 0.0),
    "SP": (881.174, -4683.91, 11484.5, -19272.4),
    "LU": (1984.77, -10923.3, 27770.9, -144010.0),
}
"""Operations of a step, as polynomials in the points an axis."""

LIMITS = (16 * 1024, 200_000)

Messages = list[tuple[int, float]]
"""Number of messages, by size in bytes."""


def multipartition(lines: float, forwards: int, back: int) -> Messages:
    """Faces of two layers and five values, and sweeps along three axes through all boxes."""
    faces = (6, (SIDE - 1) * BOX * BOX * 2 * 5 * DOUBLE)
    sweeps = 3 * (SIDE - 1)
    return [faces, (sweeps, lines * forwards * DOUBLE), (sweeps, lines * back * DOUBLE)]


MESSAGES: dict[str, Messages] = {
    "BT": multipartition((BOX + 1) ** 2, 30, 5),
    "SP": multipartition(((POINTS - 2) / SIDE) ** 2, 22, 10),
    "LU": [(4, 2 * 5 * DOUBLE * BOX * POINTS), (2 * 2 * (POINTS - 2), BOX * 5 * DOUBLE)],
}
ROWS = {
    row[0]: [float(cell) for cell in row[1:]]
    for row in (
        re.findall(r"[^| ]+", line)
        for line in (ROOT / "docs" / "libraries.md").read_text(encoding="utf-8").splitlines()
        if re.match(r"\| (BT|SP|LU) (\| [0-9.]+ ){6}\|$", line)
    )
}


@pytest.mark.parametrize("name", MESSAGES)
def test_the_page_says_what_a_rank_sends(name: str) -> None:
    operations = sum(
        factor * float(POINTS) ** power
        for factor, power in zip(OPERATIONS[name], (3, 2, 1, 0), strict=True)
    )
    gop = operations / RANKS * 1e-9
    above = [sum(n for n, size in MESSAGES[name] if size > limit) for limit in LIMITS]
    megabytes = sum(n * size for n, size in MESSAGES[name]) * 1e-6

    assert ROWS[name][:2] == above
    assert ROWS[name][2:4] == [round(megabytes, 1), round(gop, 2)]
    assert ROWS[name][4] == round((above[0] - above[1]) / gop)
    assert ROWS[name][5] == round(megabytes / gop, 1)
