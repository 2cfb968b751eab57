"""The report in a real browser: every figure drawn, the matrix zoomed, nothing loaded or run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests import synthetic
from tests.synthetic_sections import with_everything
from tests.unit.test_roofline import line, samples
from tests.unit.test_rupture_field import written
from waywiser.model.summary import Summary
from waywiser.report.figure import Figure
from waywiser.report.figures import FIGURES
from waywiser.report.page import page as report_page
from waywiser.store.ruptures import MOST_SNAPSHOTS, ruptures_of_run

MARKS = ".role-mark path, .role-mark rect, .role-mark image, .role-mark text"
DRAWN_MS = 60_000


class Opened:
    """A report in the browser, with everything that it said or asked for."""

    def __init__(self, browser: Any, file: Path, html: str, **options: Any) -> None:
        file.write_text(html, encoding="utf-8")
        self.faults: list[str] = []
        self.requests: list[str] = []
        self.page = browser.new_page(viewport={"width": 1280, "height": 900}, **options)
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", self._asked)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("html[data-drawn=yes]", timeout=DRAWN_MS)
        self.address = file.as_uri()

    def _said(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.faults.append(f"{message.type}: {message.text}")

    def _asked(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def loaded(self) -> list[str]:
        """Addresses that were asked for, other than the file and data inside it."""
        return [url for url in self.requests if url != self.address and url[:5] != "data:"]

    def domain(self, chart: str, scale: str) -> list[float]:
        """The ends of a scale of a chart."""
        script = "([chart, scale]) => waywiserViews.get(chart).scale(scale).domain()"
        found: list[float] = self.page.evaluate(script, [chart, scale])
        return found

    def press(self, chart: str, button: str) -> None:
        """Press a zoom button of a chart and wait until it is drawn again."""
        figure = self.page.locator("figure", has=self.page.locator(f"#{chart}"))
        figure.get_by_role("button", name=button).click()
        self.page.evaluate("async (chart) => { await waywiserViews.get(chart).runAsync(); }", chart)


def drawn(summary: Summary, *, explored: bool = False) -> list[Figure]:
    """The figures that Vega draws, or those that are explored on a canvas."""
    figures = [figure for figure in FIGURES if figure.chart and figure.concerns(summary)]
    return [
        figure
        for figure in figures
        if not figure.absent(summary) and bool(figure.explored(summary)) == explored
    ]


@pytest.mark.parametrize("ranks", [4, 64, 1024])
def test_every_figure_is_drawn_without_a_word(browser: Any, tmp_path: Path, ranks: int) -> None:
    summary = synthetic.summary(ranks)
    html = report_page(synthetic.run(ranks), summary)
    opened = Opened(browser, tmp_path / "report.html", html)

    assert {figure.name for figure in drawn(summary, explored=True)} == (
        {"matrix-bytes", "matrix-messages"} if ranks == 1024 else set()
    )
    for figure in drawn(summary):
        marks = opened.page.locator(f"#chart-{figure.name} svg").locator(MARKS).count()
        assert marks >= 3, f"{figure.name} is empty"
    bars = opened.page.locator("#chart-ranks .mark-rect.role-mark path").count()
    assert bars == 4 * ranks
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert opened.faults == []
    assert opened.loaded() == []


def test_the_matrix_zooms_by_wheel_and_by_button(browser: Any, tmp_path: Path) -> None:
    html = report_page(synthetic.run(64), synthetic.summary(64))
    opened = Opened(browser, tmp_path / "report.html", html)
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


def test_the_zoom_ends_at_two_ranks_and_at_all(browser: Any, tmp_path: Path) -> None:
    html = report_page(synthetic.run(64), synthetic.summary(64))
    opened = Opened(browser, tmp_path / "report.html", html)
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


def test_the_buttons_and_the_hand_stay_inside(browser: Any, tmp_path: Path) -> None:
    html = report_page(synthetic.run(64), synthetic.summary(64))
    opened = Opened(browser, tmp_path / "report.html", html)
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


def test_every_section_is_drawn_without_a_word(browser: Any, tmp_path: Path) -> None:
    summary = with_everything(synthetic.HOSTILE)
    opened = Opened(browser, tmp_path / "report.html", report_page(synthetic.run(4), summary))

    assert len(drawn(summary)) == sum(figure.chart is not None for figure in FIGURES)
    for figure in drawn(summary):
        marks = opened.page.locator(f"#chart-{figure.name} svg").locator(MARKS).count()
        assert marks >= 1, f"{figure.name} is empty"
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert opened.faults == []
    assert opened.loaded() == []


@pytest.mark.parametrize(
    ("ranks", "at", "says"), [(4, 2.5 / 4, "2"), (4096, 0.5, r"20\d[02468] to 20\d[13579]")]
)
def test_the_pointer_shows_the_wait_of_a_rank(
    browser: Any, tmp_path: Path, ranks: int, at: float, says: str
) -> None:
    summary = with_everything()
    [first, *_] = summary.per_rank or ()
    waits = tuple(0.25 for _ in range(ranks))
    per_rank = tuple(
        first.model_copy(update={"rank": rank, "sync_seconds": wait})
        for rank, wait in enumerate(waits)
    )
    update = {"ranks": ranks, "per_rank": per_rank, "sync_seconds": waits}
    html = report_page(synthetic.run(ranks), summary.model_copy(update=update))
    opened = Opened(browser, tmp_path / "report.html", html)
    plot = opened.page.locator("#chart-waits svg .background").first

    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    opened.page.mouse.move(box["x"] + at * box["width"] + 0.1, box["y"] + 0.7 * box["height"])

    tooltip = opened.page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    # A pixel is many ranks wide where there are 4,096.
    assert re.fullmatch(says, tooltip.locator("td.value").first.inner_text())
    assert "0.25" in tooltip.inner_text()
    assert opened.faults == []


class Explorer:
    """A matrix on a canvas."""

    def __init__(self, opened: Opened, name: str) -> None:
        self.opened, self.name = opened, f"chart-{name}"
        self.chart = opened.page.locator(f"#{self.name}")
        self.canvas = self.chart.locator("canvas")
        self.canvas.scroll_into_view_if_needed()

    def view(self) -> dict[str, float]:
        """`left`, `top` and `span` in ranks."""
        script = "(name) => waywiserExplorers.get(name).view"
        found: dict[str, float] = self.opened.page.evaluate(script, self.name)
        return found

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where in the window the fractions (x, y) of the plot are."""
        script = "(name) => [waywiserExplorers.get(name).side, MARGIN.left, MARGIN.top]"
        side, left, top = self.opened.page.evaluate(script, self.name)
        box = self.canvas.bounding_box()
        return box["x"] + left + x * side, box["y"] + top + y * side

    def place_of(self, source: int, destination: int) -> tuple[float, float]:
        """Where in the window the middle of a pair's square is."""
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
    html = report_page(synthetic.run(1024), synthetic.summary(1024))
    return Opened(browser, tmp_path / "report.html", html)


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
    figure = large.page.locator("figure", has=matrix.chart)

    figure.get_by_role("button", name="Closer").click()
    assert matrix.view() == {"left": 256, "top": 256, "span": 512}
    for _ in range(2):
        large.page.mouse.move(*matrix.place(0.1, 0.2))
        large.page.mouse.down()
        large.page.mouse.move(*matrix.place(0.9, 0.7))
        large.page.mouse.up()
    assert matrix.view() == {"left": 0, "top": 0, "span": 512}
    figure.get_by_role("button", name="All ranks").click()
    assert matrix.view() == {"left": 0, "top": 0, "span": 1024}
    for _ in range(12):
        figure.get_by_role("button", name="Closer").click()
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


