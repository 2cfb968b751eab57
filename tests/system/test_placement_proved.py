"""What placing ranks gains is measured as it was predicted: on two switches with a slow uplink."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench import placed
from tests.rigs.hosts import why_not
from tests.system.test_ready_studies import small

pytestmark = [
    pytest.mark.skipif(why_not() is not None, reason=str(why_not())),
    pytest.mark.alone("beside other work, the orders that are compared get unequal shares of it"),
]

long = pytest.mark.long

SHORT = {
    "--tolerance=1e-3": "--tolerance=0.1",
    "--steps=5": "--steps=3",
    '    { name = "random", launcher_arguments = '
    '["--map-by", "rankfile:FILE={study}/{application}.random"] },\n': "",
}
"""Changes of the study: less of both programs, and no random order."""

Gains = dict[tuple[str, str], dict[str, Any]]


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("placed")


def measured(at: Path, blocks: int) -> Gains:
    """The runs are recorded behind the slow uplink, too: a busy machine may have the gate refuse
    them."""
    placed.record(at)
    try:
        found = list(placed.gains(at, placed.run_study(at, blocks)))
    except SystemExit as refused:
        if "no prediction" in str(refused) and (why := placed.contended(at)):
            pytest.skip(why[0])
        raise
    placed.show(found)
    return {(one["program"], one["order"]): one for one in found}


@pytest.fixture(scope="module")
def gains(at: Path) -> Gains:
    return measured(at, 6)


def skip_where_noise_decides(gains: Gains, at: Path) -> None:
    """The interval of a busy machine may have no sign: then the gate has to have spoken."""
    wide = [one for key, one in gains.items() if key[1] == "placed" and one["measured"][0] <= 0]
    if wide and (why := placed.contended(at)):
        pytest.skip(why[0])


@long
@pytest.mark.parametrize("program", placed.programs())
@pytest.mark.parametrize("order", ["placed", "random"])
def test_predicted_and_measured_gains_overlap(gains: Gains, program: str, order: str) -> None:
    assert placed.apart(gains[program, order]) == 0


@long
@pytest.mark.parametrize("program", placed.programs())
def test_the_placed_order_is_faster(gains: Gains, at: Path, program: str) -> None:
    skip_where_noise_decides(gains, at)
    assert gains[program, "placed"]["predicted"][0] > 0
    assert gains[program, "placed"]["measured"][0] > 0


@long
def test_an_order_that_loads_the_uplink_as_before_gains_little(gains: Gains) -> None:
    """The random order gains less than half of the placed order, by the intervals' middles."""
    useless, useful = gains["shallow", "random"], gains["shallow", "placed"]
    for kind in ("predicted", "measured"):
        assert useless[kind][1] < 0.5 * useful[kind][1]


def test_short_runs_gain_what_was_predicted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each program is recorded once, and runs twice in each order."""
    (tmp_path / "short").mkdir()
    monkeypatch.setattr(placed, "STUDY", small("placement.toml", tmp_path / "short", SHORT))
    monkeypatch.setattr(placed, "RECORDINGS", 1)

    gains = measured(tmp_path, 2)

    assert set(gains) == {("lattice", "placed"), ("shallow", "placed")}
    for gain in gains.values():
        assert gain["predicted"][0] > 0
        assert placed.apart(gain) == 0
