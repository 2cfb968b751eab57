"""The order of a study's runs: every configuration once in each block, at random within it.

The order interleaves the compared configurations: a machine that gets slower during the study slows
all configurations alike, and the order cannot favour one of them. The tests of `stats/shift.py`
rely on this.

Source: R. A. Fisher, "The Design of Experiments", 1935, chapter 4 (randomised blocks).
"""

from __future__ import annotations

import hashlib


def block_order(configurations: int, block: int, seed: int) -> list[int]:
    """Return the configurations 0 … `configurations` - 1 in the order in which `block` runs them.

    The configurations are sorted by a hash of seed, block and configuration, so that the order is
    the same with every version of every library. It depends on neither the other blocks nor their
    number: a study that is resumed or prolonged goes on in the order of its start.
    """

    def key(configuration: int) -> bytes:
        return hashlib.sha256(f"{seed}/{block}/{configuration}".encode()).digest()

    return sorted(range(configurations), key=key)
