"""The matrix of a report in a real browser: zoomed and moved, from all ranks to a single pair."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import synthetic, synthetic_pages
from tests.system.browser_page import Opened
from tests.system.conftest import Look
from waywiser.model.summary import Summary


def test_the_matrix_zooms_by_wheel_and_by_button(look: Look) -> None:
    opened = look(synthetic_pages.of(64))
    chart = "chart-matrix-bytes"
    image = opened.page.locator(f"#{chart} image")
    width = image.bounding_box()["width"]

    image.scroll_into_view_if_needed()
    box = image.bounding_box()
    opened.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    opened.page.mouse.wheel(0, -400)
    opened.page.wait_for_function(
        "([chart]) => waywiserViews.get(chart).scale('x').domain()[0] > 0", arg=[chart]
    )

    for scale in ("x", "y"):
        low, high = sorted(opened.domain(chart, scale))
        assert -0.5 < low < high < 63.5
    assert image.bounding_box()["width"] > width

    opened.press(chart, "All ranks")
    assert opened.domain(chart, "x") == [-0.5, 63.5]
    opened.press(chart, "Closer")
    assert opened.domain(chart, "x") == [15.5, 47.5]
    assert sorted(opened.domain(chart, "y")) == [15.5, 47.5]
    opened.press(chart, "Farther")
    assert opened.domain(chart, "x") == [-0.5, 63.5]
    assert opened.faults == []


def spans(opened: Opened, chart: str) -> list[float]:
    return [high - low for low, high in (sorted(opened.domain(chart, s)) for s in ("x", "y"))]


def test_the_zoom_ends_at_two_ranks_and_at_all(look: Look) -> None:
    opened = look(synthetic_pages.of(64))
    chart = "chart-matrix-bytes"
    image = opened.page.locator(f"#{chart} image")
    image.scroll_into_view_if_needed()
    box = image.bounding_box()
    opened.page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.3 * box["height"])

    for _ in range(12):
        opened.page.mouse.wheel(0, -600)
    opened.page.wait_for_function(
        "([chart]) => { const [a, b] = waywiserViews.get(chart).scale('x').domain();"
        " return b - a < 2.01; }",
        arg=[chart],
    )
    opened.page.wait_for_timeout(300)
    assert spans(opened, chart) == pytest.approx([2, 2])
    # What was under the pointer is still there.
    assert opened.domain(chart, "x")[0] < 0.7 * 64 - 0.5 < opened.domain(chart, "x")[1]

    for _ in range(12):
        opened.page.mouse.wheel(0, 600)
    opened.page.wait_for_function(
        "([chart]) => waywiserViews.get(chart).scale('x').domain()[0] === -0.5", arg=[chart]
    )
    opened.page.wait_for_timeout(300)
    assert opened.domain(chart, "x") == [-0.5, 63.5]
    assert sorted(opened.domain(chart, "y")) == [-0.5, 63.5]
    assert opened.faults == []


def test_the_buttons_and_the_hand_stay_inside(look: Look) -> None:
    opened = look(synthetic_pages.of(64))
    chart = "chart-matrix-bytes"

    for _ in range(9):
        opened.press(chart, "Closer")
    assert spans(opened, chart) == pytest.approx([2, 2])

    image = opened.page.locator(f"#{chart} .background").first
    image.scroll_into_view_if_needed()
    box = image.bounding_box()
    for _ in range(24):
        opened.page.mouse.move(box["x"] + 0.1 * box["width"], box["y"] + 0.1 * box["height"])
        opened.page.mouse.down()
        opened.page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 0.9 * box["height"])
        opened.page.mouse.up()
    assert opened.domain(chart, "x") == pytest.approx([-0.5, 1.5])

    for _ in range(9):
        opened.press(chart, "Farther")
    assert opened.domain(chart, "x") == [-0.5, 63.5]
    assert opened.faults == []


class Explorer:
    def __init__(self, opened: Opened, name: str) -> None:
        self.opened, self.name = opened, f"chart-{name}"
        self.chart = opened.page.locator(f"#{self.name}")
        self.canvas = self.chart.locator("canvas")
        self.canvas.scroll_into_view_if_needed()

    def view(self) -> dict[str, float]:
        """`left`, `top` and `span` in ranks."""
        script = "(name) => waywiserExplorers.get(name).view"
        window: dict[str, float] = self.opened.page.evaluate(script, self.name)
        return window

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Place in the window of the fractions (x, y) of the plot."""
        script = "(name) => [waywiserExplorers.get(name).side, MARGIN.left, MARGIN.top]"
        side, left, top = self.opened.page.evaluate(script, self.name)
        box = self.canvas.bounding_box()
        return box["x"] + left + x * side, box["y"] + top + y * side

    def place_of(self, source: int, destination: int) -> tuple[float, float]:
        """Place in the window of the middle of a pair's square."""
        view = self.view()
        return self.place(
            (destination + 0.5 - view["left"]) / view["span"],
            (source + 0.5 - view["top"]) / view["span"],
        )

    def says(self) -> str:
        text: str = self.chart.locator("output").inner_text()
        return text


