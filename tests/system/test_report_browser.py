"""The report in a real browser: every plot drawn, nothing loaded or run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests import synthetic, synthetic_pages
from tests.support import cases
from tests.synthetic_jobs import write_ring
from tests.synthetic_pages import drawn
from tests.synthetic_sections import with_everything
from tests.system.browser_page import MARKS, Opened
from tests.system.conftest import Look
from tests.unit.test_roofline import kernels, line
from tests.unit.test_rupture_field import written
from tests.unit.test_wave_field import written as waves_written
from waywiser.model.pairs import Pairs
from waywiser.model.summary import Matrix
from waywiser.report.run.page import page as report_page
from waywiser.store.ruptures import MOST_SNAPSHOTS, ruptures_of_run
from waywiser.store.timeline import timeline_of
from waywiser.store.wave_fields import wave_fields_of_run


@pytest.mark.parametrize("ranks", cases([4, 1024], long=[64]))
def test_every_plot_is_drawn_without_a_word(look: Look, ranks: int) -> None:
    summary = synthetic.summary(ranks)
    opened = look(synthetic_pages.of(ranks), width=1440)

    assert {plot.name for plot in drawn(summary, explored=True)} == (
        {"matrix-bytes", "matrix-messages"} if ranks == 1024 else set()
    )
    for plot in drawn(summary):
        marks = opened.page.locator(f"#chart-{plot.name} svg").locator(MARKS).count()
        assert marks >= 3, f"{plot.name} is empty"
    bars = opened.page.locator("#chart-ranks .mark-rect.role-mark path").count()
    assert bars == 4 * ranks
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 1440
    assert opened.faults == []
    assert opened.loaded() == []


def test_every_section_is_drawn_without_a_word(browser: Any, tmp_path: Path) -> None:
    summary = with_everything(synthetic.HOSTILE)
    opened = Opened(browser, tmp_path / "report.html", report_page(synthetic.run(4), summary))

    assert {plot.name for plot in drawn(summary)} == {
        *("ranks", "phases", "opportunities", "functions", "sync", "waits", "wait-ranks"),
        *("critical-path", "communicators", "sizes", "matrix-bytes", "matrix-messages"),
        *("matrix-collectives", "matrix-waits", "extremes", "openmp", "counters"),
    }
    for plot in drawn(summary):
        marks = opened.page.locator(f"#chart-{plot.name} svg").locator(MARKS).count()
        assert marks >= 1, f"{plot.name} is empty"
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
    per_rank = tuple(first.replace(rank=rank, sync_seconds=wait) for rank, wait in enumerate(waits))
    update = {"ranks": ranks, "per_rank": per_rank, "sync_seconds": waits}
    html = report_page(synthetic.run(ranks), summary.replace(**update))
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


def test_many_ranks_zoom_along_their_axis(browser: Any, tmp_path: Path) -> None:
    html = synthetic_pages.of(128)
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


def test_hostile_texts_run_nothing(browser: Any, tmp_path: Path) -> None:
    text = synthetic.HOSTILE
    summary = synthetic.summary(4, host=text, lost=(text,))
    functions = {text: summary.functions["MPI_Allreduce"], **summary.functions}
    summary = summary.replace(functions=functions)
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


def test_a_screen_reader_hears_plots_and_not_their_marks(look: Look) -> None:
    summary = synthetic.summary(1024)
    opened = look(synthetic_pages.of(1024), width=1440)

    for plot in drawn(summary, explored=True):
        canvas = opened.page.locator(f"#chart-{plot.name} canvas")
        assert canvas.get_attribute("aria-label") == plot.title
        assert canvas.get_attribute("aria-describedby") == f"caption-{plot.name}"
    for plot in drawn(summary):
        drawing = opened.page.locator(f"#chart-{plot.name}")
        assert drawing.get_attribute("aria-label") == plot.title
        assert drawing.get_attribute("role") == "graphics-document"
        assert drawing.locator('.role-mark:not([aria-hidden="true"])').count() == 0
        assert drawing.locator('[aria-roledescription$=" mark"]').count() == 0


@pytest.mark.parametrize("scheme", cases(["dark"], long=["light"]))
def test_the_legend_of_a_roofline_shows_its_lines(
    browser: Any, tmp_path: Path, scheme: str
) -> None:
    roofline = kernels(line("triad", points_per_s=2e9))
    html = report_page(synthetic.run(4), synthetic.summary(4).replace(roofline=roofline))
    opened = Opened(browser, tmp_path / "report.html", html, color_scheme=scheme)

    marks = opened.page.locator("#chart-roofline .role-legend-symbol path").evaluate_all(
        "(paths) => paths.map((e) => getComputedStyle(e)).map((s) => [s.fill, s.stroke])"
    )
    hidden = ("none", "rgba(0, 0, 0, 0)")
    assert len(marks) >= 4
    assert all(fill not in hidden or stroke not in hidden for fill, stroke in marks)


def test_lines_follow_a_dark_page_but_over_images(browser: Any, tmp_path: Path) -> None:
    waves, ruptures = tmp_path / "waves", tmp_path / "ruptures"
    waves.mkdir()
    ruptures.mkdir()
    html = report_page(
        synthetic.run(4),
        synthetic.summary(4).replace(roofline=kernels(line("triad", points_per_s=2e9))),
        fields=wave_fields_of_run(waves, [waves_written(waves)]),
        ruptures=ruptures_of_run(ruptures, [written(ruptures)]),
    )
    opened = Opened(browser, tmp_path / "report.html", html, color_scheme="dark")

    def strokes(selector: str) -> set[str]:
        return set(
            opened.page.locator(selector).evaluate_all(
                "(marks) => marks.map((mark) => getComputedStyle(mark).stroke)"
            )
        )

    assert strokes("#chart-waves .mark-line.role-mark path") == {"rgb(228, 232, 236)"}
    assert strokes("#chart-rupture .mark-rule.role-mark line") == {
        *("rgb(0, 0, 0)", "rgb(255, 255, 255)"),
    }
    assert strokes("#chart-roofline .mark-rule.role-mark line") == {"rgb(230, 159, 0)"}


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


def test_equal_amounts_have_one_colour_and_one_entry_in_the_legend(
    browser: Any, tmp_path: Path
) -> None:
    pairs = Pairs((rank, (rank + 1) % 4, 4096) for rank in range(4))
    matrix = Matrix(bytes=pairs, messages=pairs)
    summary = synthetic.summary(4).replace(matrix=matrix)
    opened = Opened(browser, tmp_path / "report.html", report_page(synthetic.run(4), summary))

    legend = opened.page.locator("#chart-matrix-bytes .role-legend")
    swatch = legend.locator(".role-legend-symbol path")
    assert legend.locator(".role-legend-label text").all_text_contents() == ["4.1 kB"]
    assert swatch.count() == 1
    assert swatch.evaluate("(e) => getComputedStyle(e).stroke") == "rgb(0, 32, 81)"
    assert legend.locator(".role-legend-gradient").count() == 0


def test_equal_amounts_of_many_ranks_have_one_colour_in_the_legend(
    browser: Any, tmp_path: Path
) -> None:
    pairs = Pairs((a, (a + step) % 512, 8) for a in range(512) for step in range(1, 9))
    summary = synthetic.summary(512).replace(matrix=Matrix(bytes=pairs, messages=pairs))
    opened = Opened(browser, tmp_path / "report.html", report_page(synthetic.run(512), summary))

    colours = opened.page.evaluate(
        """() => {
          const { canvas, side } = waywiserExplorers.get('chart-matrix-bytes');
          const density = window.devicePixelRatio || 1;
          const x = Math.round((MARGIN.left + side + 17) * density);
          const column = canvas.getContext('2d').getImageData(x, 0, 1, canvas.height).data;
          const colours = new Set();
          for (let i = 0; i < column.length; i += 4) {
            if (column[i + 3] === 255) colours.add(column.slice(i, i + 3).join());
          }
          return [...colours];
        }"""
    )
    assert "0,32,81" in colours
    assert len(colours) < 10, "the rest is the text's and its edges'"


def test_a_pair_of_many_ranks_is_seen(browser: Any, tmp_path: Path) -> None:
    pairs = Pairs([(500, 700, 8), (3, 4, 16)])
    summary = synthetic.summary(1024).replace(matrix=Matrix(bytes=pairs, messages=pairs))
    opened = Opened(browser, tmp_path / "report.html", report_page(synthetic.run(1024), summary))

    marks = opened.page.locator("#chart-matrix-bytes .mark-rect.role-mark path")
    drawn_px = marks.evaluate_all(
        "(marks) => marks.map((e) => getComputedStyle(e)).map((s) => [s.stroke, s.strokeWidth])"
    )
    assert [width for _, width in drawn_px] == ["2px", "2px"]
    assert len({stroke for stroke, _ in drawn_px}) == 2


def test_the_keyboard_reaches_panels_tables_and_buttons_and_shows_where_it_is(
    browser: Any, tmp_path: Path
) -> None:
    trace = write_ring(tmp_path / "trace.ww", 4, 20)
    html = report_page(synthetic.run(4), synthetic.summary(4), timeline_of(trace))
    opened = Opened(browser, tmp_path / "report.html", html)
    reached: dict[str, str] = {}

    for _ in range(400):
        opened.page.keyboard.press("Tab")
        element, outline = opened.page.evaluate(
            """() => {
              const e = document.activeElement;
              const style = getComputedStyle(e);
              return [e.tagName + '.' + e.className, `${style.outlineStyle} ${style.outlineWidth}`];
            }"""
        )
        if element.startswith("BODY"):
            break
        reached[element] = outline

    assert {"A.", "CANVAS.", "DIV.table", "BUTTON.", "INPUT.", "SUMMARY."} <= set(reached)
    assert set(reached.values()) == {"solid 2px"}
