"""The rounds of bench.spectral, with a program that is made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench import spectral

FRACTIONS = iter([0.5, 0.9, 0.7])


def run_once(*_: object) -> list[dict[str, Any]]:
    details = {"legendre": {"fraction": next(FRACTIONS)}, "points_per_s": 2e6}
    return [
        {"phase": "round-trip", "details": details},
        {"phase": "vorticity", "details": {"legendre": {"fraction": 0.1}}},
    ]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "ww-spectral"
    path.touch(mode=0o755)
    return path


def test_the_fraction_is_the_median_of_the_round_trips(
    program: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(spectral, "run_once", run_once)
    args = spectral.parse([f"--program={program}", "--rounds=3"])
    samples: list[dict[str, Any]] = []

    rounds = spectral.measure(args, tmp_path, samples.append)
    spectral.show(rounds)
    [of_dgemm] = spectral.bars(rounds)

    assert len(samples) == 6
    assert {sample["round"] for sample in samples} == {0, 1, 2}
    assert of_dgemm["value"] == pytest.approx(0.7)
    assert "2.000 Mpoint/s, Legendre transforms 0.70 of dgemm" in capsys.readouterr().out


def test_what_is_below_1_is_refused(program: Path) -> None:
    with pytest.raises(SystemExit):
        spectral.parse([f"--program={program}", "--rounds=0"])
