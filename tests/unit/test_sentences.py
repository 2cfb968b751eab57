"""Every sentence of reports stands in a table: when it is true, and what shows that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.sentences import TABLES, Entry, both_runs, modules, names_of_tests, sentences, table

TABLED = sorted(path.stem for path in TABLES.glob("*.toml"))
SENTENCES = [(module, entry) for module in TABLED for entry in table(module)]
VALUE = "(?:[^;]|; most of it|; the largest part of it)"
"""A character of what stands in a template's place."""


def test_every_module_with_sentences_has_a_table() -> None:
    speaking = {module for module in modules() if sentences(module)}

    assert speaking - set(TABLED) == set(), "write tests/sentences/MODULE.toml"
    assert set(TABLED) - speaking == set(), "they have no sentence: remove their tables"


@pytest.mark.parametrize("module", TABLED)
def test_the_table_has_each_sentence_and_no_other(module: str) -> None:
    texts = {entry.text for entry in table(module)}

    assert texts - sentences(module) == set(), "the source has these no more"
    assert sentences(module) - texts == set(), "the table lacks these"


def says(text: str, template: str) -> bool:
    """True if a text, wrapped or not, has a sentence of this template."""
    whole = re.sub(r"^(\s*\{\})+|(\{\}\s*)+$", "", template)  # which any text begins and ends with
    parts = (re.escape(" ".join(part.split())) for part in whole.split("{}"))
    pattern = rf"\s*{VALUE}*?\s*".join(parts)
    flat = " ".join(text.replace("\u00a0", " ").split())
    return re.search(pattern, flat, re.IGNORECASE) is not None


@pytest.mark.parametrize(
    "entry",
    [pytest.param(entry, id=f"{module}: {entry.text[:60]}") for module, entry in SENTENCES],
)
def test_sentences_appear_where_true_and_only_there(entry: Entry) -> None:
    assert len(entry.when.split()) > 2
    if entry.elsewhere:
        for named in entry.sides:
            file, _, name = named.partition("::")
            assert name in names_of_tests(Path(__file__).parent / file), named
        return

    true, untrue = both_runs(entry)

    assert says(true, entry.text), true
    assert not says(untrue, entry.text), untrue
