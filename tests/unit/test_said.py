"""Sentences of reports, each said where it is true and not said where it is not.

A run is made for each side, in `tests/said`. The tables in tests/sentences/ name this test for
what is in `CASES`.
"""

from __future__ import annotations

import re

import pytest

from tests.said import all_cases
from tests.sentences import sentences

CASES = all_cases()
VALUE = "(?:[^;]|; most of it|; the largest part of it)"
"""A character of what stands in a template's place."""


def says(text: str, template: str) -> bool:
    """Whether a text, wrapped or not, has a sentence of this template."""
    whole = re.sub(r"^(\s*\{\})+|(\{\}\s*)+$", "", template)  # which any text begins and ends with
    parts = (re.escape(" ".join(part.split())) for part in whole.split("{}"))
    pattern = rf"\s*{VALUE}*?\s*".join(parts)
    flat = " ".join(text.replace("\u00a0", " ").split())
    return re.search(pattern, flat, re.IGNORECASE) is not None


@pytest.mark.parametrize(
    ("module", "template"),
    [(module, text) for module, cases in CASES.items() for text in sorted(cases)],
)
def test_said_where_true_and_only_there(module: str, template: str) -> None:
    true, untrue = (text() for text in CASES[module][template])

    assert template in sentences(module), "the source has it no more"
    assert says(true, template), true
    assert not says(untrue, template), untrue
