"""The first paper's study by ww-rupture: the page's commands, and then the study itself, small."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support import ROOT, Waywiser, judged, succeeded
from tests.system.test_ready_studies import findings, metric, ran
from tests.system.test_tutorial import check_page
from waywiser.errors import ToolMissing
from waywiser.meshes.generate import gmsh_module

try:
    gmsh_module()
except ToolMissing as missing:
    pytest.skip(str(missing), allow_module_level=True)

DIRECTORY = ROOT / "build" / "tpv33"
SMALLER = {
    'mesh = ["5k", "15k", "45k"]': 'mesh = ["5k", "15k"]',
    "threads = [1, 2]": "threads = 1",
    "end = 0.2": "end = 0.02",
    "every = 0.05": "every = 0.01",
    "blocks = 6": "blocks = 1\nwarm_up = false",
}


@pytest.fixture(scope="module")
def meshes() -> Path:
    """Meshes made by the page's commands, which check the study, too."""
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    check_page("tpv33-study.md", at_least=8)
    return DIRECTORY


def test_the_first_papers_study_is_run_small(meshes: Path, waywiser: Waywiser) -> None:
    file, runs = ran("seissol-tpv33.toml", waywiser, SMALLER, env={"TPV33": str(meshes)})

    shapes = {(run["result"]["values"]["application"], ranks_of(run)) for run in runs}
    assert shapes == {(variant, ranks) for variant in ("plain", "comm-thread") for ranks in (1, 2)}
    for run in runs:
        seconds = metric(run, "elapsed_time")
        assert metric(run, "simulated_per_day") == pytest.approx(0.02 / seconds * 86400)
    for mesh in ("5k", "15k"):
        moments = [metric(run, "moment") for run in runs if run["result"]["values"]["mesh"] == mesh]
        assert moments == pytest.approx([moments[0]] * 4, rel=1e-9)

    document = findings(waywiser, file)
    assert {(curve["axis"], curve["metric"]) for curve in document["scaling"]} == {
        ("ranks", "performance")
    }
    waits = [p["profile"]["functions"]["MPI_Allreduce"] for p in document["configurations"]]
    two = [
        w
        for w, p in zip(waits, document["configurations"], strict=True)
        if p["values"]["ranks"] == 2
    ]
    assert all(0 < wait["sync_seconds"] <= wait["seconds"] for wait in two)
    runs_of = file.with_suffix(".study") / "runs"
    pair = runs_of / "plain-r2-15k", runs_of / "comm_thread-r2-15k"
    assert "B  comm_thread-r2-15k" in judged(waywiser("compare", *pair)).stdout

    succeeded(waywiser.here("study", "report", str(file)))
    text = (file.with_suffix(".study") / "report.html").read_text(encoding="utf-8")
    for title in ("Speed-up and efficiency", "Application against MPI"):
        assert title in text
    assert re.search(r"ranks wait [^,]*% of their time for the last one to enter MPI_", text)


def ranks_of(run: dict[str, Any]) -> int:
    return int(run["result"]["values"]["ranks"])
