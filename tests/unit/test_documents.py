"""The reference matches the models, and the pages name only what exists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.schemas import SCHEMA
from tests.support import ROOT


def test_the_schemas_in_the_reference_are_those_of_the_models() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "schemas.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr


def test_the_schema_that_documents_are_checked_by_is_valid() -> None:
    Draft202012Validator.check_schema(SCHEMA)


PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def headings(page: Path) -> set[str]:
    """Anchors of the page's headings, as links name them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_files_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", text)
    files = re.findall(r"`((?:docs|tests|tools|bench|examples|native)/[\w./-]+\.\w+)`", text)
    tests = re.findall(r"`(test_\w+\.py)`", text)

    missing = [link for link, _ in links if link and not (page.parent / link).exists()]
    missing += [
        f"{link}#{heading}"
        for link, heading in links
        if heading and heading not in headings(page.parent / link if link else page)
    ]
    missing += [
        file for file in files if not re.search("NAME|NNN", file) and not (ROOT / file).exists()
    ]
    missing += [test for test in tests if not any((ROOT / "tests").rglob(test))]

    assert not missing


def test_the_page_of_benchmarks_has_each_one() -> None:
    rows = re.findall(r"^\| (`.*?) \|", (ROOT / "docs" / "benchmarks.md").read_text("utf-8"), re.M)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}

    assert named == {path.stem for path in (ROOT / "bench").glob("*.py")} - {"__main__", "common"}
