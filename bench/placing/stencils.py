"""Communication of structured applications, for which the best placement may be known."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

from bench.placing.networks import Numbers, Traffic

FACE, EDGE, CORNER = 32_768, 512, 8
"""Bytes that a 27-point halo sends to neighbours that share a face, an edge, a corner."""


def stencil(shape: tuple[int, ...], weight: dict[int, int], *, periodic: bool = False) -> Traffic:
    """A rank for each point of a grid, numbered with the first coordinate running fastest.

    `weight` gives the bytes that two neighbours exchange each way, by the number of coordinates in
    which they differ.
    """
    axes = tuple(reversed(shape))
    rank = np.arange(prod(shape)).reshape(axes)
    a, b, sent = [], [], []
    for offset in product((-1, 0, 1), repeat=len(shape)):
        bytes_per_direction = weight.get(sum(map(abs, offset)), 0)
        if not bytes_per_direction or offset <= (0,) * len(shape):
            continue  # each pair once
        neighbour = np.roll(rank, [-step for step in offset], range(len(shape)))
        inside = np.ones(axes, bool)
        for axis, step in enumerate(offset):
            place = np.arange(axes[axis]) + step
            alone = (place >= 0) & (place < axes[axis])
            inside &= periodic | alone.reshape([-1 if k == axis else 1 for k in range(len(axes))])
        a.append(rank[inside])
        b.append(neighbour[inside])
        sent.append(np.full(a[-1].size, bytes_per_direction))
    per_direction = np.concatenate(sent)
    return Traffic(prod(shape), np.concatenate(a), np.concatenate(b), per_direction, per_direction)


def halo2d5(*shape: int) -> Traffic:
    return stencil(shape, {1: 8192})


def halo3d7(*shape: int) -> Traffic:
    return stencil(shape, {1: FACE})


def halo3d27(*shape: int) -> Traffic:
    return stencil(shape, {1: FACE, 2: EDGE, 3: CORNER})


def qcd4d(*shape: int) -> Traffic:
    return stencil(shape, {1: 49_152}, periodic=True)


def shuffled(traffic: Traffic, seed: int) -> Traffic:
    """The traffic with its ranks numbered at random."""
    name: Numbers = np.random.default_rng(seed).permutation(traffic.ranks)
    return Traffic(traffic.ranks, name[traffic.a], name[traffic.b], traffic.a_to_b, traffic.b_to_a)
