"""The timeline in a real browser: drawn, zoomed from cells to calls, read by keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import synthetic
from tests.synthetic_jobs import write_ring
from tests.system.browser_page import Opened
from waywiser.report.run.page import page as report_page
from waywiser.store.timeline import timeline_of
from waywiser.store.waits import waits_of

MS = 1_000_000
THE_TIMELINE = "const t = waywiserExplorers.get('chart-timeline');"


class Timeline:
    """The timeline of an opened page."""

    def __init__(self, browser: Any, directory: Path, ranks: int, iterations: int) -> None:
        trace = write_ring(directory / "trace.ww", ranks, iterations)
        self.waits = waits_of(trace)
        summary = synthetic.summary(4).replace(waits=self.waits)
        html = report_page(synthetic.run(4), summary, timeline_of(trace))
        self.opened = Opened(browser, directory / "report.html", html, width=1000)
        self.page = self.opened.page
        self.canvas = self.page.locator("#chart-timeline .plot canvas")
        self.plot = self.page.locator("figure", has=self.canvas)
        self.tip = self.page.locator("#chart-timeline .tip")
        self.canvas.scroll_into_view_if_needed()

    def ask(self, expression: str) -> Any:
        """Value of an expression of the page's program, whose timeline is `t`."""
        return self.page.evaluate(f"(() => {{ {THE_TIMELINE} return {expression}; }})()")

    def drawn(self) -> None:
        """Waits until what was asked for is drawn."""
        self.page.wait_for_function("() => !waywiserExplorers.get('chart-timeline').waiting")

    def point(self, rank: float, ns: float) -> None:
        """Moves the pointer to a moment of a rank."""
        x = self.ask(f"EDGE.left + t.x({ns})")
        y = self.ask(f"EDGE.top + ({rank} + 0.4 - t.view.top) * t.rowPx")
        box = self.canvas.bounding_box()
        self.page.mouse.move(box["x"] + x, box["y"] + y)

    def colours(self, rank: int) -> set[str]:
        """Kinds of intervals whose colours a row's picture has."""
        script = """
          const y = Math.round((EDGE.top + (%d + 0.5 - t.view.top) * t.rowPx) - 2);
          const density = window.devicePixelRatio || 1;
          const pen = t.canvas.getContext('2d');
          const row = pen.getImageData(0, (y - 14) * density, t.canvas.width, 29 * density).data;
          const found = new Set();
          for (let i = 0; i < row.length; i += 4) {
            const hex = (k) => row[i + k].toString(16).padStart(2, '0');
            found.add(`#${hex(0)}${hex(1)}${hex(2)}`);
          }
          return t.head.kinds.filter((_, kind) => found.has(t.colours[kind].trim().toLowerCase()));
        """
        return set(self.page.evaluate(f"(() => {{ {THE_TIMELINE} {script % rank} }})()"))


def test_from_cells_to_single_calls_with_their_messages(browser: Any, tmp_path: Path) -> None:
    timeline = Timeline(browser, tmp_path, 4, 200)

    assert timeline.colours(0) >= {"Computation", "Waiting for requests", "Other MPI"}
    timeline.point(0, 80 * MS)
    assert timeline.tip.is_visible()
    assert timeline.tip.inner_text().startswith("Rank 0, ")
    assert "Waiting for requests" in timeline.tip.inner_text()
    assert timeline.ask("t.shownArrows.length") == 0, "too many to tell apart"

    begin = 102 * MS + 700_000
    for _ in range(8):
        timeline.point(0, begin + 100_000)
        timeline.page.mouse.wheel(0, -300)
        timeline.drawn()
    timeline.point(0, begin + 100_000)

    assert timeline.ask("t.view.span") < 2 * MS
    assert timeline.ask("t.shownArrows.length") > 0
    assert timeline.tip.inner_text().splitlines() == [
        "Rank 0: MPI_Waitall",
        "from exchange at ring.c:42",
        "begins 0.102\u202f708\u202f000 s",
        "takes 152 µs",
        "requests 4",
        "receives 2 messages, the last sent by rank 1",
        "waits 98 µs until rank 1 sends",
    ]
    assert timeline.opened.faults == []
    assert timeline.opened.loaded() == []


