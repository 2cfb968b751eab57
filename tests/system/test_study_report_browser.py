"""The report in a real browser: every plot drawn, nothing said, nothing loaded."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.synthetic import HOSTILE
from tests.system.browser_page import MARKS, Opened
from tests.system.conftest import Look
from tests.unit.test_study_report import hostile, studies
from tests.unit.test_whatif_sweeps import on_paper
from waywiser.report.answers.page import whatif_page
from waywiser.report.study.contents import contents_of
from waywiser.report.study.page import page as report_page
from waywiser.report.study.study_plots import drawn_plots


@cache
def page_of(name: str) -> str:
    study, findings = studies()[name]
    return report_page(contents_of(findings, study))


def test_every_plot_is_drawn_without_a_word(look: Look) -> None:
    for name, (_, findings) in studies().items():
        opened = look(page_of(name))

        for plot in drawn_plots(findings):
            marks = opened.page.locator(f"#chart-{plot.name} svg").locator(MARKS).count()
            expected = min(3, len(findings.configurations))
            assert marks >= expected, f"{name}: {plot.name} has {marks} marks"
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 1280
        assert opened.faults == []
        assert opened.loaded() == []


def test_foreign_text_neither_runs_nor_is_changed(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path / "hostile.html", report_page(hostile(HOSTILE)))

    assert HOSTILE.split("\u2028")[0] in opened.page.locator("h1").inner_text()
    assert opened.page.locator("img").count() == 0
    drawn = opened.page.locator("#chart-mpi-functions svg").text_content()
    assert "<img" in drawn or "</script>" in drawn
    assert opened.faults == []
    assert opened.loaded() == []


def test_every_run_is_a_mark(look: Look) -> None:
    findings = studies()["lammps"][1]
    opened = look(page_of("lammps"))

    marks = opened.page.locator("#chart-runs .mark-symbol.role-mark path").count()
    assert marks == findings.runs - len(findings.failed)


@pytest.mark.parametrize("page", ["report", "answer"])
def test_the_texts_of_a_heat_map_stay_dark_on_a_dark_page(
    browser: Any, tmp_path: Path, page: str
) -> None:
    html = {
        "report": lambda: page_of("sweep"),
        "answer": lambda: whatif_page(on_paper("latency=1us,3us", "bandwidth=x1,x2")),
    }[page]()
    opened = Opened(browser, tmp_path / f"{page}.html", html, color_scheme="dark")

    colours = opened.page.evaluate(
        "[...document.querySelectorAll('#chart-sweep .mark-text.role-mark text')]"
        ".map((text) => getComputedStyle(text).fill)"
    )
    assert len(colours) >= 8
    assert set(colours) == {"rgb(31, 35, 40)"}


def test_a_telephone_does_not_scroll_sideways(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path / "narrow.html", page_of("sweep"))

    opened.page.set_viewport_size({"width": 390, "height": 800})
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