@pytest.fixture
def large(browser: Any, tmp_path: Path) -> Opened:
    """A halo exchange of 1,024 ranks: 23,296 pairs."""
    html = synthetic_pages.of(1024)
    return Opened(browser, tmp_path / "report.html", html, width=1920)


def pair_of(summary: Summary, source: int, to: int) -> str:
    sent = f"{summary.matrix.bytes.amount(source, to):,} B"
    return f"{sent} in {summary.matrix.messages.amount(source, to):,} messages"


def test_the_wheel_reaches_a_single_pair_with_its_exact_amount(large: Opened) -> None:
    matrix, summary = Explorer(large, "matrix-bytes"), synthetic.summary(1024)

    large.page.mouse.move(*matrix.place_of(500, 501))
    from_afar = matrix.says()
    # A pixel is two ranks from afar: the pointer follows the pair.
    for span in (256, 64, 16, 4, 2):
        large.page.mouse.move(*matrix.place_of(500, 501))
        large.page.mouse.wheel(0, -800)
        large.page.wait_for_function(
            "([name, span]) => waywiserExplorers.get(name).view.span === span",
            arg=[matrix.name, span],
        )
    large.page.mouse.move(*matrix.place_of(500, 501))

    block = summary.matrix.bytes.array
    inside = (block[:, 0] // 4 == 125) & (block[:, 1] // 4 == 125)
    assert from_afar.startswith(f"Ranks 500–503 to ranks 500–503: {block[inside, 2].sum():,} B")
    assert f"between {inside.sum()} pairs; most by rank 500 to rank 501" in from_afar
    assert matrix.says() == f"Rank 500 to rank 501: {pair_of(summary, 500, 501)}"
    assert large.faults == []
    assert large.loaded() == []


def test_two_numbers_or_the_keyboard_reach_a_pair(large: Opened) -> None:
    matrix, summary = Explorer(large, "matrix-messages"), synthetic.summary(1024)
    source, to = matrix.chart.locator("input").all()

    source.fill("1000")
    to.fill("999")
    to.press("Enter")
    assert matrix.says() == f"Rank 1000 to rank 999: {pair_of(summary, 1000, 999)}"

    matrix.canvas.press("ArrowLeft")
    matrix.canvas.press("ArrowUp")
    assert matrix.says() == f"Rank 999 to rank 998: {pair_of(summary, 999, 998)}"
    matrix.canvas.press("ArrowUp")
    assert matrix.says() == "Rank 998 to rank 998: nothing"
    matrix.canvas.press("0")
    assert matrix.view() == {"left": 0, "top": 0, "span": 1024}
    assert large.faults == []


def test_the_buttons_and_the_hand_stay_inside_a_large_matrix(large: Opened) -> None:
    matrix = Explorer(large, "matrix-bytes")
    plot = large.page.locator("figure", has=matrix.chart)

    plot.get_by_role("button", name="Closer").click()
    assert matrix.view() == {"left": 256, "top": 256, "span": 512}
    for _ in range(2):
        large.page.mouse.move(*matrix.place(0.1, 0.2))
        large.page.mouse.down()
        large.page.mouse.move(*matrix.place(0.9, 0.7))
        large.page.mouse.up()
    assert matrix.view() == {"left": 0, "top": 0, "span": 512}
    plot.get_by_role("button", name="All ranks").click()
    assert matrix.view() == {"left": 0, "top": 0, "span": 1024}
    for _ in range(12):
        plot.get_by_role("button", name="Closer").click()
    assert matrix.view()["span"] == 2
    assert large.faults == []


def test_a_large_matrix_fits_a_telephone(large: Opened) -> None:
    matrix = Explorer(large, "matrix-bytes")

    large.page.set_viewport_size({"width": 390, "height": 844})
    large.page.wait_for_function(
        "(name) => waywiserExplorers.get(name).canvas.clientWidth <= 390", arg=matrix.name
    )

    assert large.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert large.faults == []


def test_the_pointer_shows_a_pair(browser: Any, tmp_path: Path) -> None:
    html = synthetic_pages.of(4)
    opened = Opened(browser, tmp_path / "report.html", html)
    image = opened.page.locator("#chart-matrix-bytes image")

    image.scroll_into_view_if_needed()
    box = image.bounding_box()
    opened.page.mouse.move(box["x"] + 0.375 * box["width"], box["y"] + 0.125 * box["height"])

    tooltip = opened.page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    assert "4.16 MB" in tooltip.inner_text()
