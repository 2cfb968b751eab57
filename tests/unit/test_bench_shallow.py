"""The rounds of bench.shallow, with a program that is made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench import shallow

FRACTION = {16: 0.4, 32: 0.6}


def run_block(_args: object, block: int, _folder: object) -> dict[str, Any]:
    return {
        "seconds": 1.0,
        "details": {"cell_levels_per_s": 5e6, "roofline": {"fraction": FRACTION[block]}},
    }


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "ww-shallow"
    path.touch(mode=0o755)
    return path


def test_the_best_size_of_blocks_is_held_to_the_bound(
    program: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(shallow, "run_block", run_block)
    args = shallow.parse([f"--program={program}", "--rounds=2", "--blocks", "16", "32"])
    samples: list[dict[str, Any]] = []

    rounds = shallow.measure(args, tmp_path, samples.append)
    shallow.show(rounds)
    [of_bound] = shallow.bars(args, rounds)

    assert [sample["round"] for sample in samples] == [0, 0, 1, 1]
    assert of_bound["value"] == pytest.approx(0.6)
    assert (of_bound["wanted"], of_bound["holds"]) == (">= 0.5", True)
    said = capsys.readouterr().out
    assert "blocks of  16 cells:    5.000 Mcell-levels/s, 0.40 of their bound" in said


def test_what_is_below_1_is_refused(program: Path) -> None:
    with pytest.raises(SystemExit):
        shallow.parse([f"--program={program}", "--rounds=0"])