def test_buttons_keyboard_and_hand_stay_in_the_trace(browser: Any, tmp_path: Path) -> None:
    timeline = Timeline(browser, tmp_path, 4, 20)
    whole = timeline.ask("t.view.span")

    for button, left in (("Closer", 0.25), ("Closer", 0.375), ("Later", 0.5), ("Earlier", 0.375)):
        timeline.plot.get_by_role("button", name=button).click()
        assert timeline.ask("t.view.left") == pytest.approx(left * whole)
    timeline.plot.get_by_role("button", name="All", exact=True).click()
    assert timeline.ask("[t.view.left, t.view.span]") == [0, whole]

    timeline.canvas.press("ArrowRight")
    timeline.canvas.press("ArrowDown")
    timeline.canvas.press("ArrowRight")
    output = timeline.page.locator("#chart-timeline output").text_content()
    assert output.startswith("Rank 1: MPI_")
    for _ in range(40):
        timeline.canvas.press("+")
    assert timeline.ask("t.view.span") == 20
    timeline.canvas.press("0")
    assert timeline.ask("[t.view.left, t.view.span]") == [0, whole]

    timeline.drawn()
    timeline.plot.get_by_role("button", name="Closer").click()
    timeline.drawn()
    box = timeline.canvas.bounding_box()
    for _ in range(3):
        timeline.page.mouse.move(box["x"] + 100, box["y"] + 40)
        timeline.page.mouse.down()
        timeline.page.mouse.move(box["x"] + 700, box["y"] + 60)
        timeline.page.mouse.up()
    assert timeline.ask("[t.view.left, t.view.top]") == [0, 0]
    assert timeline.opened.faults == []


def test_many_ranks_are_bands_until_some_are_chosen(browser: Any, tmp_path: Path) -> None:
    timeline = Timeline(browser, tmp_path, 1024, 10)
    height = timeline.canvas.bounding_box()["height"]

    assert timeline.ask("t.together") == 16
    timeline.point(500, 5 * MS)
    assert timeline.tip.inner_text().startswith("Rank 496 to rank 511, ")

    first, last = timeline.plot.locator("input").all()
    first.fill("500")
    last.fill("515")
    last.press("Enter")
    timeline.drawn()
    assert timeline.ask("[t.together, t.view.top, t.view.rows]") == [1, 500, 16]
    timeline.point(507, MS)
    assert timeline.tip.inner_text().startswith("Rank 507: MPI_Init")
    assert timeline.canvas.bounding_box()["height"] == height, "the page does not jump"
    assert timeline.page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert timeline.opened.faults == []


def test_paper_has_all_of_it_in_colours_for_paper(browser: Any, tmp_path: Path) -> None:
    timeline = Timeline(browser, tmp_path, 4, 20)
    timeline.page.emulate_media(color_scheme="dark")
    timeline.plot.get_by_role("button", name="Closer").click()
    timeline.drawn()

    timeline.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")

    assert timeline.ask("t.view.span === t.length")
    assert timeline.ask("t.colours[0]") == "#cfe2ef"
    assert timeline.opened.faults == []


def test_one_zoom_moves_the_ranks_and_the_panels_above_them(browser: Any, tmp_path: Path) -> None:
    timeline = Timeline(browser, tmp_path, 4, 20)
    shares, waits = timeline.page.locator("#chart-timeline .panel canvas").all()
    whole = timeline.ask("t.view.span")

    def widest(panel: int) -> int:
        """Columns beside each other that have a colour in the lowest line of a panel's picture."""
        script = f"""
          const canvas = t.panels[{panel}].canvas;
          const line = Math.round((EDGE.top + PANEL_PX - 1) * (window.devicePixelRatio || 1));
          const copy = new OffscreenCanvas(canvas.width, 1).getContext('2d');
          copy.drawImage(canvas, 0, -line);
          const row = copy.getImageData(0, 0, canvas.width, 1).data;
          let [widest, run] = [0, 0];
          for (let x = 3; x < row.length; x += 4) {{
            run = row[x] ? run + 1 : 0;
            widest = Math.max(widest, run);
          }}
          return widest;
        """
        pixels: int = timeline.page.evaluate(f"(() => {{ {THE_TIMELINE} {script} }})()")
        return pixels

    before = widest(1)
    waits.scroll_into_view_if_needed()
    box = waits.bounding_box()
    # In the middle of the iteration that begins after 10 ms.
    x = timeline.ask(f"EDGE.left + t.x({12.75 * MS})")
    timeline.page.mouse.move(box["x"] + x, box["y"] + 30)
    assert timeline.tip.inner_text().splitlines()[0].startswith("Waiting ranks, by cause")
    assert "Late Sender" in timeline.tip.inner_text()
    for _ in range(4):
        timeline.page.mouse.wheel(0, -300)
        timeline.drawn()

    assert timeline.ask("t.view.span") == pytest.approx(whole / 16)
    assert widest(1) > 8 * before, "the wait is wider than before"
    assert widest(0) > 0.9 * timeline.ask("t.width")

    shares.dblclick()
    timeline.drawn()
    assert timeline.ask("t.view.span") == whole
    assert widest(1) == before
    shares.press("+")
    timeline.drawn()
    assert timeline.ask("t.view.span") == whole / 2
    shares.press("ArrowRight")
    output = timeline.page.locator("#chart-timeline output").text_content()
    assert output.startswith("Time of all ranks, ")
    assert timeline.opened.faults == []


