"""Epochs of windows on virtual clocks, in closed form."""

from __future__ import annotations

import heapq

import pytest

from tests.simulated import LogGP, Operation, Simulation
from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build
from tests.system.virtual_clocks import (
    EAGER_BYTES,
    GAP,
    LATENCY,
    NS,
    OVERHEAD,
    PER_BYTE,
    followed,
    local_seconds,
    message,
    met_in,
    replayed,
)

pytestmark = [pytest.mark.every_mpi, pytest.mark.in_turn]

REPEATS = 10
PUT = OVERHEAD + 8 * PER_BYTE + 2 * LATENCY
"""Time of a put until its origin knows that it has arrived."""


def scattered(times: list[float]) -> list[float]:
    """Rank 0 hears that each of the others has posted, puts, and tells them when all is there."""
    origin, *targets = times
    targets = [time + OVERHEAD for time in targets]
    for posted in targets:
        origin = max(origin, posted + LATENCY) + OVERHEAD
    puts = len(targets)
    origin += (puts - 1) * OVERHEAD + PUT
    ends = []
    for place, time in enumerate(targets, 1):
        ends.append(max(time, origin + place * OVERHEAD + LATENCY) + OVERHEAD)
    return [origin + puts * OVERHEAD, *ends]


def crossed(times: list[float]) -> list[float]:
    """Rank 0 waits for what was posted last, and rank 1 for two epochs in turn."""
    origin, target, *others = times
    first = target + OVERHEAD
    second = first + message(0) + OVERHEAD
    target = second
    origin = max(origin, second + LATENCY) + OVERHEAD + PUT
    second_sent = origin + OVERHEAD
    origin = max(second_sent, first + LATENCY) + OVERHEAD + PUT
    first_sent = origin + OVERHEAD
    target = max(target, second_sent + LATENCY) + OVERHEAD
    target = max(target, first_sent + LATENCY) + OVERHEAD
    return [first_sent, target, *others]


def shared(times: list[float]) -> list[float]:
    """A lock is asked for, and held; what was put is there when it is given back."""
    return [times[0], *(time + OVERHEAD + 2 * LATENCY + PUT for time in times[1:])]


def excluded(times: list[float]) -> list[float]:
    """All epochs of all ranks but 0: the lock is given to the one whose request came first."""
    ends = dict(enumerate(times))
    left = dict.fromkeys(range(1, len(times)), REPEATS)
    free = 0.0
    while left:
        first = min(left, key=lambda rank: ends[rank])
        granted = max(ends[first] + OVERHEAD + LATENCY, free)
        ends[first] = granted + LATENCY + PUT
        free = ends[first] + LATENCY
        left[first] -= 1
        left = {rank: epochs for rank, epochs in left.items() if epochs}
    return [ends[rank] for rank in range(len(times))]


TURNS = 3
"""Epochs of each rank; the numbers of its messages to itself keep any two requests 19 us apart."""


def in_turn(times: list[float]) -> tuple[list[float], float]:
    """Event by event, the requests for one lock that most share.

    Returns:
        When ranks are through, and how long they waited for each other, all together.
    """
    ends, epoch = list(times), [0] * len(times)
    alone: dict[int, bool] = {}  # by rank that has the lock
    line: list[tuple[int, float, bool]] = []
    waited = 0.0

    def request(rank: int) -> tuple[float, int, bool]:
        size = 1000 * ((19 * rank + 59 * epoch[rank]) % 60)
        return ends[rank] + message(size) + OVERHEAD + LATENCY, rank, True

    events = [request(rank) for rank in range(len(times))]
    heapq.heapify(events)
    while events:
        now, rank, asks = heapq.heappop(events)
        if asks:
            line.append((rank, now, (rank + epoch[rank]) % 3 == 0))
        else:
            del alone[rank]
            epoch[rank] += 1
            if epoch[rank] < TURNS:
                heapq.heappush(events, request(rank))
        while line and (not alone or not (line[0][2] or any(alone.values()))):
            holder, requested_at, exclusive = line.pop(0)
            alone[holder] = exclusive
            waited += now - requested_at
            puts = 1 + (holder + epoch[holder]) % 3
            ends[holder] = now + LATENCY + puts * PUT
            heapq.heappush(events, (ends[holder] + LATENCY, holder, False))
    return ends, waited


