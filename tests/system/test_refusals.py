"""Errors of Waywiser's programs, each in one sentence, from one rank, and with an orderly end.

The section of a program in refusals.txt begins with options of all its cases. A case is a number of
ranks, options, and the sentence, whose end may be left out ("…").
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.kernel_programs import refusal
from tests.rupture_runs import points_file
from tests.support import MpiLibrary


class Case(NamedTuple):
    program: str
    ranks: int
    options: list[str]
    sentence: str


def _cases() -> Iterator[Case]:
    text = Path(__file__).with_name("refusals.txt").read_text(encoding="utf-8")
    for section in text.replace("\n    ", " ").removeprefix("# ").split("\n# "):
        title, *lines = section.strip().split("\n")
        program, *options = title.split()
        for line in lines:
            words, _, sentence = line.partition(": ")
            ranks, *own = words.split()
            yield Case(program, int(ranks), [*options, *own], sentence)


@pytest.mark.parametrize(
    "case", [*_cases()], ids=lambda case: " ".join([case.program, *case.options])
)
def test_a_mistake_is_named_once(
    openmpi: MpiLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    monkeypatch.chdir(tmp_path)
    points_file(tmp_path / "points.csv", [(0, 500, -500)])

    message = refusal(openmpi, case.program, case.ranks, *case.options)

    beginning = case.sentence.removesuffix("…")
    assert message.startswith(beginning)
    assert message == beginning or beginning != case.sentence
