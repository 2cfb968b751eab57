"""Jobs that several tests look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.job import ANY, MS, Job, call_site, parameters
from waywiser.model.run import Conditions
from waywiser.native import _native as native
from waywiser.store.directory import RunDirectory

INIT_NS, FINALIZE_NS = 5 * MS, 2 * MS
CALL_NS = 2000
ROUNDS = 10


PlannedCall = tuple[str, int, dict[str, Any]]
"""Function, local time before it [ns], parameters."""


def call(function: str, local_ns: int = 0, /, **fields: Any) -> PlannedCall:
    return function, local_ns, fields


def plan(job: Job, rank: int, calls: Iterable[PlannedCall], lasts_ns: int = 100) -> None:
    for function, local_ns, fields in calls:
        job.then(rank, function, local_ns, lasts_ns=lasts_ns, **fields)


def rounds(hosts: Sequence[str], computation_ms: Sequence[float]) -> Job:
    """In each of ten rounds, ranks compute and then make an Allreduce of 8 B, which ends for all
    ranks 2 us after the last one has come to it. One message of 8 B goes from rank to rank."""
    ranks = len(hosts)
    job = Job(ranks, hosts=hosts)
    longest = int(max(computation_ms) * MS)
    for rank, own in enumerate(computation_ms):
        job.then(rank, "Init", lasts_ns=INIT_NS)
        for _ in range(ROUNDS):
            waits = longest - int(own * MS)
            lasts = waits + CALL_NS
            job.then(rank, "Allreduce", longest - waits, lasts_ns=lasts, bytes=8, posted=8)
        there = {"peer": (rank + 1) % ranks, "tag": 1, "bytes": 8}
        back = {"source": (rank - 1) % ranks, "source_tag": 1, "posted": 8}
        job.then(rank, "Sendrecv", lasts_ns=CALL_NS, **there, **back)
        job.then(rank, "Finalize", lasts_ns=FINALIZE_NS)
    return job


def mixed() -> Job:
    """Three ranks on two hosts: blocking and nonblocking messages, a receive from any source,
    polls, collectives over two communicators, a second thread."""
    job = Job(3, hosts=["node0", "node0", "node1"])
    job.communicator([2, 0], name="pair")
    call = partial(job.call, site='solve, "fast" at cg.c:131')

    call(0, "Init", 0, 100)
    call(0, "Isend", 1000, 1100, peer=1, tag=7, bytes=64, request=0)
    call(0, "Isend", 1200, 1250, peer=1, tag=7, bytes=128, request=1)
    call(0, "Waitall", 1300, 2500, requests=[0, 1], completed=[(0,), (1,)])
    call(0, "Bcast", 3000, 3500, object=1, peer=0, bytes=0, posted=4096)
    call(0, "Sendrecv", 3600, 3900, object=1, peer=0, tag=5, bytes=8, source=0, source_tag=5,
         posted=8)  # fmt: skip
    call(0, "Allreduce", 4000, 5000, bytes=8, posted=8)
    call(0, "Finalize", 9000, 9100)

    call(1, "Init", 0, 120)
    call(1, "Irecv", 500, 520, source=ANY, source_tag=7, posted=256, request=0)
    call(1, "Irecv", 530, 540, source=0, source_tag=7, posted=256, request=1)
    call(1, "Test", 600, 1000, requests=[1], found=False, times=9, polling_ns=90)
    call(1, "Wait", 1010, 2300, requests=[1], completed=[(0,)])
    call(1, "Wait", 2310, 2400, requests=[0], completed=[(0, 0)])
    call(1, "Recv", 2500, 2600, source=ANY, source_tag=ANY, posted=16,
         matched_source=2, matched_tag=9)  # fmt: skip
    call(1, "Allreduce", 4700, 5000, bytes=8, posted=8)
    call(1, "Finalize", 9000, 9100)
    call(1, "Comm_rank", 700, 701, object=0, thread=1)

    call(2, "Init", 0, 110)
    call(2, "Send", 900, 2000, peer=1, tag=9, bytes=16)
    call(2, "Bcast", 3100, 3400, object=1, peer=0, bytes=4096)
    call(2, "Sendrecv", 3500, 3900, object=1, peer=1, tag=5, bytes=8, source=1, source_tag=5,
         posted=8)  # fmt: skip
    call(2, "Allreduce", 4900, 5000, bytes=8, posted=8)
    call(2, "Finalize", 9000, 9100)
    return job


def replayable() -> Job:
    """Four ranks whose local time alone makes the job last 9 ms: 4 ms to a barrier, 1 ms beside a
    ring of messages, 3 ms of rank 2 before a reduction of the even ranks, 1 ms of rank 3 before its
    message to rank 0. Calls last as they may; a replay finds out."""
    job = Job(4)
    job.communicator([0, 2], name="even")
    job.communicator([1, 3], name="odd")
    for rank in range(4):
        plan(job, rank, _replayed_calls(rank))
    return job


def _replayed_calls(rank: int) -> Iterator[PlannedCall]:
    left, right = (rank - 1) % 4, (rank + 1) % 4
    yield call("Init")
    yield call("Barrier", (rank + 1) * MS)
    named = ANY if rank == 2 else left
    yield call("Irecv", source=named, source_tag=3, posted=999, request=0)
    yield call("Irecv", source=left, source_tag=3, posted=99, request=2)
    yield call("Isend", peer=right, tag=3, bytes=64, request=1)
    yield call("Isend", peer=right, tag=3, bytes=32, request=3)
    done = [(0, left if rank == 2 else -1), (1,), (2,), (3,)]
    yield call("Waitall", MS, requests=[0, 1, 2, 3], completed=done)
    yield call("Comm_split", created=1)
    late = {"object": 1, "bytes": 80, "posted": 80}
    yield call("Allreduce", 3 * MS if rank == 2 else 0, **late)
    yield call("Ibarrier", request=0)
    yield call("Wait", 2 * MS if rank == 1 else 0, requests=[0], completed=[(0,)])
    message = {"object": 1, "peer": 1 - rank // 2, "tag": 3, "bytes": 5}
    yield call("Sendrecv", **(message | {"source": 1 - rank // 2, "source_tag": 3, "posted": 5}))
    yield call("Send_init", peer=right, tag=4, bytes=7, request=0)
    yield call("Recv_init", source=left, source_tag=4, posted=7, request=1)
    for _ in range(2):
        yield call("Startall", requests=[0, 1])
        yield call("Waitall", requests=[0, 1], completed=[(0,), (1,)])
    for name in ("Allgather", "Alltoall", "Allreduce", "Scan", "Exscan", "Reduce_scatter_block"):
        for over, ranks in ((0, 4), (1, 2)):
            yield call(name, object=over, bytes=8 * ranks, posted=8 * ranks)
    for name in ("Bcast", "Reduce", "Gather", "Scatter"):
        for over in (0, 1):
            yield call(name, object=over, peer=1, bytes=16, posted=16)
    counts = [0, 10, 20, 30]
    yield call("Alltoallv", bytes=60, posted=120, counts=counts)
    yield call("Allgatherv", bytes=10 * rank, posted=60)
    root = {"peer": 1}
    yield call("Gatherv", **(root | {"bytes": 5 * rank, "posted": 30 if rank == 1 else 0}))
    shares = {"bytes": 60, "counts": counts} if rank == 1 else {}
    yield call("Scatterv", **(root | {"posted": 10 * rank} | shares))
    if rank == 3:
        yield call("Send", MS, peer=0, tag=0, bytes=1)
    if rank == 0:
        yield call("Recv", source=3, source_tag=0, posted=1)
    yield call("Finalize")


US = 1_000
ITERATION_NS, SLOW_NS = 1_000 * US, 100 * US
BYTES = 8192
SLOW = 1
"""The rank of a ring that computes longer than the others, which wait for it."""

CALLS = 6
"""Calls of each rank in an iteration of a ring."""


def write_ring(path: Path, ranks: int, iterations: int) -> Path:
    """The trace of a halo exchange on a ring, with a reduction in each iteration, which is from i
    to i + 1 ms after MPI_Init, which takes 2 ms. Of millions of calls, none is kept."""
    writer = native.TraceWriter(str(path))
    site, world = call_site(writer, "exchange at ring.c:42"), writer.object(Job(ranks).objects[0])
    for rank in range(ranks):
        writer.add_rank(rank, "host", [world])
        writer.begin_stream(rank, 0)
        exchange = [
            (function, parameters(writer, function, site=site, **fields))
            for function, fields in _exchange(rank, ranks)
        ]
        writer.append(parameters(writer, "Init"), 0, 2 * ITERATION_NS)
        for i in range(iterations):
            begin = (2 + i) * ITERATION_NS + 700 * US + SLOW_NS * (rank == SLOW)
            last = (2 + i) * ITERATION_NS + 700 * US + SLOW_NS + 60 * US
            for n, (function, call) in enumerate(exchange):
                at = begin + 2 * US * n
                end = {"Waitall": last, "Allreduce": last + 40 * US}.get(function, at + US)
                writer.append(call, last + 20 * US if function == "Allreduce" else at, end)
        end = (2 + iterations) * ITERATION_NS
        writer.append(parameters(writer, "Finalize"), end, end + 500 * US)
    writer.finish()
    return path


def _exchange(rank: int, ranks: int) -> list[tuple[str, dict[str, Any]]]:
    left, right = (rank - 1) % ranks, (rank + 1) % ranks
    return [
        ("Irecv", {"source": left, "source_tag": 0, "posted": BYTES, "request": 0}),
        ("Irecv", {"source": right, "source_tag": 1, "posted": BYTES, "request": 1}),
        ("Isend", {"peer": right, "tag": 0, "bytes": BYTES, "request": 2}),
        ("Isend", {"peer": left, "tag": 1, "bytes": BYTES, "request": 3}),
        ("Waitall", {"object": -1, "requests": [0, 1, 2, 3], "completed": [0, 1, 2, 3]}),
        ("Allreduce", {"bytes": 8, "posted": 8}),
    ]


def contend(run: Path) -> None:
    """Has it that other programs used 8 of the 16 CPUs beside the run."""
    files = RunDirectory(run)
    conditions = Conditions(
        wall_seconds=10.0, cpu_seconds=10.0, busy_seconds=90.0, stolen_seconds=0.0,
        involuntary_switches=0, load_average=0.0,
    )  # fmt: skip
    known = files.read_run()
    machine = known.machine.replace(host="n0", hardware_threads=16)
    files.write_run(known.replace(conditions=conditions, machine=machine))
