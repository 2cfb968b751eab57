"""The measured gain of a placement agrees with the prediction: on two switches with a slow
uplink."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench import placed
from tests.rigs.hosts import why_not

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(why_not() is not None, reason=str(why_not())),
    pytest.mark.alone("beside other work, the orders that are compared get unequal shares of it"),
]

Gains = dict[tuple[str, str], dict[str, Any]]


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("placed")


@pytest.fixture(scope="module")
def gains(at: Path) -> Gains:
    """The runs are recorded behind the slow uplink, too: a busy machine may have the gate refuse
    them."""
    placed.record(at)
    try:
        measured = list(placed.gains(at, placed.run_study(at, 6)))
    except SystemExit as refused:
        if "no prediction" in str(refused) and (why := placed.unreliable(at)):
            pytest.skip(why[0])
        raise
    placed.show(measured)
    return {(gain["program"], gain["order"]): gain for gain in measured}


def skip_where_noise_decides(gains: Gains, at: Path) -> None:
    """The interval of a busy machine may have no sign: then the gate has to have spoken."""
    wide = [gain for key, gain in gains.items() if key[1] == "placed" and gain["measured"][0] <= 0]
    if wide and (why := placed.unreliable(at)):
        pytest.skip(why[0])


@pytest.mark.parametrize("program", placed.programs())
@pytest.mark.parametrize("order", ["placed", "random"])
def test_predicted_and_measured_gains_overlap(gains: Gains, program: str, order: str) -> None:
    assert placed.apart(gains[program, order]) == 0


@pytest.mark.parametrize("program", placed.programs())
def test_the_placed_order_is_faster(gains: Gains, at: Path, program: str) -> None:
    skip_where_noise_decides(gains, at)
    assert gains[program, "placed"]["predicted"][0] > 0
    assert gains[program, "placed"]["measured"][0] > 0


def test_an_order_that_loads_the_uplink_as_before_gains_little(gains: Gains) -> None:
    """The random order gains less than half of the placed order, by the intervals' middles."""
    useless, useful = gains["shallow", "random"], gains["shallow", "placed"]
    for kind in ("predicted", "measured"):
        assert useless[kind][1] < 0.5 * useful[kind][1]
