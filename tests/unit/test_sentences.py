"""Every sentence of reports stands in a table: when it is true, and which tests show that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sentences import SAID, TABLES, Entry, modules, names_of_tests, sentences, table
from tests.support import ROOT
from tests.unit.test_said import CASES

TABLED = sorted(path.stem for path in TABLES.glob("*.toml"))
TOLD = [(module, entry) for module in TABLED for entry in table(module) or ()]


def test_every_module_with_sentences_has_a_table() -> None:
    speaking = {module for module in modules() if sentences(module)}

    assert speaking - set(TABLED) == set(), "write tests/sentences/MODULE.toml"
    assert set(TABLED) - speaking == set(), "they have no sentence: remove their tables"


@pytest.mark.parametrize("module", TABLED)
def test_the_table_has_each_sentence_once_and_no_other(module: str) -> None:
    texts = [entry.text for entry in table(module) or ()]

    assert set(texts) - sentences(module) == set(), "the source has these no more"
    assert sentences(module) - set(texts) == set(), "the table lacks these"
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize(("module", "entry"), TOLD, ids=lambda given: str(given)[:60])
def test_each_sentence_has_a_condition_and_tests_that_exist(module: str, entry: Entry) -> None:
    assert len(entry.when.split()) > 2
    for named in (entry.shown, entry.absent):
        file, _, name = named.partition("::")
        assert name in names_of_tests(ROOT / "tests" / Path(file)), named
    in_cases = entry.text in CASES.get(module, {})
    assert in_cases == (entry.shown == SAID) == (entry.absent == SAID)
