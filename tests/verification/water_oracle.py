"""Shallow water on a sphere in NumPy, from the equations in their advective form: fluxes are not
differentiated but vorticity, geopotential and winds, each by sums over all harmonics on all points
of a full grid; and the two equations of gravity waves are solved as they stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.verification.spectral_oracle import (
    ROTATION,
    Complex,
    Harmonics,
    Real,
    random_coefficient,
)

GRAVITY = 9.80616
RADIUS = 6.37122e6
DISTURBANCE = 0.1


@dataclass
class Water(Harmonics):
    """Shallow water on one level."""

    omega: float
    depth: float
    dt: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self.mean = GRAVITY * self.depth / RADIUS**2
        self.fall = ROTATION * self.omega + self.omega**2 / 2

    def start(self, seed: int, level: int) -> list[Complex]:
        """Solid rotation, balanced, and random harmonics."""
        flat = np.ones((1, 4 * (self.truncation + 1)))
        solid = 2 * self.omega * self.mu[:, None] * flat
        balanced = -self.fall * self.mu[:, None] ** 2 * flat
        state = [self.coefficients(solid), np.zeros(len(self.pairs), complex)]
        state.append(self.coefficients(balanced))
        vorticity = 2 * self.omega * np.sqrt(2 / 3)
        for kind, scale in enumerate((vorticity, vorticity, self.fall)):
            random = [random_coefficient(seed + kind, level, n, m) for n, m in self.pairs]
            size = np.where(self.laplacian > 0, DISTURBANCE * scale / (1 + self.laplacian), 0)
            state[kind] = state[kind] + size * np.array(random)
        return state

    def winds(self, state: list[Complex]) -> tuple[Real, Real]:
        _, psi_east, psi_north = self.field(self.inverse * state[0])
        _, chi_east, chi_north = self.field(self.inverse * state[1])
        return chi_east - psi_north, psi_east + chi_north

    def tendency(self, state: list[Complex]) -> list[Complex]:
        """Tendency without the terms that are linear in divergence and geopotential."""
        u, v = self.winds(state)
        vorticity, east, north = self.field(state[0])
        absolute = vorticity + 2 * ROTATION * self.mu[:, None]
        north = north + 2 * ROTATION * self.cosine
        divergence = self.field(state[1])[0]
        height, height_east, height_north = self.field(state[2])
        energy = self.coefficients((u**2 + v**2) / 2)
        return [
            self.coefficients(-u * east - v * north - absolute * divergence),
            self.coefficients(absolute * vorticity + v * east - u * north)
            + self.laplacian * energy,
            self.coefficients(-u * height_east - v * height_north - height * divergence),
        ]

    def ahead(self, start: list[Complex], change: list[Complex]) -> list[Complex]:
        """A step further, with what is linear at the mean of its beginning and its end."""
        linear = np.zeros((len(self.pairs), 2, 2))
        linear[:, 0, 1], linear[:, 1, 0] = self.laplacian, -self.mean
        old, slope_there = (np.stack(of[1:], axis=1)[..., None] for of in (start, change))
        known = old + self.dt * slope_there + self.dt / 2 * linear @ old
        solved = np.linalg.solve(np.eye(2) - self.dt / 2 * linear, known)
        divergence, geopotential = np.moveaxis(solved[:, :, 0], 1, 0).astype(np.complex128)
        return [start[0] + self.dt * change[0], divergence, geopotential]

    def last_prediction(self, seed: int, level: int, steps: int) -> list[Complex]:
        """Prediction in the last step of Heun's method."""
        state = self.start(seed, level)
        for _ in range(steps):
            first = self.tendency(state)
            predicted = self.ahead(state, first)
            second = self.tendency(predicted)
            state = self.ahead(state, [(a + b) / 2 for a, b in zip(first, second, strict=True)])
        return predicted

    def probes(self, seed: int, level: int, steps: int) -> list[list[float]]:
        """Vorticity, geopotential, and the wind's components times the cosine, by latitude."""
        state = self.last_prediction(seed, level, steps)
        u, v = (self.cosine * of for of in self.winds(state))
        kinds = (self.field(state[0])[0], self.field(state[2])[0], u, v)
        return self.at_probes(kinds)
