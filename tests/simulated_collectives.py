"""The first algorithm of each collective, as the rounds of one rank: from its definition, without
native/collectives.

Sources: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations
in MPICH", IJHPCA 19(1), 2005; D. Hensgen, R. Finkel, U. Manber, "Two algorithms for barrier
synchronization", IJPP 17(1), 1988 (dissemination).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Step(NamedTuple):
    """A rank's send and receive in a round; None: nothing."""

    to: int | None
    size: int
    source: int | None


Rounds = list[Step]


def barrier(rank: int, ranks: int, size: int, root: int) -> Rounds:
    """In round k, a signal to the rank 2^k further on."""
    reaches = [1 << k for k in range((ranks - 1).bit_length())]
    return [Step((rank + reach) % ranks, 0, (rank - reach) % ranks) for reach in reaches]


def bcast(rank: int, ranks: int, size: int, root: int) -> Rounds:
    """In round k, the first 2^k from the root on each send to the one 2^k further on."""
    place = (rank - root) % ranks
    steps: Rounds = []
    for reach in (1 << k for k in range((ranks - 1).bit_length())):
        if place < reach and place + reach < ranks:
            steps.append(Step((rank + reach) % ranks, size, None))
        elif reach <= place < 2 * reach:
            steps.append(Step(None, 0, (rank - reach) % ranks))
    return steps


def reduce(rank: int, ranks: int, size: int, root: int) -> Rounds:
    """In round k, places with bit k as their lowest send to the one without it."""
    place = (rank - root) % ranks
    steps: Rounds = []
    for reach in (1 << k for k in range((ranks - 1).bit_length())):
        if place & reach:
            return [*steps, Step((rank - reach) % ranks, size, None)]
        if place + reach < ranks:
            steps.append(Step(None, 0, (rank + reach) % ranks))
    return steps


def gather(rank: int, ranks: int, size: int, root: int) -> Rounds:
    """The root takes one after the other."""
    if rank != root:
        return [Step(root, size, None)]
    return [Step(None, 0, (root + place) % ranks) for place in range(1, ranks)]


def scatter(rank: int, ranks: int, size: int, root: int) -> Rounds:
    if rank != root:
        return [Step(None, 0, root)]
    return [Step((root + place) % ranks, size, None) for place in range(1, ranks)]


def allgather(rank: int, ranks: int, size: int, root: int) -> Rounds:
    """Blocks go around the ring, p - 1 times."""
    return [Step((rank + 1) % ranks, size, (rank - 1) % ranks)] * (ranks - 1)


def alltoall(rank: int, ranks: int, size: int, root: int) -> Rounds:
    """Pairwise: in round i, to the rank i further on."""
    return [Step((rank + i) % ranks, size, (rank - i) % ranks) for i in range(1, ranks)]


def allreduce(rank: int, ranks: int, size: int, root: int) -> Rounds:
    """Recursive doubling among 2^k ranks; before, the even ones of the first give their data to the
    next one, and get the result from it afterwards."""
    power = 1 << (ranks.bit_length() - 1)
    extra = ranks - power
    folds = rank < 2 * extra
    if folds and rank % 2 == 0:
        return [Step(rank + 1, size, None), Step(None, 0, rank + 1)]
    number = rank // 2 if folds else rank - extra
    steps = [Step(None, 0, rank - 1)] if folds else []
    for bit in (1 << k for k in range(power.bit_length() - 1)):
        partner = number ^ bit
        peer = 2 * partner + 1 if partner < extra else partner + extra
        steps.append(Step(peer, size, peer))
    return [*steps, Step(rank - 1, size, None)] if folds else steps


def reduce_scatter(rank: int, ranks: int, size: int, root: int) -> Rounds:
    """Recursive halving among 2^k ranks: of what both still hold, each sends the other the half
    with its results. Before, the even ones of the first give their vectors to the next one, and get
    their results from it afterwards."""
    power = 1 << (ranks.bit_length() - 1)
    extra = ranks - power
    folds = rank < 2 * extra
    if folds and rank % 2 == 0:
        return [Step(rank + 1, ranks * size, None), Step(None, 0, rank + 1)]
    owned = [[2 * i, 2 * i + 1] if i < extra else [i + extra] for i in range(power)]
    number = rank // 2 if folds else rank - extra
    held = range(power)
    steps = [Step(None, 0, rank - 1)] if folds else []
    while len(held) > 1:
        half = len(held) // 2
        parts = held[:half], held[half:]
        held, sent = parts if number in parts[0] else parts[::-1]
        peer = owned[number ^ half][-1]
        steps.append(Step(peer, sum(len(owned[i]) for i in sent) * size, peer))
    return [*steps, Step(rank - 1, size, None)] if folds else steps


def scan(rank: int, ranks: int, size: int, root: int) -> Rounds:
    """Each rank receives from the rank before it, and sends to the rank behind."""
    steps = [Step(None, 0, rank - 1)] if rank > 0 else []
    return [*steps, Step(rank + 1, size, None)] if rank + 1 < ranks else steps


COLLECTIVES: dict[str, Callable[[int, int, int, int], Rounds]] = {
    "Barrier": barrier,
    "Bcast": bcast,
    "Reduce": reduce,
    "Gather": gather,
    "Scatter": scatter,
    "Allgather": allgather,
    "Alltoall": alltoall,
    "Allreduce": allreduce,
    "Reduce_scatter_block": reduce_scatter,
    "Scan": scan,
}
"""Function's name -> the rounds of a rank, given the rank, the number of ranks, the size of a
message and the root; rounds follow one another."""
