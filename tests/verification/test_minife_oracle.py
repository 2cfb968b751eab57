"""The oracle agrees with converged runs of miniFE, and in the limit with the continuous problem."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.verification.minife_oracle import solve

EXACT_CENTRE = 1 / 6 + 0.0562128278
"""Laplace part by symmetry (six faces share 1), Poisson part from its triple sine series."""


@pytest.mark.parametrize(
    ("elements", "centre", "right_side_norm", "free_sum", "free_norm", "greatest"),
    [
        ((10, 10, 10), 0.218963365352, 11.0288705023, 1.3536744343e02, 7.2172044561, 0.784808529),
        ((40, 40, 40), 0.222643602105, 41.0109538116, 1.1129791265e04, 71.764480802, 0.945687047),
        ((128,) * 3, 0.222856504692, 129.0037495558, 3.8347932827e05, 430.59741534, 0.983064558),
        ((24, 36, 48), 0.222477132992, 42.5827609891, 6.9001208234e03, 55.334032177, 0.909451069),
        ((30, 30, 240), 0.222581950177, 86.4361641116, 3.6753275435e04, 129.06283793, 0.927556878),
    ],
)
def test_known_meshes(
    elements: tuple[int, int, int],
    centre: float,
    right_side_norm: float,
    free_sum: float,
    free_norm: float,
    greatest: float,
) -> None:
    solution = solve(*elements)

    assert solution.centre == pytest.approx(centre, abs=6e-13)
    assert solution.right_side_norm == pytest.approx(right_side_norm, abs=6e-11)
    assert solution.free_sum == pytest.approx(free_sum, rel=1e-10)
    assert solution.free_norm == pytest.approx(free_norm, rel=2e-10)
    assert solution.inner.max() == pytest.approx(greatest, abs=6e-10)


def test_the_centre_converges_with_the_square_of_the_spacing() -> None:
    errors = [abs(solve(n, n, n).centre - EXACT_CENTRE) for n in (10, 20, 40, 80)]

    assert errors[-1] < 6e-5
    assert all(3.9 < coarse / fine < 4.2 for coarse, fine in pairwise(errors))
