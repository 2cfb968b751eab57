"""Files that ww-rupture cannot read or write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.kernel_programs import refusal
from tests.rupture_runs import SMALL_FAULT, points_file

if TYPE_CHECKING:
    from tests.support import MpiLibrary


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--receivers={}"], "--receivers and --traces go together"),
        (["--fault-traces=x"], "--fault-receivers and --fault-traces go together"),
        (["--receivers=/nowhere/x", "--traces=x"], "cannot read '/nowhere/x': give a file with a"),
        (["--receivers={}", "--traces=/nowhere/x"], "cannot write '/nowhere/x'"),
        (
            ["--snapshots=x.vtk"],
            "--snapshots does not take 'x.vtk' but a name that ends with .xdmf",
        ),
        (["--snapshots=/nowhere/x.xdmf"], "cannot write '/nowhere/x.bin'"),
        (["--fault=x.xdmf"], "--fault does not take 'x.xdmf': its map, x.xdmf, would take the"),
        (
            ["--snapshots-every=0.7"],
            "--snapshots-every does not take 0.7 but a multiple of --every,",
        ),
        (["--checkpoint-every=0.1"], "--checkpoint-every does not take 0.1 but a multiple of"),
        (
            ["--case=surface", "--checkpoint=x"],
            "--checkpoint does not go with case surface but with",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_written_is_refused_in_a_sentence(
    openmpi: MpiLibrary, tmp_path: Path, options: list[str], sentence: str
) -> None:
    points = points_file(tmp_path / "points.csv", [(0, 500, -500)])
    given = [one.format(points) for one in options]
    assert refusal(openmpi, "ww-rupture", 2, *SMALL_FAULT, *given).startswith(sentence)


def test_points_that_are_none_are_named(openmpi: MpiLibrary, tmp_path: Path) -> None:
    file = tmp_path / "points.csv"

    def said(text: str, kind: str = "") -> str:
        file.write_text(text, encoding="utf-8")
        files = [f"--{kind}receivers={file}", f"--{kind}traces={tmp_path}/traces.csv"]
        return refusal(openmpi, "ww-rupture", 2, *SMALL_FAULT, *files)

    assert said("# none\n") == f"{file} has no position x, y, z in any line"
    assert said("0 0 -1\n0, 1\n").startswith(f"{file}, line 2: is not x, y, z in m")
    outside = "receiver 1 at (0, 0, 1) m is outside of the mesh"
    assert said("0 0 -1\n0 0 1\n") == f"{file}: {outside}"
    assert said("0 500 -1\n", "fault-").endswith("receiver 0 at (0, 500, -1) m is not on the fault")
    assert said("4100 0 -1\n", "fault-").endswith("is not on the fault")
    assert not (tmp_path / "traces.csv").exists()
