"""Comparison of predicted and measured gains in bench.placed."""

from __future__ import annotations

from typing import Any

import pytest

from bench import placed


def gain(predicted: tuple[float, float, float], measured: tuple[float, float, float]) -> Any:
    names = {"program": "lattice", "order": "placed", "default_seconds": 6.0}
    return {**names, "predicted": predicted, "measured": measured}


@pytest.mark.parametrize(
    ("predicted", "measured", "apart"),
    [
        ((3.0, 3.5, 4.0), (3.9, 4.1, 4.3), 0.0),
        ((3.0, 3.5, 4.0), (4.5, 5.0, 5.5), 0.5),
        ((3.0, 3.5, 4.0), (-1.0, 0.0, 1.0), 2.0),
    ],
)
def test_intervals_that_do_not_meet_fail_the_bar(
    predicted: tuple[float, float, float], measured: tuple[float, float, float], apart: float
) -> None:
    [bar] = placed.bars([gain(predicted, measured)])

    assert bar["value"] == pytest.approx(apart)
    assert bar["holds"] == (apart == 0)


def test_few_blocks_have_their_range(capsys: pytest.CaptureFixture[str]) -> None:
    measured = placed.interval([4.0, 3.0, 5.0])
    placed.show([gain((3.0, 3.5, 4.0), measured)])

    assert measured == (3.0, 4.0, 5.0)
    assert "3.50 (3.00 to 4.00) s  4.00 (3.00 to 5.00) s" in capsys.readouterr().out


def test_the_study_has_the_programs() -> None:
    assert {name: words[0] for name, words in placed.programs().items()} == {
        "lattice": "ww-lattice",
        "shallow": "ww-shallow",
    }
