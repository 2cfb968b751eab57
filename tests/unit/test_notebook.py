"""docs/run.ipynb runs from its first cell to its last, and each shows something."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import waywiser as ww
from tests.support import ROOT
from tests.synthetic_jobs import rounds
from waywiser.report.run.run_plots import drawn_plots
from waywiser.store.timeline import read_timeline

NOTEBOOK = ROOT / "docs" / "run.ipynb"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rounds(["a", "b"], [1, 3]).run(tmp_path_factory.mktemp("made") / "run")


def cells() -> list[str]:
    all_cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in all_cells if cell["cell_type"] == "code"]


def shown(cell: str, names: dict[str, Any]) -> Any:
    """Executes a cell as a notebook does; the value of its last line."""
    parsed = ast.parse(cell, str(NOTEBOOK))
    last = parsed.body.pop()
    assert isinstance(last, ast.Expr), f"shows nothing: {cell}"
    exec(compile(parsed, str(NOTEBOOK), "exec"), names)
    return eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)


def test_the_notebook_of_the_docs_runs(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUN", str(run))
    names: dict[str, Any] = {}

    values = [shown(cell, names) for cell in cells()]

    assert len(values) >= 10
    assert names["ranks"]["mpi_share"].between(0, 1).all()
    assert names["waits"].rows() == [("all_to_all", pytest.approx(10 * 2e-3))]
    assert names["longest"].fetchall()[0] == ("MPI_Init", 5.0)
    assert names["opportunities"]["name"].to_list() == [
        opportunity.name for opportunity in names["advice"].opportunities
    ]
    assert names["opportunities"]["gain_seconds"][0] == pytest.approx(10e-3, rel=0.01), "balance"
    assert names["predicted"]["cpu"].to_list() == [1, 2, 4, 8]
    computation = names["predicted"]["predicted_seconds"] * names["predicted"]["cpu"]
    assert computation.to_list() == pytest.approx([30e-3] * 4, rel=0.02)
    assert [row["run"] for row in values[-1]] == [str(run)]


def test_the_notebook_is_kept_without_what_it_printed() -> None:
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs")


def test_plots_are_those_of_the_report(run: Path) -> None:
    opened = ww.open(run)
    assert isinstance(opened, ww.Run)
    plots = drawn_plots(opened.summary, read_timeline(run))
    specifications = {plot.name: json.loads(plot.specification) for plot in plots if plot.chart}

    assert list(opened.plots) == list(specifications)
    for name, chart in opened.plots.items():
        drawn, expected = chart.to_dict(), specifications[name]
        assert sorted(drawn["datasets"]) == sorted(expected["datasets"])
        assert all(drawn["datasets"][key] == rows for key, rows in expected["datasets"].items())
        assert drawn["config"]["font"] == expected["config"]["font"], "the look of all plots"
        assert drawn.keys() == expected.keys()
    with pytest.raises(KeyError):
        opened.plots["nothing"]
