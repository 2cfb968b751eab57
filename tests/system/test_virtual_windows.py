"""Epochs of windows on virtual clocks, in closed form."""

from __future__ import annotations

import pytest

from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build
from tests.system.virtual_clocks import (
    LATENCY,
    LOCAL_SECONDS,
    OVERHEAD,
    PER_BYTE,
    followed,
    message,
    met_in,
)

pytestmark = pytest.mark.alone

REPEATS = 10
PUT = OVERHEAD + 8 * PER_BYTE + 2 * LATENCY
"""Until its origin knows that it is there."""


def scattered(times: list[float]) -> list[float]:
    """Rank 0 hears that each of the others has posted, puts, and tells them when all is there."""
    origin, *targets = times
    targets = [time + OVERHEAD for time in targets]
    for posted in targets:
        origin = max(origin, posted + LATENCY) + OVERHEAD
    puts = len(targets)
    origin += (puts - 1) * OVERHEAD + PUT
    ends = []
    for place, time in enumerate(targets, 1):
        ends.append(max(time, origin + place * OVERHEAD + LATENCY) + OVERHEAD)
    return [origin + puts * OVERHEAD, *ends]


def crossed(times: list[float]) -> list[float]:
    """Rank 0 waits for what was posted last, and rank 1 for two epochs in turn."""
    origin, target, *others = times
    first = target + OVERHEAD
    second = first + message(0) + OVERHEAD
    target = second
    origin = max(origin, second + LATENCY) + OVERHEAD + PUT
    told_second = origin + OVERHEAD
    origin = max(told_second, first + LATENCY) + OVERHEAD + PUT
    told_first = origin + OVERHEAD
    target = max(target, told_second + LATENCY) + OVERHEAD
    target = max(target, told_first + LATENCY) + OVERHEAD
    return [told_first, target, *others]


def locked(times: list[float]) -> list[float]:
    """A lock is asked for, and held; what was put is there when it is given back."""
    return [times[0], *(time + OVERHEAD + 2 * LATENCY + PUT for time in times[1:])]


CASES = {
    "scatter": scattered,
    "crossed": crossed,
    "share": locked,
    "exclude": locked,
}


@pytest.mark.in_turn
@pytest.mark.every_mpi
@pytest.mark.parametrize("pattern", CASES)
def test_epochs_wait_for_partners(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, pattern: str
) -> None:
    clocks = followed(waywiser, mpi, build, 4, pattern, REPEATS, source="virtual_windows.c")

    times = met_in(mpi, met_in(mpi, [0.0] * 4))
    for _ in range(REPEATS):
        times = CASES[pattern](times)
    for _ in range(3):  # both are freed, and the end
        times = met_in(mpi, times)
    assert clocks["seconds"] == pytest.approx(max(times), abs=2 * LOCAL_SECONDS)
    left_out = [
        "exclusive locks of windows are taken as free: what ranks waited for each other there "
        f"is left out ({3 * REPEATS} times)"
    ]
    assert list(clocks["remarks"]) == (left_out if pattern == "exclude" else [])
