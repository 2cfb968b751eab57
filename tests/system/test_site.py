"""`make docs`: the site and the man page are made without a warning, and hold every verb."""

from __future__ import annotations

import re
import sys

import pytest

from tests.support import ROOT, captured, succeeded
from waywiser.cli.main import VERBS

SITE = ROOT / "build" / "docs"


@pytest.fixture(scope="module", autouse=True)
def site() -> None:
    """A page in no table of contents and a link to nothing are warnings, which fail."""
    succeeded(captured([sys.executable, ROOT / "tools" / "docs.py"], timeout=900))


def test_each_page_is_in_the_site() -> None:
    pages = [page.relative_to(ROOT) for page in (ROOT / "docs").rglob("*.md")]

    assert pages
    assert [
        page for page in pages if not (SITE / "html" / page).with_suffix(".html").exists()
    ] == []
    assert "Waywiser" in (SITE / "html" / "index.html").read_text(encoding="utf-8")


def test_nothing_is_loaded_from_elsewhere() -> None:
    """The site works from a file system, and where there is no network."""
    loads = re.compile(r"<(?:script|link|img)\b[^>]*\b(?:src|href)=\"(https?:[^\"]*)")
    addresses = {
        address
        for page in (SITE / "html").rglob("*.html")
        for address in loads.findall(page.read_text(encoding="utf-8"))
    }

    assert addresses == set()


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_is_in_the_reference_and_in_the_man_page(verb: str) -> None:
    page = (SITE / "html" / "docs" / "reference" / "commands.html").read_text(encoding="utf-8")
    manual = (SITE / "man" / "waywiser.1").read_text(encoding="utf-8")

    assert f'id="waywiser-{verb}"' in page
    assert re.search(rf"^\.SS waywiser {verb}$", manual, re.IGNORECASE | re.MULTILINE)


def test_the_fields_of_documents_have_their_meaning() -> None:
    page = (SITE / "html" / "docs" / "reference" / "schemas.html").read_text(encoding="utf-8")

    assert "Mean useful computation of the ranks / run time." in page