CASES = {
    "scatter": scattered,
    "crossed": crossed,
    "share": shared,
    "exclude": excluded,
}
ONCE = ("exclude",)
"""Patterns whose closed form covers all repeats at once."""


@pytest.mark.parametrize("pattern", CASES)
def test_epochs_wait_for_partners(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, pattern: str
) -> None:
    clocks = followed(waywiser, mpi, build, 4, pattern, REPEATS, source="virtual_windows.c")

    times = met_in(mpi, met_in(mpi, [0.0] * 4))
    for _ in range(1 if pattern in ONCE else REPEATS):
        times = CASES[pattern](times)
    for _ in range(3):  # both are freed, and the end
        times = met_in(mpi, times)
    assert clocks["seconds"] == pytest.approx(max(times), abs=local_seconds(clocks))
    assert clocks["remarks"] == []


def test_locks_serve_who_comes_first_and_are_shared(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    clocks = followed(waywiser, mpi, build, 4, "turns", TURNS, source="virtual_windows.c")

    times, waited = in_turn(met_in(mpi, met_in(mpi, [0.0] * 4)))
    for _ in range(3):
        times = met_in(mpi, times)
    assert clocks["seconds"] == pytest.approx(max(times), abs=local_seconds(clocks))
    locks = clocks["functions"]["MPI_Win_lock"]
    assert locks["waiting_seconds"] == pytest.approx(waited, abs=4 * local_seconds(clocks))


def handed_on(times: list[float], size: int) -> list[float]:
    """When the central queue has ranks through that wait for a lock, and then for a message of one
    who has waited for it; the last one waits for such messages alone."""
    ranks = len(times)
    programs: list[list[Operation]] = []
    for rank, time in enumerate(times):
        epoch: list[Operation] = [("lock", 0, True), ("put", 0, 8), ("unlock", 0)]
        once: list[Operation] = [
            ("irecv", (rank - 1) % ranks, 0, 0),
            *(epoch if rank > 0 else []),
            ("send", (rank + 1) % ranks, 0, size),
            ("wait", [0]),
        ]
        programs.append([("compute", time / NS), *once * REPEATS])
    programs[0] += 4 * REPEATS * [("send", 0, 1, 0), ("recv", 0, 1)]
    cost = LogGP(LATENCY / NS, OVERHEAD / NS, GAP / NS, PER_BYTE / NS, 0.0, EAGER_BYTES)
    return [end * NS for end in Simulation(programs, cost).end]


SIZES = pytest.mark.parametrize("size", [8, 100_000], ids=["eager", "handshakes"])


@SIZES
def test_messages_of_ranks_that_waited_for_a_lock_are_late(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, size: int
) -> None:
    clocks = followed(waywiser, mpi, build, 4, "relay", REPEATS, size, source="virtual_windows.c")

    times = handed_on(met_in(mpi, met_in(mpi, [0.0] * 4)), size)
    for _ in range(3):
        times = met_in(mpi, times)
    assert clocks["seconds"] == pytest.approx(max(times), abs=local_seconds(clocks))
    assert clocks["remarks"] == []


@SIZES
def test_messages_of_ranks_that_waited_for_a_lock_are_late_as_in_the_replay(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, size: int
) -> None:
    clocks = followed(
        *(waywiser, mpi, build, 4, "relay", 32, size),
        source="virtual_windows.c",
        options=("--trace", "--cpu", "1"),
    )
    seconds, _ = replayed(waywiser, mpi.name, 1.0)

    assert clocks["remarks"] == []
    assert clocks["seconds"] == pytest.approx(seconds, rel=0.05)


def test_locks_serve_who_comes_first_as_in_the_replay(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    """Ranks add to two counters at different paces, some together; agreement is within 5 %."""
    clocks = followed(
        *(waywiser, mpi, build, 4, "counters", 32),
        source="virtual_windows.c",
        options=("--trace", "--cpu", "1"),
    )
    seconds, functions = replayed(waywiser, mpi.name, 1.0)

    assert clocks["remarks"] == []
    assert clocks["seconds"] == pytest.approx(seconds, rel=0.05)
    locks = clocks["functions"]["MPI_Win_lock"]
    # Half and more of it is waiting for each other: an answer that leaves it out is far off.
    assert locks["waiting_seconds"] > 0.5 * locks["seconds"]
    assert locks["seconds"] == pytest.approx(functions["MPI_Win_lock"], rel=0.1)
