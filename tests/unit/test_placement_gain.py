"""The gain of a placement: bounds that are worked out by hand."""

from __future__ import annotations

from typing import cast

import pytest

from tests.machine_files import machine_file
from tests.synthetic_placements import COST
from tests.synthetic_runs import function, rank, summary
from tests.synthetic_waits import waits_of
from waywiser.analyse.placement_gain import predicted_gain
from waywiser.machines.library import machine_from_text
from waywiser.model.gate import Gate
from waywiser.model.machine import Machine
from waywiser.model.pairs import Pairs
from waywiser.model.placement import PlacementCost
from waywiser.model.summary import Matrix, Summary, WaitingEstimate
from waywiser.model.waits import WaitKind, Waits


def cost(hop_bytes: float, busiest: float, off_node: float, seconds: float = 0.0) -> PlacementCost:
    times = {"seconds": seconds, "seconds_at_most": seconds}
    amounts = {"hop_bytes": hop_bytes, "off_node_bytes": off_node, "busiest_link_bytes": busiest}
    return COST.replace(**amounts, **times)


def run(**seconds: float) -> Summary:
    """Two ranks of 10 s; each sends the other 500 bytes."""
    ranks = [rank(r, {f"MPI_{name}": function(s) for name, s in seconds.items()}) for r in (0, 1)]
    sent = Pairs([(0, 1, 500), (1, 0, 500)])
    return summary(ranks).replace(matrix=Matrix(bytes=sent, messages=sent))


def machine(**noise_per_cent: float | None) -> Machine:
    """Calibrated in these parts."""
    calibrations = "".join(
        f'[[calibration]]\npart = "{part}"\ndate = 2026-11-01\ndocument = "d"\n'
        + ("" if noise is None else f"noise_per_cent = {noise}\n")
        for part, noise in noise_per_cent.items()
    )
    return machine_from_text(machine_file(2) + calibrations, "two.toml")


HALF = (cost(1000, 400, 500, 9.0), cost(500, 100, 0, 1.0))
"""Half of the bytes leave their node; J falls by 50 %, the busiest link by 75 %, and the bound of
latencies and bandwidths by more than can be gained."""


def test_no_more_is_gained_than_the_bound_of_latencies_and_bandwidths_falls() -> None:
    before, after = (cost(1000, 400, 500, 640e-6), cost(500, 100, 0, 512e-6))

    gain = predicted_gain(run(Sendrecv=4.0), before, after, machine())

    assert gain.high_seconds == pytest.approx(128e-6)
    assert gain.assessment == "none"


def test_the_gain_of_an_unreliable_run_is_not_assessed() -> None:
    unreliable = run(Sendrecv=4.0).replace(gate=Gate(unreliable=("busy",)))

    assert predicted_gain(unreliable, *HALF, machine()).assessment == "refused"


def test_without_a_trace_all_of_it_may_be_waiting() -> None:
    gain = predicted_gain(run(Sendrecv=4.0), *HALF, machine())

    assert gain.low_seconds == 0
    assert gain.high_seconds == pytest.approx(4.0 * 0.5 * 0.75)
    assert gain.expected_seconds == pytest.approx(gain.high_seconds / 2)
    assert gain.assessment == "possible"
    assert not gain.waiting_known


def test_a_trace_tells_waiting_from_transfer() -> None:
    traced = run(Sendrecv=4.0).replace(waits=waits(late_sender=6.0))

    gain = predicted_gain(traced, *HALF, machine())

    # 4 s less 3 s of waiting on each rank.
    assert gain.low_seconds == pytest.approx(1.0 * 0.5 * 0.5)
    assert gain.high_seconds == pytest.approx(1.0 * 0.5 * 0.75)
    assert gain.assessment == "expected"


def test_waiting_in_collectives_is_taken_off_as_far_as_it_is_estimated() -> None:
    """Each rank waits for 3 s of 4 s in collectives, and spends 1 s in messages."""
    estimate = WaitingEstimate(seconds=(3.0, 3.0), collective_seconds=8.0)
    estimated = run(Allreduce=4.0, Sendrecv=1.0).replace(waiting_estimate=estimate)

    gain = predicted_gain(estimated, *HALF, machine())

    assert gain.high_seconds == pytest.approx((1.0 + 4.0 - 3.0) * 0.5 * 0.75)


def test_little_time_in_mpi_is_not_worth_it() -> None:
    gain = predicted_gain(run(Sendrecv=0.2), *HALF, machine())

    assert gain.high_seconds < gain.noise_seconds
    assert gain.assessment == "none"


@pytest.mark.parametrize(
    ("noise", "assessment"), [(1.9, "expected"), (2.1, "possible"), (8.0, "none")]
)
def test_noise_is_that_of_the_calibrated_network(noise: float, assessment: str) -> None:
    """A run of 12.5 s gains from 0.25 to 0.375 s; the metric of the node does not count."""
    traced = run(Sendrecv=4.0).replace(waits=waits(late_sender=6.0))
    traced = traced.replace(wall_seconds=12.5)

    gain = predicted_gain(traced, *HALF, machine(node=50.0, network=noise))

    assert gain.noise_measured
    assert gain.noise_seconds == pytest.approx(noise * 0.125)
    assert gain.assessment == assessment


@pytest.mark.parametrize("known", [{}, {"node": 50.0}, {"network": None}])
def test_without_a_calibration_one_per_cent_is_assumed(known: dict[str, float | None]) -> None:
    gain = predicted_gain(run(Sendrecv=4.0), *HALF, machine(**known))

    assert not gain.noise_measured
    assert gain.noise_seconds == pytest.approx(0.01 * gain.wall_seconds)


def test_a_worse_order_loses() -> None:
    traced = run(Sendrecv=4.0).replace(waits=waits())

    gain = predicted_gain(traced, cost(500, 100, 500), cost(1000, 150, 800), machine())

    assert (gain.low_seconds, gain.high_seconds) == pytest.approx((-4.0 * 0.5, -4.0 * 0.5 * 0.5))
    assert gain.assessment == "loss"


def waits(**seconds: float) -> Waits:
    return waits_of(cast("dict[WaitKind, float]", seconds), mpi_seconds=8.0, wall_seconds=20.0)
