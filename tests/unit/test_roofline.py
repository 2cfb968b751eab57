"""The roofline of samples: what is drawn and said follows from their numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import synthetic, synthetic_pages
from tests.vega_lite import assert_page_valid
from waywiser.analyse.gate import read_gated
from waywiser.analyse.roofline import kernels_of
from waywiser.errors import InvalidCommand
from waywiser.model.kernels import Kernels
from waywiser.model.sample import Sample
from waywiser.report.drawing.export_plots import export_plots
from waywiser.report.run.page import page
from waywiser.report.run.plots.roofline import drawn_roofline
from waywiser.store.samples import read_samples, samples_of_run

READ, TRIAD, PEAK = 30e9, 40e9, 200e9


def line(phase: str, *, points_per_s: float, flops: float = 2.0, **more: Any) -> dict[str, Any]:
    """A sample of a kernel that moves 16 B a point, like a triad."""
    bound = min(TRIAD / 16, PEAK / flops if flops else TRIAD / 16)
    roofline = {
        **{"bytes_per_point": 16, "flops_per_point": flops, "like": "triad"},
        **{"points_per_s": points_per_s, "bound_points_per_s": bound},
        **{"fraction": points_per_s / bound, "flops_per_s": PEAK, "instructions": "AVX2"},
        **{"read_Bps": READ, "copy_Bps": 35e9, "triad_Bps": TRIAD, "leapfrog_Bps": 38e9},
    }
    return {
        **{"workload": "memory", "phase": phase, "variant": "plain", "ranks": 2, "threads": 4},
        **{"seconds": 1.0, "details": {"roofline": roofline}, **more},
    }


def kernels(*lines: dict[str, Any]) -> Kernels | None:
    return kernels_of([Sample.model_validate(sample) for sample in lines])


def data_of(specification: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for rows in specification["datasets"].values() for row in rows]


def test_points_lie_where_their_bytes_and_flops_put_them() -> None:
    drawn = drawn_roofline(kernels(line("triad", points_per_s=2e9)))

    assert drawn is not None
    rows = data_of(json.loads(drawn.specification))
    [point] = [row for row in rows if row.get("kernel") == "memory triad plain" and "x" in row]
    assert point["x"] == pytest.approx(2 / 16)
    assert point["y"] == pytest.approx(2e9 * 2 * 1e-9)
    for row in rows:  # no bound is above memory's line or the cores'
        if row.get("bound") == "triad":
            assert row["y"] == pytest.approx(min(row["x"] * 40, 200))
    [share] = [row for row in rows if "text" in row]
    assert share["share"] == pytest.approx(2e9 * 16 / TRIAD)


def test_several_samples_of_a_kernel_are_one_row_of_their_median() -> None:
    rates = (1e9, 4e9, 2e9)
    drawn = drawn_roofline(kernels(*(line("triad", points_per_s=rate) for rate in rates)))

    assert drawn is not None
    assert drawn.table is not None
    [row] = drawn.table.rows
    assert row[:2] == ("memory triad plain", 3)
    assert row[5:] == ("2", "4", "triad", "2.5", "0.800")


def test_a_share_is_of_the_bound_that_was_measured_with_it() -> None:
    """Each of two runs reached what its memory gave; in the second, that was half."""
    first = line("triad", points_per_s=2.5e9)
    second = line("triad", points_per_s=1.25e9)
    slower = {"points_per_s": 1.25e9, "bound_points_per_s": 1.25e9, "triad_Bps": TRIAD / 2}
    second["details"]["roofline"] |= slower

    drawn = drawn_roofline(kernels(first, second))

    assert drawn is not None
    assert drawn.table is not None
    assert drawn.table.rows[0][-1] == "1.000"


def test_what_the_cores_bound_is_reported() -> None:
    drawn = drawn_roofline(kernels(line("dense", points_per_s=1e8, flops=1000)))

    assert drawn is not None
    assert drawn.table is not None
    assert drawn.table.rows[0][7:] == ("cores", "0.2", "0.500")


def test_kernels_without_arithmetic_are_not_under_the_roofline() -> None:
    drawn = drawn_roofline(kernels(line("copy", points_per_s=2e9, flops=0)))

    assert drawn is not None
    assert not [row for row in data_of(json.loads(drawn.specification)) if "bound" in row]


def test_samples_without_a_roofline_draw_nothing() -> None:
    assert drawn_roofline(kernels(line("x", points_per_s=1e9, details={}))) is None
    assert drawn_roofline(None) is None


def test_page_and_files_have_the_plot(tmp_path: Path) -> None:
    measured = kernels(line("triad", points_per_s=2e9), line("copy", points_per_s=1e9, flops=0))

    html = page(synthetic.run(4), synthetic.summary(4).replace(roofline=measured))
    drawn = drawn_roofline(measured)
    assert drawn is not None
    written = export_plots([drawn], tmp_path)

    assert '<section id="roofline">' in html
    assert "memory triad plain" in html
    assert_page_valid(html, "roofline")
    assert [path.name for path in written[-3:]] == [f"roofline.{e}" for e in ("svg", "png", "pdf")]
    assert (tmp_path / "roofline.png").stat().st_size > 10_000
    assert 'id="roofline"' not in synthetic_pages.of(4)


def test_the_document_of_a_run_has_its_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cores bound the dense kernel, memory the triad; the samples lie beside the run."""
    lines = (line("triad", points_per_s=2e9), line("dense", points_per_s=1e8, flops=1000))
    (tmp_path / "memory.json").write_text("".join(f"{json.dumps(sample)}\n" for sample in lines))
    read = (synthetic.run(2), synthetic.summary(2))
    monkeypatch.setattr("waywiser.analyse.gate.read_run", lambda directory, window: read)

    document = json.loads(read_gated(tmp_path)[1].model_dump_json())["roofline"]

    assert document["measurements"] == 1
    triad, dense = document["kernels"]
    assert (triad["label"], triad["bound_by"], triad["samples"]) == (
        "memory triad plain",
        "triad",
        1,
    )
    assert triad["fraction"] == pytest.approx(2e9 * 16 / TRIAD)
    assert triad["roof"]["triad_Bps"] == TRIAD
    assert (dense["bound_by"], dense["flops_per_s"]) == ("cores", 1e11)
    assert dense["fraction"] == pytest.approx(1e11 / PEAK)


def test_the_runs_own_samples_are_found_and_named_ones_taken(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"version": 1}')
    (tmp_path / "memory.json").write_text(json.dumps(line("triad", points_per_s=2e9)) + "\n")
    named = tmp_path / "elsewhere"
    named.write_text(json.dumps(line("copy", points_per_s=2e9)) + "\n")

    assert [sample.phase for sample in samples_of_run(tmp_path, [])] == ["triad"]
    assert [sample.phase for sample in samples_of_run(tmp_path, [named])] == ["copy"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "line 1: workload: Field required"),
        (json.dumps(line("x", points_per_s=-1.0)), "line 1: details.roofline.points_per_s: "),
        ("no json", "line 1: line: Invalid JSON"),
    ],
)
def test_what_is_no_sample_is_named(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "bad.json"
    file.write_text(text + "\n")
    with pytest.raises(InvalidCommand, match="expected what a ww-") as refused:
        read_samples(file)
    assert says in str(refused.value)
    with pytest.raises(InvalidCommand, match="No such file"):
        read_samples(tmp_path / "absent.json")
