"""The layout of the report in a real browser: whole on any screen and on paper, no text cut."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests import synthetic, synthetic_pages, synthetic_waits
from tests.support import cases
from tests.synthetic_jobs import write_ring
from tests.synthetic_pages import drawn
from tests.synthetic_sections import with_everything
from tests.system.browser_page import Opened
from tests.system.conftest import Look
from waywiser.analyse.wait_words import NAMES
from waywiser.model.summary import Summary
from waywiser.report.frame import _prose
from waywiser.report.run.page import page as report_page
from waywiser.store.timeline import timeline_of


@pytest.mark.parametrize("width", [390, 1440])
def test_the_command_stands_first_and_leaves_room_for_the_finding(
    browser: Any, tmp_path: Path, width: int
) -> None:
    html = report_page(synthetic.run(4, argument="--path=/a" * 300), synthetic.summary(4))
    opened = Opened(browser, tmp_path / "report.html", html, width=width)
    command, finding = (
        opened.page.locator(selector).bounding_box() for selector in ("pre >> nth=0", ".finding")
    )

    assert command["y"] + command["height"] < finding["y"] < 450
    assert opened.page.locator("#command").inner_text().startswith("mpirun -n 4 /home/ada/apps/ww")
    opened.page.get_by_role("button", name="Copy").click()
    copied = opened.page.evaluate("getSelection().toString()")
    assert copied.endswith("verify=1")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.faults == []


def test_a_telephone_shows_whole_plots(look: Look) -> None:
    summary = with_everything()
    opened = look(synthetic_pages.of_everything(), width=390)

    for plot in drawn(summary):
        drawing = opened.page.locator(f"#chart-{plot.name} svg").first.bounding_box()
        assert 300 < drawing["width"] <= 390
        assert drawing["x"] >= 0
        assert drawing["x"] + drawing["width"] <= 390, plot.name
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("ranks", cases([4, 1024], long=[4096]))
def test_the_overview_is_as_wide_as_the_screen(look: Look, ranks: int) -> None:
    opened = look(synthetic_pages.of(ranks), width=1440)

    overview = opened.page.locator(".overview").bounding_box()
    tree = opened.page.locator(".tree").bounding_box()
    strips = opened.page.locator(".strip")
    assert overview["width"] > 1100
    assert overview["x"] + overview["width"] <= 1440
    assert strips.first.bounding_box()["x"] > tree["x"] + tree["width"]
    assert strips.count() == (1 if ranks == 4 else 2)
    assert opened.page.locator(".strip .out").count() >= 1
    bar = opened.page.locator(".strip span").first.bounding_box()
    assert bar["width"] <= 40
    assert 50 <= bar["height"] <= 144
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 1440


NARROW = """
<style>p { width: 390px; overflow-wrap: anywhere }</style><p>%s</p>
"""

LINE_ENDS = """
(paragraph) => {
  const ends = [], range = document.createRange();
  const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
  let before = '', bottom = 0;
  while (walker.nextNode()) {
    for (let i = 0; i < walker.currentNode.data.length; ++i) {
      range.setStart(walker.currentNode, i);
      range.setEnd(walker.currentNode, i + 1);
      const place = range.getBoundingClientRect();
      if (bottom && place.top >= bottom) ends.push(before);
      [before, bottom] = [walker.currentNode.data[i], place.bottom];
    }
  }
  return ends;
}
"""


def test_long_names_break_between_their_parts(browser: Any) -> None:
    name = "solver::grid::Multigrid<double,solver::Coarse<std::complex<double>>>::restricted"
    path = "/home/user/projects/solver/source/multigrid/restriction/restricted.cpp:123"
    tab = browser.new_page()
    tab.set_content(NARROW % _prose(f"The longest wait is in {name}, called from {path}."))

    ends = tab.locator("p").evaluate(LINE_ENDS)

    assert len(ends) >= 3
    assert {*ends} <= {*" :</,"}


def test_dark_and_narrow_windows(browser: Any, tmp_path: Path) -> None:
    html = synthetic_pages.of(4)
    opened = Opened(browser, tmp_path / "report.html", html, width=800, color_scheme="dark")

    label = opened.page.locator("#chart-ranks .role-legend-label text").first
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(20, 23, 26)"
    )
    assert label.evaluate("(e) => getComputedStyle(e).fill") == "rgb(228, 232, 236)"
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 800


LONG = "library::Solver::relax_and_restrict_the_residual_on_all_levels_of_the_hierarchy"
OUT_OF_SIGHT = """
(svgs) => svgs.flatMap((svg) => {
  const page = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter((text) => {
    const box = text.getBoundingClientRect();
    const cut = text.textContent.endsWith('…');
    return cut || box.left < page.left - 1 || box.right > page.right + 1;
  }).map((text) => text.textContent);
})
"""
"""Texts of drawings that are cut at their end or reach beyond their plot."""


def with_long_names() -> Summary:
    waits = synthetic_waits.waits(4, LONG)
    kinds = dict.fromkeys(NAMES, 0.01)
    waits = waits.replace(seconds=kinds)
    return with_everything().replace(waits=waits)


@cache
def page_with_long_names() -> str:
    return report_page(synthetic.run(4), with_long_names())


@pytest.mark.parametrize("width", cases([390, 1440], long=[800]))
def test_no_label_and_no_legend_is_cut(look: Look, width: int) -> None:
    opened = look(page_with_long_names(), width=width)

    assert opened.page.locator(".chart svg").evaluate_all(OUT_OF_SIGHT) == []
    labels = opened.page.locator("#chart-critical-path .role-axis-label text").all_text_contents()
    short = "MPI_Allreduce from …erarchy at cg.c:30" if width > 390 else "MPI_Allreduc… at cg.c:30"
    assert short in labels
    assert opened.page.locator("#chart-wait-ranks .role-legend-label text").count() == len(NAMES)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_table_has_the_plots_beside_names_that_are_whole_where_they_are_pointed_at(
    look: Look,
) -> None:
    opened = look(page_with_long_names(), width=1440)

    for table in opened.page.locator("main > section > .table").all():
        assert table.evaluate("(e) => e.scrollWidth - e.clientWidth") <= 0
    cell = opened.page.locator("#wait-causes td[title]").first
    assert cell.get_attribute("title") == f"MPI_Recv from {LONG} at cg.c:12"
    assert cell.inner_text() == "MPI_Recv from library::Solver::rel…ls_of_the_hierarchy at cg.c:12"


def test_paper_has_whole_plots_in_light_colours_and_no_licences(
    browser: Any, tmp_path: Path
) -> None:
    """A4 without margins of 15 mm is 680 px wide."""
    trace = write_ring(tmp_path / "trace.ww", 4, 20)
    html = report_page(synthetic.run(4), with_long_names(), timeline_of(trace))
    opened = Opened(browser, tmp_path / "report.html", html, width=680, color_scheme="dark")

    opened.page.emulate_media(media="print", color_scheme="dark")
    opened.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")

    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 680
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    for part in ("canvas", ".chart svg", "main table"):
        for box in opened.page.locator(part).evaluate_all(
            "(parts) => parts.map((e) => e.getBoundingClientRect()).map((b) => [b.left, b.right])"
        ):
            assert box[0] >= 0
            assert box[1] <= 680, part
    assert not opened.page.locator("footer pre").is_visible()
    assert opened.page.locator("section details table").first.is_visible()
    for part in ("h2", "caption"):
        after = opened.page.locator(f"main section {part}").first.evaluate(
            "(e) => getComputedStyle(e).breakAfter"
        )
        assert after == "avoid", part
    inside = opened.page.locator("figure").first.evaluate("(e) => getComputedStyle(e).breakInside")
    assert inside == "avoid"
    assert opened.faults == []
