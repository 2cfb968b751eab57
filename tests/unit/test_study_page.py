"""docs/studies.md names every key of a study file."""

from __future__ import annotations

import inspect
import re

import pytest

from tests.support import ROOT
from waywiser.model import study
from waywiser.model.base import Model

PAGE = ROOT / "docs" / "studies.md"
TABLES = [
    table
    for _, table in inspect.getmembers(study, inspect.isclass)
    if issubclass(table, Model) and table.__module__ == study.__name__
]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_every_key_is_named(table: type[Model]) -> None:
    code = " ".join(re.findall(r"```.*?```|`[^`]+`", PAGE.read_text(encoding="utf-8"), re.DOTALL))

    assert [key for key in table.model_fields if not re.search(rf"\b{key}\b", code)] == []
