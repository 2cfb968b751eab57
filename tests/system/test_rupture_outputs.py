"""Files that ww-rupture cannot read or write."""

from __future__ import annotations

from pathlib import Path

from tests.kernel_programs import refusal
from tests.rupture_runs import SMALL_FAULT
from tests.support import MpiLibrary


def test_points_that_are_none_are_named(openmpi: MpiLibrary, tmp_path: Path) -> None:
    file = tmp_path / "points.csv"

    def output(text: str, kind: str = "") -> str:
        file.write_text(text, encoding="utf-8")
        files = [f"--{kind}receivers={file}", f"--{kind}traces={tmp_path}/traces.csv"]
        return refusal(openmpi, "ww-rupture", 2, *SMALL_FAULT, *files)

    assert output("# none\n") == f"{file} has no position x, y, z in any line"
    assert output("0 0 -1\n0, 1\n").startswith(f"{file}, line 2: is not x, y, z in m")
    outside = "receiver 1 at (0, 0, 1) m is outside of the mesh"
    assert output("0 0 -1\n0 0 1\n") == f"{file}: {outside}"
    assert output("0 500 -1\n", "fault-").endswith(
        "receiver 0 at (0, 500, -1) m is not on the fault"
    )
    assert output("4100 0 -1\n", "fault-").endswith("is not on the fault")
    assert not (tmp_path / "traces.csv").exists()
