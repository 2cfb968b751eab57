"""Finite differences of sines, derived only from the definition of their order.

Coefficients come from the conditions that a formula be exact for polynomials, solved in fractions:
neither the closed form by which the kernels have them, nor the table by which ww-fd and ww-propa
check them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache


def _solve(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Gauss and Jordan."""
    n = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(n):
        pivot = next(k for k in range(i, n) if rows[k][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(n):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[n] for row in rows]


@cache
def second_derivative(order: int) -> tuple[Fraction, ...]:
    """a_0 ... a_m: sum over k of a_k (u(-k) + u(k)) is u'' for x^2, and 0 for x^4, x^6, ..."""
    m = order // 2
    powers = range(2, order + 1, 2)
    matrix = [[Fraction(2 * k**p) for k in range(1, m + 1)] for p in powers]
    a = _solve(matrix, [Fraction(2 if p == 2 else 0) for p in powers])
    return (-2 * sum(a, Fraction(0)), *a)


@cache
def first_derivative(order: int) -> tuple[Fraction, ...]:
    """c_1 ... c_m: sum over k of c_k (u(k - 1/2) - u(1/2 - k)) is u' for x, 0 for x^3, x^5, ..."""
    m = order // 2
    powers = range(1, order, 2)
    matrix = [[2 * Fraction(2 * k - 1, 2) ** p for k in range(1, m + 1)] for p in powers]
    return tuple(_solve(matrix, [Fraction(int(p == 1)) for p in powers]))


def second_symbol(order: int, phase: float) -> float:
    """Symbol of the second derivative of exp(i phase x), spacing 1."""
    a = second_derivative(order)
    terms = (2 * float(a[k]) * math.cos(k * phase) for k in range(1, len(a)))
    return math.fsum([float(a[0]), *terms])


def first_error(order: int, phase: float) -> float:
    """Relative error of the staggered first derivative of a sine with this phase a point."""
    c = first_derivative(order)
    terms = (2 * float(c[k]) * math.sin((k + 0.5) * phase) for k in range(len(c)))
    return abs(math.fsum(terms) / phase - 1)


def second_error(order: int, phases: Sequence[tuple[float, float]]) -> float:
    """Relative error of the sum of second derivatives; a pair (phase a point, spacing) an axis."""
    exact = math.fsum((phase / h) ** 2 for phase, h in phases)
    return abs(math.fsum(second_symbol(order, phase) / h**2 for phase, h in phases) / exact + 1)


def hpcscan_step(order: int, points: Sequence[int], ratio: float) -> float:
    """hpcscan's step in time: that of a grid with the least spacing on every axis."""
    a = second_derivative(order)
    total = float(abs(a[0]) + 2 * sum(abs(value) for value in a[1:]))
    return ratio * math.sqrt(4 / (3 * total)) / (max(points) - 1)


def eigenmode_error(
    order: int, points: Sequence[int], modes: Sequence[int], dt: float, steps: int, every: int
) -> float:
    """sum |computed - exact| / sum |exact| over the steps 0, every, 2 every, ...: leapfrog of an
    eigenmode is a recurrence of one number, since the space factor is an eigenvector."""
    h = [1 / (n - 1) for n in points]
    axes = list(zip(modes, h, strict=True))
    eigenvalue = -math.fsum(second_symbol(order, math.pi * mode * d) / d**2 for mode, d in axes)
    frequency = math.pi * math.sqrt(sum(mode**2 for mode in modes))
    before, now = math.sin(-2 * frequency * dt), math.sin(-frequency * dt)
    difference = total = 0.0
    for step in range(steps):
        before, now = now, 2 * now - before - dt * dt * eigenvalue * now
        if step % every == 0:
            exact = math.sin(frequency * step * dt)
            difference += abs(now - exact)
            total += abs(exact)
    return difference / total