def test_the_legend_has_the_shares_of_what_is_in_view(browser: Any, tmp_path: Path) -> None:
    timeline = Timeline(browser, tmp_path, 4, 20)
    bar = timeline.page.locator("#chart-timeline .whole i")
    legend = timeline.page.locator("#chart-timeline .kinds span")
    # The cells of the page, a second source beside the calls.
    cells = """Object.fromEntries([...t.labels].map(({ dataset: { kind } }) => {
      const ns = t.grids[0].ns;
      const part = ns.filter((_, i) => t.head.kinds[i % t.head.kinds.length] === kind);
      return [kind, percent(part.reduce((a, b) => a + b) / ns.reduce((a, b) => a + b))];
    }))"""

    def shown() -> dict[str, str]:
        names = legend.evaluate_all("(all) => all.map((e) => e.dataset.kind)")
        return dict(zip(names, legend.all_inner_texts(), strict=True))

    whole = shown()
    assert whole == timeline.ask(cells)
    assert whole["Waiting for requests"] != "0 %"
    assert timeline.plot.locator(".interval").inner_text().startswith("All of ")
    polled = """(() => {
      const before = t.timesInView();
      const length = t.calls.end[0] - t.calls.begin[0];
      t.calls.idle[0] = length;
      const moved = t.timesInView().map((ns, kind) => (ns - before[kind]) / length);
      t.calls.idle[0] = 0;
      return [moved[0], moved[t.calls.kind[0]]];
    })()"""
    assert timeline.ask(polled) == pytest.approx([1, -1]), "a poll that found nothing computes"

    for _ in range(2):
        timeline.plot.get_by_role("button", name="Closer").click()
    timeline.drawn()
    output = timeline.plot.locator(".interval").inner_text()
    length, left = (timeline.ask(f"duration({ns})") for ns in ("t.view.span", "t.view.left"))
    assert output == f"{length} from {left} on, 25 % of the time"
    box, around = (part.bounding_box() for part in (bar, bar.locator("..")))
    assert box["width"] == pytest.approx(around["width"] / 4, abs=1)
    assert box["x"] - around["x"] == pytest.approx(0.375 * around["width"], abs=1)
    closer = shown()
    assert closer != whole

    # Where calls are merged, cells must do, and below a few cells nothing is said.
    timeline.ask("(t.head.merged = 1, t.draw())")
    assert {name: text.split(" %")[0][:2] for name, text in shown().items()} == {
        name: text.split(" %")[0][:2] for name, text in closer.items()
    }
    timeline.ask("t.zoomTo(7 * t.grids[0].width)")
    timeline.drawn()
    assert set(shown().values()) == {""}
    assert timeline.opened.faults == []


def test_panels_show_what_their_columns_say(browser: Any, tmp_path: Path) -> None:
    timeline = Timeline(browser, tmp_path, 4, 20)

    mean = timeline.ask("t.panels[0].columns(t.view, t.px)[0].parts.reduce((a, b) => a + b)")
    last = timeline.ask("t.panels[0].columns(t.view, t.px).at(-1).parts.reduce((a, b) => a + b)")
    total = timeline.ask("t.panels[1].ns.reduce((a, b) => a + b)")
    late = timeline.ask("t.panels[1].kinds")
    assert mean == pytest.approx(4), "every rank is somewhere"
    assert last == pytest.approx(4), "also in the last column, which may be shorter"
    assert late == ["Late Sender"]
    assert total == pytest.approx(1e9 * timeline.waits.seconds["late_sender"])
