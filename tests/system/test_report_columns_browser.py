"""The plots of a report in one column or two, which end together, on any screen and on paper."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests import synthetic, synthetic_pages
from tests.support import cases
from tests.synthetic_jobs import write_ring
from tests.synthetic_pages import drawn
from tests.synthetic_sections import with_everything
from tests.system.browser_page import Opened
from tests.system.conftest import Look
from waywiser.report.run.page import page as report_page
from waywiser.store.timeline import timeline_of

MOST_SPACE_PX = 80
"""A margin of 4.5rem of a narrow page, and what a plot may fall short of its height."""


TEXT_PX = """
(svgs) => svgs.flatMap((svg) => {
  const scale = svg.getBoundingClientRect().width / svg.width.baseVal.value;
  return [...svg.querySelectorAll('text')].filter((text) => text.textContent).map(
    (text) => [scale * parseFloat(getComputedStyle(text).fontSize), text.textContent]
  );
})
"""


@pytest.mark.parametrize("width", [390, 1440])
def test_plots_are_as_wide_as_their_place_and_their_text_keeps_its_size(
    look: Look, width: int
) -> None:
    opened = look(synthetic_pages.of_everything(), width=width)

    charts = opened.page.locator(".chart").all()
    assert len(charts) == len(drawn(with_everything()))
    for chart in charts:
        name = chart.get_attribute("id")
        room, plot = chart.bounding_box(), chart.locator("svg").first.bounding_box()
        square = "matrix" in name  # as high as wide, and so no wider than useful
        assert plot["width"] >= (0.5 if square and width > 390 else 0.9) * room["width"], name
        assert plot["width"] <= room["width"], name
    texts = opened.page.locator(".chart svg").evaluate_all(TEXT_PX)
    assert [text for px, text in texts if px < 10] == []
    assert opened.faults == []


@pytest.mark.parametrize("ranks", cases([4, 1024], long=[64]))
def test_plots_leave_no_hole_on_a_screen(look: Look, ranks: int) -> None:
    assert holes(look(synthetic_pages.of(ranks), width=1440)) == []


def test_all_plots_leave_no_hole_beside_a_timeline(browser: Any, tmp_path: Path) -> None:
    trace = write_ring(tmp_path / "trace.ww", 4, 20)
    html = report_page(synthetic.run(4), with_everything(), timeline_of(trace))
    opened = Opened(browser, tmp_path / "report.html", html, width=1440)

    assert holes(opened) == []
    for width in (1900, 800):
        opened.page.set_viewport_size({"width": width, "height": 1000})
        opened.page.evaluate("new Promise((next) => setTimeout(next, 500))")
        opened.page.wait_for_selector(":root[data-drawn=yes]")
        assert holes(opened) == []


def test_the_left_column_is_read_before_the_right_one(look: Look) -> None:
    opened = look(synthetic_pages.of_everything(), width=1440)

    assert opened.page.locator("main > .right").count() > 0
    for before, after in pairwise(boxes(opened)):
        below, beside = after["top"] >= before["bottom"], after["left"] > before["left"]
        assert below or beside, (before["id"], after["id"])


def test_a_window_that_becomes_narrower_has_its_plots_drawn_again(
    browser: Any, tmp_path: Path
) -> None:
    opened = Opened(browser, tmp_path / "report.html", synthetic_pages.of(4), width=1440)

    opened.page.set_viewport_size({"width": 390, "height": 844})

    opened.page.wait_for_function(
        "() => document.querySelector('#chart-ranks svg').width.baseVal.value <= 342"
    )
    opened.page.wait_for_function(
        "() => document.querySelector('#chart-functions svg').width.baseVal.value <= 342"
    )
    assert opened.faults == []


def test_paper_has_plots_of_its_own_width(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    opened = Opened(browser, file, synthetic_pages.of_everything(), width=1440)

    # A browser prints once the handlers of the event are done, with all that they put off.
    widths = opened.page.evaluate(
        """async () => {
          window.dispatchEvent(new Event('beforeprint'));
          for (let i = 0; i < 20000; i++) await null;
          return [...document.querySelectorAll('.chart svg')].map((svg) => svg.width.baseVal.value);
        }"""
    )

    assert len(widths) == len(drawn(with_everything()))
    assert all(600 < width <= 680 for width in widths), widths
    assert opened.faults == []


def boxes(opened: Opened) -> list[dict[str, Any]]:
    """Places of the page's parts in the order of the document [px]."""
    script = "(parts) => parts.map((e) => ({ id: e.id, ...e.getBoundingClientRect().toJSON() }))"
    places: list[dict[str, Any]] = opened.page.locator("main > :not(script)").evaluate_all(script)
    return places


def holes(opened: Opened) -> list[tuple[str, float]]:
    """Parts that are below more space than there is between any two, or over the part before, in
    the left or the right half of the page, with that space [px]."""
    main = opened.page.locator("main").bounding_box()
    middle = main["x"] + main["width"] / 2
    spaces: list[tuple[str, float]] = []
    ends: list[float | None] = [None, None]
    for box in boxes(opened):
        left, right = box["left"] < middle, box["right"] > middle
        for half in [half for half, reached in enumerate((left, right)) if reached]:
            space = box["top"] - (box["top"] if ends[half] is None else ends[half])
            if not -1 < space <= MOST_SPACE_PX:
                spaces.append((box["id"], space))
            ends[half] = box["bottom"]
    return spaces
