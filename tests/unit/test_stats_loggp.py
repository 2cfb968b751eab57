"""LogGP's fit finds the parameters that made the data, and the sizes at which they change."""

from __future__ import annotations

import numpy as np
import pytest

from tests.mpibench_lines import EAGER, EAGER_LIMIT, RENDEZVOUS, SIZES, Truth, truth
from waywiser.errors import NotEnoughData
from waywiser.stats.loggp import MessageCosts, Piece, eager_limit, fit_loggp
from waywiser.stats.loggp_patterns import PATTERNS
from waywiser.stats.scaling import Estimate


def costs(sizes: list[int], noise: float = 0.0, seed: int = 1) -> MessageCosts:
    rng = np.random.default_rng(seed)

    def noisy(times: list[float]) -> np.ndarray:
        return np.array(times) * np.exp(noise * rng.standard_normal(len(times)))

    return MessageCosts(
        np.array(sizes, float),
        noisy([truth(size).busy(size) for size in sizes]),
        noisy([truth(size).one_way(size) for size in sizes]),
        noisy([truth(size).interval(size) for size in sizes]),
    )


def parameters(piece: Piece) -> list[float]:
    return [
        piece.latency_s.value,
        piece.overhead_s.value,
        piece.gap_s.value,
        piece.seconds_per_byte.value,
        piece.overhead_s_per_byte.value,
    ]


def expected(true: Truth) -> list[float]:
    return [true.latency, true.overhead, true.gap, true.per_byte, true.overhead_per_byte]


@pytest.mark.parametrize("known", [None, EAGER_LIMIT])
def test_exact_data_give_back_their_parameters_and_where_they_change(known: int | None) -> None:
    pieces = fit_loggp(costs(SIZES), known)

    assert [piece.up_to_bytes for piece in pieces] == [EAGER_LIMIT, None]
    for piece, true in zip(pieces, (EAGER, RENDEZVOUS), strict=True):
        assert parameters(piece) == pytest.approx(expected(true), rel=1e-6, abs=1e-15)


def test_noise_moves_them_by_about_as_much() -> None:
    pieces = fit_loggp(costs(SIZES, noise=0.02))

    assert [piece.up_to_bytes for piece in pieces] == [EAGER_LIMIT, None]
    assert parameters(pieces[0]) == pytest.approx(expected(EAGER), rel=0.1)
    assert parameters(pieces[1])[:4] == pytest.approx(expected(RENDEZVOUS)[:4], rel=0.1)
    assert pieces[0].relative_error == pytest.approx(0.02, rel=0.5)


def test_one_protocol_is_one_piece() -> None:
    pieces = fit_loggp(costs([size for size in SIZES if size <= EAGER_LIMIT], noise=0.02))

    assert [piece.up_to_bytes for piece in pieces] == [None]


def test_a_piece_ends_at_the_eager_limit_even_where_the_times_do_not_show_it() -> None:
    pieces = fit_loggp(costs([size for size in SIZES if size <= EAGER_LIMIT]), 100)

    assert [piece.up_to_bytes for piece in pieces] == [100, None]


def test_errors_are_relative_so_that_long_messages_do_not_outweigh_short_ones() -> None:
    # One long message is 30 % slow; short ones must keep their latency to within a few percent.
    slow = costs(SIZES[14:])
    slow.one_way_s[-1] *= 1.3

    (piece,) = fit_loggp(slow)

    assert piece.latency_s.value + 2 * piece.overhead_s.value == pytest.approx(3.9e-6, rel=0.2)


def test_no_parameter_is_negative_where_calls_take_longer_than_messages() -> None:
    result = costs(SIZES[:14])
    result.overhead_s[:] = 0.7 * result.one_way_s
    (piece,) = fit_loggp(result)

    assert min(parameters(piece)) >= 0
    assert piece.latency_s.value == 0
    assert piece.seconds_per_byte.value > 0


@pytest.mark.parametrize(
    ("sizes", "limit", "says"),
    [([1, 2], None, "3 sizes"), ([1, 2, 4, 8, 16], 8, "3 sizes .* each side of the eager limit")],
)
def test_too_few_sizes_are_refused(sizes: list[int], limit: int | None, says: str) -> None:
    with pytest.raises(NotEnoughData, match=says):
        fit_loggp(costs(sizes), limit)


def test_times_of_nothing_are_refused() -> None:
    result = costs(SIZES)
    result.interval_s[3] = 0

    with pytest.raises(NotEnoughData, match=r"message of 8 B, or .* is not above 0 s"):
        fit_loggp(result)


@pytest.mark.parametrize(
    ("send", "limit"),
    [([1, 1, 90, 95], 4), ([1, 1, 1, 1], 16), ([90, 90, 90, 90], None), ([1, 90, 1, 90], 1)],
)
def test_the_eager_limit_is_the_last_size_whose_sender_did_not_wait(
    send: list[float], limit: int | None
) -> None:
    assert eager_limit([1, 4, 8, 16], send, [90] * 4) == limit


def simulated(true: Truth, size: int, window: int, *, both: bool) -> float:
    """A window message by message, until the last one has arrived; both: the processor receives as
    many as it sends."""
    processor = link = arrived = 0.0
    for _ in range(window):
        start = max(processor, link)
        processor = start + true.busy(size) * (2 if both else 1)
        link = start + true.interval(size)
        arrived = start + true.one_way(size)
    return arrived


BUSY = Truth(1.1e-6, 5e-6, 0.6e-6, 1 / 6e9, 0.0)
"""A processor that is slower than its link."""


def piece_with(true: Truth, limit: int | None) -> Piece:
    latency, overhead, gap, per_byte, overhead_per_byte = map(Estimate, expected(true))
    return Piece(limit, latency, overhead, gap, per_byte, overhead_per_byte, 3, 0.0)


@pytest.mark.parametrize("first", [EAGER, BUSY])
@pytest.mark.parametrize("size", [8, EAGER_LIMIT, EAGER_LIMIT + 1, 100_000])
def test_windows_are_predicted_as_they_are_simulated(first: Truth, size: int) -> None:
    pieces = (piece_with(first, EAGER_LIMIT), piece_with(RENDEZVOUS, None))
    true = first if size <= EAGER_LIMIT else RENDEZVOUS

    bandwidth, both, latency = (
        PATTERNS[name](pieces, size, 64) for name in ("bandwidth", "bibandwidth", "latency")
    )

    answered = simulated(true, size, 64, both=False) + first.one_way(1)
    assert bandwidth == pytest.approx(answered)
    assert both == pytest.approx(simulated(true, size, 64, both=True))
    assert latency == pytest.approx(true.one_way(size))
