"""Libraries against each other by message size: the panels have the ratios that were made, and the
verdicts of `waywiser compare`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests import synthetic_mpibench as bench
from tests import synthetic_study
from tests.synthetic_plots import specification
from tests.synthetic_study_reports import drawn_as
from waywiser.analyse.study import analyse_study
from waywiser.model.findings import Findings
from waywiser.model.result import Scalar
from waywiser.report.study.plots.comparison import WORDS

FROM = 4096


def times(values: Mapping[str, Scalar], benchmark: str, size: int) -> float:
    """MPICH's over Open MPI's: twice for long Allreduces, three quarters for every Bcast."""
    if values["mpi"] != "mpich":
        return 1.0
    return {"allreduce": 2.0 if size >= FROM else 1.0, "bcast": 0.75}.get(benchmark, 1.0)


@pytest.fixture(scope="module")
def findings() -> Findings:
    study = synthetic_study.study(bench.LIBRARIES)
    return analyse_study(study, bench.runs(study, times))


def panels(findings: Findings) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """(title, configurations) of every panel that is drawn."""
    drawn = specification(drawn_as("ratios", findings))
    for panel in drawn["concat"]:
        names = dict.fromkeys(layer["data"]["name"] for layer in panel["layer"])
        rows = [row for name in names for row in drawn["datasets"][name]]
        yield panel["title"]["text"], [row for row in rows if "ratio" in row]


def test_each_panel_has_the_ratio_and_the_verdict_of_each_size(findings: Findings) -> None:
    by_name = dict(panels(findings))

    assert len(by_name) == len(bench.KEPT)
    for name, first in (("MPI_Allreduce", FROM), ("MPI_Bcast", 0)):
        by_size = {row["bytes"]: row for row in by_name[name]}
        assert set(by_size) == set(bench.SIZES)
        for size, row in by_size.items():
            if size >= first:
                truth = 0.5 if name == "MPI_Allreduce" else 1 / 0.75
                assert row["ratio"] == pytest.approx(truth, rel=0.01)
                assert row["low"] < truth < row["high"]
                assert row["verdict"] == WORDS["slower" if truth < 1 else "faster"]
    equal = [row for row in by_name["MPI_Allreduce"] if row["bytes"] < FROM] + by_name[
        "MPI_Alltoall"
    ]
    assert {row["verdict"] for row in equal} <= {WORDS["equivalent"], WORDS["undecided"]}


def test_the_verdicts_are_those_of_the_comparison(findings: Findings) -> None:
    """Word for word, in each configuration's tooltip."""
    words = {comparison.words for comparison in findings.comparisons}

    for _, rows in panels(findings):
        assert {row["words"] for row in rows} <= words
