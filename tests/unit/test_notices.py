"""Every page keeps the notices and licences of the drawing library that it embeds."""

from __future__ import annotations

import html
import re
import tomllib

import vl_convert

from tests import synthetic
from tests.support import ROOT
from waywiser.report.frame import TEMPLATES, template
from waywiser.report.run.page import page

VERSIONS = {"vega": "6.2.0", "vega-embed": "7.0.2", "vega-lite": "6.4"}
"""Versions for which notices.txt was written; check the packages' licences for newer ones."""


def test_the_notices_are_of_the_library_that_is_embedded() -> None:
    def numbers(version: str) -> list[int]:
        return [int(word) for word in version.split(".")]

    assert {
        "vega": vl_convert.get_vega_version(),
        "vega-embed": vl_convert.get_vega_embed_version(),
        "vega-lite": max(vl_convert.get_vegalite_versions(), key=numbers),
    } == VERSIONS


def test_a_page_has_them_and_there_is_one_frame_of_pages() -> None:
    result = page(synthetic.run(4), synthetic.summary(4))

    assert template("notices.txt").strip() in html.unescape(result)
    with_scripts = [
        path.name for path in TEMPLATES.iterdir() if "{{ library }}" in path.read_text()
    ]
    assert with_scripts == ["frame.html.j2"]


def test_the_licences_are_whole_and_short() -> None:
    text = " ".join(template("notices.txt").split())

    for words in (
        "Copyright (c) 2015-2023, University of Washington Interactive Data Lab",
        "Copyright 2010-2026 Mike Bostock",
        "Redistributions in binary form must reproduce the above copyright notice",
        "OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.",
        "and this permission notice appear in all copies.",
        "The above copyright notice and this permission notice shall be included",
    ):
        assert words in text
    assert len(text) < 6000  # of a page's 0.9 MB


def test_notice_names_what_is_linked_in() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")

    assert "waywiser/report/templates/notices.txt" in notice
    for name in ("nanobind", "robin-map", "libstdc++", "GNU C Library"):
        assert re.search(rf"\b{re.escape(name)}", notice), name


def test_the_citation_is_of_this_version() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert f"\nversion: {project['version']}\n" in cited
    assert f"\nlicense: {project['license']}\n" in cited
