"""Programs on p x p ranks that pipeline the sweeps of a cube, as BT, SP and LU of the NAS Parallel
Benchmarks do. Each is a program as in `tests.regular_programs`.

Source of the messages: docs/npb.md#messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from math import isqrt, prod

from tests.regular_programs import Program
from tests.synthetic_jobs import PlannedCall, call

LINE_BYTES = {"bt": (240, 40), "sp": (176, 80)}
"""Bytes of a line, forwards and back."""


def weak(points: int) -> Callable[[int], int]:
    """The side of a box, in points, by the side of the grid of ranks: always the same."""
    return lambda side: points


def strong(points: int) -> Callable[[int], int]:
    """The side of a box of a cube with so many points a side."""
    return lambda side: points // side


def inner(points: int, place: int, side: int) -> int:
    """Points of a box along an axis without those on the faces of the cube."""
    return points - (place == 0) - (place == side - 1)


@dataclass(frozen=True)
class Work:
    """What a rank computes for one of its boxes [ns]."""

    right_hand_side: int = 9000
    there: int = 20_000
    """A stage of a sweep forwards; of LU, a plane."""

    back: int = 12_000


def multipartition(
    benchmark: str, box: Callable[[int], int], *, padded: bool, steps: int = 2, work: Work = Work()
) -> Program:
    """BT or SP: each rank has a box in each slab of each axis, and all ranks send at each stage.

    Args:
        box: points along a side of a box, by the side of the grid of ranks.
        padded: a message has the lines of the largest box that a cube may have, as in NPB's BT;
            else those of its own box that are inside the cube.
    """

    def program(ranks: int, rank: int) -> Iterator[PlannedCall]:
        side = isqrt(ranks)
        points, x, y = box(side), rank % side, rank // side

        def at(i: int, j: int) -> int:
            return i % side + side * (j % side)

        boxes = [((x + c) % side, (y - c) % side, c) for c in range(side)]
        before = (at(x - 1, y), at(x, y - 1), at(x + 1, y - 1))
        after = (at(x + 1, y), at(x, y + 1), at(x - 1, y + 1))
        sides = [side_ranks[axis] for axis in range(3) for side_ranks in (before, after)]
        yield call("Init")
        for _ in range(steps):
            face = 80 * points**2 * (side - 1)
            for number, peer in enumerate(sides):
                tags = {"source": peer, "source_tag": 10 + (number ^ 1)}
                yield call("Irecv", 100, **tags, request=number, posted=face, site=1)
            for number, peer in enumerate(sides):
                sent = {"peer": peer, "tag": 10 + number, "request": 6 + number}
                yield call("Isend", 100, **sent, bytes=face, site=2)
            requests = list(range(12))
            yield call(
                "Waitall", work.right_hand_side * side, requests=requests, completed=requests
            )
            for axis in range(3):
                slabs = sorted(boxes, key=lambda place: place[axis])
                lines = [
                    (points + 1) ** 2
                    if padded
                    else prod(inner(points, place[i], side) for i in range(3) if i != axis)
                    for place in slabs
                ]
                there, back = (
                    [size * of_box for of_box in lines] for size in LINE_BYTES[benchmark]
                )
                yield from _pass_on(after[axis], before[axis], there, work.there, site=3)
                yield from _pass_on(before[axis], after[axis], back[::-1], work.back, site=4)
        yield call("Allreduce", 100, bytes=40, posted=40)
        yield call("Finalize")

    return program


def _pass_on(
    to: int, source: int, sizes: list[int], work_ns: int, site: int
) -> Iterator[PlannedCall]:
    """A sweep through the boxes of all ranks, whose messages have these sizes."""
    for sent, received in pairwise(sizes):
        message = {"peer": to, "tag": 2, "request": 0, "bytes": sent}
        yield call("Isend", work_ns, **message, site=site)
        message = {"source": source, "source_tag": 2, "request": 1, "posted": received}
        yield call("Irecv", 50, **message, site=5)
        yield call("Waitall", 50, requests=[1, 0], completed=[0, 1], site=6)


def pencils(box: Callable[[int], int], steps: int = 1, work: Work = Work()) -> Program:
    """LU: two sweeps through the planes of the third axis, which is whole on each rank."""

    def program(ranks: int, rank: int) -> Iterator[PlannedCall]:
        side = isqrt(ranks)
        points, place = box(side), (rank % side, rank // side)
        neighbours = {
            (axis, step): rank + step * side**axis
            for axis, step in product((0, 1), (-1, 1))
            if 0 <= place[axis] + step < side
        }
        yield call("Init")
        for _ in range(steps):
            face = 80 * points * points * side
            for number, ((axis, step), peer) in enumerate(neighbours.items()):
                message = {"source": peer, "source_tag": 2 * axis + (step < 0), "request": number}
                yield call("Irecv", 100, **message, posted=face, site=1)
            for (axis, step), peer in neighbours.items():
                yield call("Send", 100, peer=peer, tag=2 * axis + (step > 0), bytes=face, site=2)
            for number in range(len(neighbours)):
                yield call("Wait", 100, requests=[number], completed=[0], site=3)
            yield call("Comm_rank", work.right_hand_side * side)
            edges = [40 * inner(points, place[1 - axis], side) for axis in (0, 1)]
            for step, plane_ns in ((1, work.there), (-1, work.back)):
                for _ in range(points * side - 2):
                    for axis in (0, 1):
                        if (axis, -step) in neighbours:
                            peer = neighbours[axis, -step]
                            message = {"source": peer, "source_tag": 1, "posted": edges[axis]}
                            yield call("Recv", 50, **message, site=4)
                    yield call("Comm_rank", plane_ns, site=6)
                    for axis in (0, 1):
                        if (axis, step) in neighbours:
                            peer = neighbours[axis, step]
                            yield call("Send", 50, peer=peer, tag=1, bytes=edges[axis], site=5)
        yield call("Allreduce", 100, bytes=40, posted=40)
        yield call("Finalize")

    return program