def test_many_ranks_zoom_along_their_axis(browser: Any, tmp_path: Path) -> None:
    html = report_page(synthetic.run(128), synthetic.summary(128))
    opened = Opened(browser, tmp_path / "report.html", html)
    plot = opened.page.locator("#chart-ranks svg")

    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    opened.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    opened.page.mouse.wheel(0, -400)

    opened.page.wait_for_function(
        "() => waywiserViews.get('chart-ranks').scale('x').domain()[0] > 0"
    )
    assert opened.faults == []


def test_the_pointer_shows_a_pair(browser: Any, tmp_path: Path) -> None:
    html = report_page(synthetic.run(4), synthetic.summary(4))
    opened = Opened(browser, tmp_path / "report.html", html)
    image = opened.page.locator("#chart-matrix-bytes image")

    image.scroll_into_view_if_needed()
    box = image.bounding_box()
    opened.page.mouse.move(box["x"] + 0.375 * box["width"], box["y"] + 0.125 * box["height"])

    tooltip = opened.page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    assert "4.16 MB" in tooltip.inner_text()


def test_hostile_texts_run_nothing(browser: Any, tmp_path: Path) -> None:
    text = synthetic.HOSTILE
    summary = synthetic.summary(4, host=text, lost=(text,))
    functions = {text: summary.functions["MPI_Allreduce"], **summary.functions}
    summary = summary.model_copy(update={"functions": functions})
    opened = Opened(
        browser, tmp_path / "report.html", report_page(synthetic.run(4, argument=text), summary)
    )
    bar = opened.page.locator("#chart-ranks .mark-rect.role-mark path").first

    bar.scroll_into_view_if_needed()
    bar.hover()
    tooltip = opened.page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()

    assert "<img src=x" in tooltip.inner_text()
    assert opened.page.locator("img").count() == 0
    assert opened.faults == []
    assert opened.loaded() == []


