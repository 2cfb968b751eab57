"""The rounds of bench.lattice, with a program that is made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench import lattice

SECONDS = {"vector": 0.013, "two-row": 0.010}
FRACTION = {"vector": 0.85, "two-row": 0.7}


def run_variant(_args: object, variant: str, *_: object) -> list[dict[str, Any]]:
    hop = {"sites_per_s": 1e7, "roofline": {"fraction": FRACTION[variant]}}
    return [
        {"phase": "cg", "variant": variant, "seconds": 1.0, "details": {}},
        {"phase": "hop", "variant": variant, "seconds": SECONDS[variant], "details": hop},
    ]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "ww-lattice"
    path.touch(mode=0o755)
    return path


def test_ratios_are_those_of_the_rounds(
    program: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(lattice, "run_variant", run_variant)
    args = lattice.parse([f"--program={program}", "--rounds=2"])
    samples: list[dict[str, Any]] = []

    rounds = lattice.measure(args, tmp_path, samples.append)
    lattice.show(rounds)
    [of_bound, of_rows] = lattice.bars(rounds)

    assert len(samples) == 8
    assert {sample["round"] for sample in samples} == {0, 1}
    assert of_bound["value"] == pytest.approx(0.85)
    assert of_rows["value"] == pytest.approx(1.3)
    assert "two-row      10.000 Msite/s, 0.70 of its bound, 1.30 times" in capsys.readouterr().out


def test_what_is_below_1_is_refused(program: Path) -> None:
    with pytest.raises(SystemExit):
        lattice.parse([f"--program={program}", "--rounds=0"])
