"""tools/shallow_work.py: the `--work` of ww-shallow for a share of MPI, in closed form."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.synthetic_placements import COST, placement
from tools import shallow_work


def run(monkeypatch: pytest.MonkeyPatch, *files: Path) -> None:
    words = (*map(str, files), "--cells=100", "--levels=4", "--mpi-share=20")
    monkeypatch.setattr(sys, "argv", ["shallow_work.py", *words])
    shallow_work.main()


def placed(low: float, high: float) -> str:
    cost = COST.replace(seconds=low, seconds_at_most=high)
    return placement("n0", "n1").replace(after=cost, ranks=4).model_dump_json()


def shallow_sample(work: int, seconds: float) -> str:
    of = {"parameters": {"work": work}, "seconds": seconds, "ranks": 2, "points": 1000}
    return json.dumps(of) + "\n"


def test_artificial_physics_is_chosen_for_a_share_of_mpi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A rank computes (2 + 2 work) ms a step, and communicates 8 to 12 ms: with a share of 20 %,
    it computes 40 ms, or 32 to 48."""
    (tmp_path / "placed.json").write_text(placed(0.008, 0.012))
    (tmp_path / "one.json").write_text(shallow_sample(1, 0.02))
    (tmp_path / "many.json").write_text(shallow_sample(11, 0.12))

    run(monkeypatch, tmp_path / "placed.json", tmp_path / "one.json", tmp_path / "many.json")

    assert capsys.readouterr().out.splitlines() == [
        "--work  computation of a step         share of MPI",
        "     1                   4 ms  71 % (67 % to 75 %)",
        "    11                24.0 ms  29 % (25 % to 33 %)",
        "MPI takes 20 % with --work 19 (15 to 23)",
    ]


def test_samples_of_one_work_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "placed.json").write_text(placed(0.008, 0.012))
    samples = tmp_path / "one.json"
    samples.write_text(2 * shallow_sample(4, 0.02))

    with pytest.raises(SystemExit) as ended:
        run(monkeypatch, tmp_path / "placed.json", samples)

    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith(
        f"{samples}: expected samples of at least two values of --work, found 4\n"
    )