def test_a_telephone_shows_whole_figures(browser: Any, tmp_path: Path) -> None:
    summary = with_everything()
    html = report_page(synthetic.run(4), summary)
    opened = Opened(browser, tmp_path / "report.html", html)
    opened.page.set_viewport_size({"width": 390, "height": 844})

    for figure in drawn(summary):
        drawing = opened.page.locator(f"#chart-{figure.name} svg").first.bounding_box()
        assert 300 < drawing["width"] <= 390
        assert drawing["x"] >= 0
        assert drawing["x"] + drawing["width"] <= 390, figure.name
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_screen_reader_hears_figures_and_not_their_marks(browser: Any, tmp_path: Path) -> None:
    summary = synthetic.summary(1024)
    html = report_page(synthetic.run(1024), summary)
    opened = Opened(browser, tmp_path / "report.html", html)

    for figure in drawn(summary, explored=True):
        canvas = opened.page.locator(f"#chart-{figure.name} canvas")
        assert canvas.get_attribute("aria-label") == figure.title
        assert canvas.get_attribute("aria-describedby") == f"caption-{figure.name}"
    for figure in drawn(summary):
        drawing = opened.page.locator(f"#chart-{figure.name}")
        assert drawing.get_attribute("aria-label") == figure.title
        assert drawing.get_attribute("role") == "graphics-document"
        assert drawing.locator('.role-mark:not([aria-hidden="true"])').count() == 0
        assert drawing.locator('[aria-roledescription$=" mark"]').count() == 0


def test_dark_and_narrow_windows(browser: Any, tmp_path: Path) -> None:
    html = report_page(synthetic.run(4), synthetic.summary(4))
    opened = Opened(browser, tmp_path / "report.html", html, color_scheme="dark")
    opened.page.set_viewport_size({"width": 800, "height": 900})

    label = opened.page.locator("#chart-time .role-legend-label text").first
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(20, 23, 26)"
    )
    assert label.evaluate("(e) => getComputedStyle(e).fill") == "rgb(228, 232, 236)"
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 800


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_legend_of_a_roofline_shows_its_lines(
    browser: Any, tmp_path: Path, scheme: str
) -> None:
    kernels = samples(line("triad", points_per_s=2e9))
    html = report_page(synthetic.run(4), synthetic.summary(4), samples=kernels)
    opened = Opened(browser, tmp_path / "report.html", html, color_scheme=scheme)

    marks = opened.page.locator("#chart-roofline .role-legend-symbol path").evaluate_all(
        "(paths) => paths.map((e) => getComputedStyle(e)).map((s) => [s.fill, s.stroke])"
    )
    hidden = ("none", "rgba(0, 0, 0, 0)")
    assert len(marks) >= 4
    assert all(fill not in hidden or stroke not in hidden for fill, stroke in marks)


def test_a_rupture_is_drawn(browser: Any, tmp_path: Path) -> None:
    ruptures = ruptures_of_run(tmp_path, [written(tmp_path)])
    html = report_page(synthetic.run(4), synthetic.summary(4), ruptures=ruptures)
    opened = Opened(browser, tmp_path / "report.html", html)

    chart = opened.page.locator("#chart-rupture svg")
    assert chart.locator("image").count() == 2 + MOST_SNAPSHOTS
    assert chart.locator(".mark-rule line").count() > 100
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert opened.faults == []
    assert opened.loaded() == []
