"""Waves in absorbing layers, by their formulae (absorbing.hpp) on whole arrays: slow, and plain."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.exact_waves import second_derivative

Floats = NDArray[np.floating[Any]]
Wavelet = Callable[[float], float]

FREQUENCY, VELOCITY, SPACING = 15.0, 1500.0, 10.0
"""Ten points a wave length."""

LAYER, SMALL = 9, (22, 24, 27)
"""Points of a layer, and on axes 3, 2, 1."""


def shifted(field: Floats, axis: int, k: int) -> Floats:
    """The values k points further on, 0 beyond the grid."""
    values = np.zeros_like(field)
    to, of = [slice(None)] * 3, [slice(None)] * 3
    to[axis] = slice(max(0, -k), field.shape[axis] - max(0, k))
    of[axis] = slice(max(0, k), field.shape[axis] - max(0, -k))
    values[tuple(to)] = field[tuple(of)]
    return values


def slope(field: Floats, axis: int, a: list[float]) -> Floats:
    derivative = np.zeros_like(field)
    for k in range(1, len(a)):
        derivative += k * a[k] / 2 * (shifted(field, axis, k) - shifted(field, axis, -k)) / SPACING
    return derivative


def curvature(field: Floats, axis: int, a: list[float]) -> Floats:
    derivative = a[0] * field / SPACING**2
    for k in range(1, len(a)):
        derivative += a[k] * (shifted(field, axis, k) + shifted(field, axis, -k)) / SPACING**2
    return derivative


def in_numpy(order: int, steps: int, dt: float, source: Wavelet) -> Floats:
    """The field after so many steps, by the layers' formulae (absorbing.hpp) on whole arrays."""
    coefficients = [float(a) for a in second_derivative(order)]
    layers = []
    for axis, n in enumerate(SMALL):
        for depth in (np.arange(n), np.arange(n)[::-1]):
            shape = [-1 if dimension == axis else 1 for dimension in range(3)]
            place = np.clip((LAYER - depth) / LAYER, 0, None).reshape(shape)
            damping = -1.5 * VELOCITY * math.log(1e-5) / (SPACING * LAYER) * place**2
            shift = math.pi * FREQUENCY * (1 - place)
            a = np.exp(-(damping + shift) * dt)
            b = damping / (damping + shift) * (a - 1)
            layers.append((axis, a, b, place > 0, np.zeros(SMALL), np.zeros(SMALL)))
    before, now = np.zeros(SMALL), np.zeros(SMALL)
    square = (VELOCITY * dt) ** 2
    for step in range(steps):
        curved = [curvature(now, axis, coefficients) for axis in range(3)]
        then = 2 * now - before + square * (curved[0] + curved[1] + curved[2])
        for axis, a, b, inside, psi, zeta in layers:
            psi[:] = a * psi + b * slope(now, axis, coefficients)
            along = np.where(inside, slope(psi, axis, coefficients), 0)
            zeta[:] = a * zeta + b * (curved[axis] + along)
            then += square * (along + zeta)
        then[10, 12, 13] += square / SPACING**3 * source(step * dt)
        before, now = now, then
    return now
