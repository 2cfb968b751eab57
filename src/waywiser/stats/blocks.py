"""The order of a study's runs: every configuration once in each block, at random within it.

The order interleaves the compared configurations: a machine that gets slower during the study slows
all configurations alike, and the order cannot favour one of them. The tests of `stats/shift.py`
rely on this.

Source: R. A. Fisher, "The Design of Experiments", 1935, chapter 4 (randomised blocks).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Turn:
    """One run that is due."""

    block: int
    """Number of the block, from 0."""
    configuration: int
    """Number of the configuration, from 0, in the order of the study."""
    warm_up: bool
    """True in the first block: its runs are made and kept, but not counted."""


def block_order(configurations: int, block: int, seed: int) -> list[int]:
    """Return the configurations 0 … `configurations` - 1 in the order in which `block` runs them.

    The configurations are sorted by a hash of seed, block and configuration, so that the order is
    the same with every version of every library. It depends on neither the other blocks nor their
    number: a study that is resumed or prolonged goes on in the order of its start.
    """

    def key(configuration: int) -> bytes:
        return hashlib.sha256(f"{seed}/{block}/{configuration}".encode()).digest()

    return sorted(range(configurations), key=key)


def turns(configurations: int, blocks: int, seed: int, *, warm_up: bool = True) -> list[Turn]:
    """Return all runs of `blocks` blocks in the order in which they are due.

    Args:
        warm_up: the first of the `blocks` is a warm-up.
    """
    return [
        Turn(block, configuration, warm_up and block == 0)
        for block in range(blocks)
        for configuration in block_order(configurations, block, seed)
    ]


def by_block(
    block: ArrayLike, configuration: ArrayLike, values: ArrayLike, configurations: int
) -> NDArray[np.float64]:
    """Arrange values of runs, of shape (runs,), as a table of shape (configurations, blocks); NaN:
    no run counts.

    Args:
        block, configuration: of each run; blocks without any run get no column.
    """
    blocks, column = np.unique(np.asarray(block, int), return_inverse=True)
    table = np.full((configurations, blocks.size), np.nan)
    table[np.asarray(configuration, int), column] = values
    return table
