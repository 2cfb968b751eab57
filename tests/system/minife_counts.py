"""Number of calls of each MPI function by each rank of ww-minife, and its messages.

A closed form, written from the specification and not from the C++: it shares no code with the
program whose profile it predicts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

Triple = tuple[int, int, int]

BYTES_PER_NODE = 8

EXCHANGES_BESIDE_ITERATIONS = 3
"""One for the first residual, two for verification: node numbers, and the solution."""

ALLREDUCES_BESIDE_ITERATIONS = 3
"""One for the first residual, two for verification: a sum and a maximum."""


@dataclass(frozen=True)
class Block:
    """Elements [low, high) of one rank."""

    low: Triple
    high: Triple

    @property
    def volume(self) -> int:
        x, y, z = (max(0, high - low) for low, high in zip(self.low, self.high, strict=True))
        return x * y * z

    def cut(self, axis: int, at: int) -> tuple[Block, Block]:
        below = tuple(at if i == axis else value for i, value in enumerate(self.high))
        above = tuple(at if i == axis else value for i, value in enumerate(self.low))
        return (
            replace(self, high=(below[0], below[1], below[2])),
            replace(self, low=(above[0], above[1], above[2])),
        )

    def owned_nodes(self, elements: Triple) -> list[range]:
        """The low side of each element, and the end of the cube for the last."""
        return [
            range(low, high + (high == last))
            for low, high, last in zip(self.low, self.high, elements, strict=True)
        ]


def bisect(elements: Triple, ranks: int, moved: dict[int, int] | None = None) -> list[Block]:
    """Blocks by rank: z is cut first, then y, x, z, ... in proportion to the ranks on either side.

    Args:
        moved: by the first rank above a cut, how many layers that cut lies higher than even.
    """
    moved = moved or {}

    def split(block: Block, first: int, count: int, axis: int) -> list[Block]:
        if count == 1:
            return [block]
        below = count // 2
        layers = block.high[axis] - block.low[axis]
        at = block.high[axis] - layers * (count - below) // count + moved.get(first + below, 0)
        low, high = block.cut(axis, at)
        following = (axis + 2) % 3
        return split(low, first, below, following) + split(
            high, first + below, count - below, following
        )

    return split(Block((0, 0, 0), elements), 0, ranks, 2)


def cuts_around(rank: int, ranks: int) -> list[int]:
    """First ranks above the cuts that bound a rank's block, the nearest cut in the tree first."""
    first, count, cuts = 0, ranks, []
    while count > 1:
        middle = first + count // 2
        cuts.append(middle)
        if rank < middle:
            count = count // 2
        else:
            first, count = middle, count - count // 2
    return cuts[::-1]


def imbalance_percent(blocks: list[Block]) -> float:
    volumes = [block.volume for block in blocks]
    return 100 * (max(volumes) * len(volumes) / sum(volumes) - 1)


def decompose(elements: Triple, ranks: int, load_imbalance: float = 0) -> list[Block]:
    """Bisection; then the largest block grows by single layers until it is large enough.

    Raises:
        ValueError: a rank has no element, or the imbalance cannot be reached.
    """
    moved: dict[int, int] = {}
    blocks = bisect(elements, ranks)
    if min(block.volume for block in blocks) == 0:
        raise ValueError("a rank has no element")
    while ranks > 1 and imbalance_percent(blocks) < load_imbalance:
        volumes = [block.volume for block in blocks]
        largest = volumes.index(max(volumes))
        for cut in cuts_around(largest, ranks):
            step = 1 if largest < cut else -1
            trial = {**moved, cut: moved.get(cut, 0) + step}
            grown = bisect(elements, ranks, trial)
            if min(b.volume for b in grown) > 0 and max(b.volume for b in grown) > max(volumes):
                moved, blocks = trial, grown
                break
        else:
            raise ValueError("the imbalance cannot be reached")
    return blocks


def _needed(mine: range, theirs: range) -> int:
    """Number of `theirs` nodes on an axis that are within one of `mine`."""
    return max(0, min(mine.stop + 1, theirs.stop) - max(mine.start - 1, theirs.start))


def sent_nodes(elements: Triple, blocks: list[Block]) -> list[list[int]]:
    """[sender][receiver]: nodes of the sender that the receiver needs in one exchange."""
    owned = [block.owned_nodes(elements) for block in blocks]

    def count(sender: int, receiver: int) -> int:
        if sender == receiver:
            return 0
        x, y, z = (_needed(m, t) for m, t in zip(owned[receiver], owned[sender], strict=True))
        return x * y * z

    return [[count(s, r) for r in range(len(blocks))] for s in range(len(blocks))]


def expected_messages(
    nx: int, ny: int, nz: int, ranks: int, iterations: int, load_imbalance: float = 0
) -> list[list[int]]:
    """[sender][receiver]: number of point-to-point messages of a whole run."""
    elements = (nx, ny, nz)
    nodes = sent_nodes(elements, decompose(elements, ranks, load_imbalance))
    exchanges = iterations + EXCHANGES_BESIDE_ITERATIONS
    return [[exchanges if n > 0 else 0 for n in row] for row in nodes]


def expected_matrix_bytes(
    nx: int, ny: int, nz: int, ranks: int, iterations: int, load_imbalance: float = 0
) -> list[list[int]]:
    """[sender][receiver]: payload of all point-to-point messages of a whole run [B]."""
    elements = (nx, ny, nz)
    nodes = sent_nodes(elements, decompose(elements, ranks, load_imbalance))
    exchanges = iterations + EXCHANGES_BESIDE_ITERATIONS
    return [[exchanges * BYTES_PER_NODE * n for n in row] for row in nodes]


def expected_calls(
    nx: int,
    ny: int,
    nz: int,
    ranks: int,
    iterations: int,
    load_imbalance: float = 0,
) -> list[dict[str, int]]:
    """Calls of each MPI function by rank, from MPI_Init to MPI_Finalize, unless it is refused.

    Args:
        iterations: that the run reports; whether it converged makes no difference.
    """
    messages = expected_messages(nx, ny, nz, ranks, iterations, load_imbalance)
    calls = []
    for rank in range(ranks):
        sends = sum(messages[rank])
        receives = sum(row[rank] for row in messages)
        all_calls = {
            "MPI_Init_thread": 1,
            "MPI_Comm_rank": 1,
            "MPI_Comm_size": 1,
            "MPI_Bcast": 1,
            "MPI_Barrier": 2,
            "MPI_Irecv": receives,
            "MPI_Send": sends,
            "MPI_Wait": receives,
            "MPI_Allreduce": 2 * iterations + ALLREDUCES_BESIDE_ITERATIONS,
            "MPI_Gather": 1,
            "MPI_Finalize": 1,
        }
        calls.append({name: number for name, number in all_calls.items() if number > 0})
    return calls
