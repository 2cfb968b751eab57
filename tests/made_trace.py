"""Traces of made-up jobs, for tests that need no MPI: every value is known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waywiser.native._native import (
    Action,
    CallSite,
    Completion,
    Stride,
    TraceObject,
    TraceParameters,
    TraceWriter,
)

ANY = -2

ACTIONS = {
    "MPI_Init": Action.initialise,
    "MPI_Finalize": Action.finalise,
    "MPI_Send": Action.send,
    "MPI_Isend": Action.send,
    "MPI_Recv": Action.receive,
    "MPI_Irecv": Action.receive,
    "MPI_Sendrecv": Action.send_receive,
    "MPI_Wait": Action.complete,
    "MPI_Waitall": Action.complete,
    "MPI_Test": Action.complete,
    "MPI_Comm_rank": Action.none,
    "MPI_Comm_split": Action.make_object,
    "MPI_Send_init": Action.prepare_send,
    "MPI_Recv_init": Action.prepare_receive,
    "MPI_Startall": Action.start,
}
"""Of other functions: collectives."""


class MadeTrace:
    """Writes a trace call by call; times are in ns, peers ranks of the communicator."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.writer = TraceWriter(str(path))
        self.site = self.writer.call_site(_call_site())

    def communicator(self, name: str, context: int, *members: int) -> int:
        """Index of a communicator of these world ranks."""
        made = TraceObject()
        made.name, made.context, made.size = name, context, len(members)
        made.members = [_stride(member) for member in members]
        return self.writer.object(made)

    def rank(self, rank: int, *communicators: int, host: str = "node0") -> None:
        """Calls that follow are those of thread 0 of the rank; its communicators are numbered
        from 0."""
        self.writer.add_rank(rank, host, list(communicators))
        self.thread(rank, 0)

    def thread(self, rank: int, thread: int) -> None:
        self.writer.begin_stream(rank, thread)
        self.end_ns = 0

    def call(self, function: str, begin_ns: int, end_ns: int, **values: Any) -> None:
        """`completed` are (index, source, tag), other values as in TraceParameters; `times` and
        `polling_ns` are those of a run of polls."""
        made = TraceParameters()
        made.function = self.writer.function(function)
        made.site = self.site + 1
        made.action = values.pop("action", ACTIONS.get(function, Action.collective))
        polls = {name: values.pop(name) for name in ("times", "polling_ns") if name in values}
        made.completed = [Completion(*of) for of in values.pop("completed", ())]
        for name, value in values.items():
            setattr(made, name, value)
        self.writer.append(made, begin_ns, end_ns, **polls)
        self.end_ns = end_ns

    def after(self, local_ns: int, function: str, **values: Any) -> None:
        """A call of 100 ns, that time after the thread's call before."""
        self.call(function, self.end_ns + local_ns, self.end_ns + local_ns + 100, **values)

    def finish(self) -> None:
        self.writer.finish()


def _call_site() -> CallSite:
    site = CallSite()
    site.module, site.address, site.place = "/opt/app", 0x1234, 'solve, "fast" at cg.c:131'
    return site


def _stride(member: int) -> Stride:
    stride = Stride()
    stride.first, stride.stride, stride.count = member, 1, 1
    return stride


def made_job(path: Path) -> None:
    """Three ranks on two hosts: blocking and nonblocking messages, a receive from any source,
    polls, collectives over two communicators, a second thread."""
    trace = MadeTrace(path)
    world = trace.communicator("MPI_COMM_WORLD", 1, 0, 1, 2)
    pair = trace.communicator("pair", 2, 2, 0)

    trace.rank(0, world, pair)
    trace.call("MPI_Init", 0, 100)
    trace.call("MPI_Isend", 1000, 1100, object=0, peer=1, tag=7, bytes=64, request=0)
    trace.call("MPI_Isend", 1200, 1250, object=0, peer=1, tag=7, bytes=128, request=1)
    trace.call("MPI_Waitall", 1300, 2500, requests=[0, 1], completed=[(0,), (1,)])
    trace.call("MPI_Bcast", 3000, 3500, object=1, peer=0, bytes=0, posted=4096)
    trace.call("MPI_Sendrecv", 3600, 3900, object=1, peer=0, tag=5, bytes=8, source=0, source_tag=5,
               posted=8)  # fmt: skip
    trace.call("MPI_Allreduce", 4000, 5000, object=0, bytes=8, posted=8)
    trace.call("MPI_Finalize", 9000, 9100)

    trace.rank(1, world)
    trace.call("MPI_Init", 0, 120)
    trace.call("MPI_Irecv", 500, 520, object=0, source=ANY, source_tag=7, posted=256, request=0)
    trace.call("MPI_Irecv", 530, 540, object=0, source=0, source_tag=7, posted=256, request=1)
    trace.call("MPI_Test", 600, 1000, requests=[1], found=False, times=9, polling_ns=90)
    trace.call("MPI_Wait", 1010, 2300, requests=[1], completed=[(0,)])
    trace.call("MPI_Wait", 2310, 2400, requests=[0], completed=[(0, 0)])
    trace.call("MPI_Recv", 2500, 2600, object=0, source=ANY, source_tag=ANY, posted=16,
               matched_source=2, matched_tag=9)  # fmt: skip
    trace.call("MPI_Allreduce", 4700, 5000, object=0, bytes=8, posted=8)
    trace.call("MPI_Finalize", 9000, 9100)
    trace.thread(1, 1)
    trace.call("MPI_Comm_rank", 700, 701, object=0)

    trace.rank(2, world, pair, host="node1")
    trace.call("MPI_Init", 0, 110)
    trace.call("MPI_Send", 900, 2000, object=0, peer=1, tag=9, bytes=16)
    trace.call("MPI_Bcast", 3100, 3400, object=1, peer=0, bytes=4096)
    trace.call("MPI_Sendrecv", 3500, 3900, object=1, peer=1, tag=5, bytes=8, source=1, source_tag=5,
               posted=8)  # fmt: skip
    trace.call("MPI_Allreduce", 4900, 5000, object=0, bytes=8, posted=8)
    trace.call("MPI_Finalize", 9000, 9100)
    trace.finish()


MS = 1_000_000


def made_replay(path: Path) -> None:
    """Four ranks whose local time alone makes the job last 9 ms: 4 ms to a barrier, 1 ms beside a
    ring of messages, 3 ms of rank 2 before a reduction of the even ranks, 1 ms of rank 3 before its
    message to rank 0. Calls last as they may; a replay finds out."""
    trace = MadeTrace(path)
    world = trace.communicator("MPI_COMM_WORLD", 1, 0, 1, 2, 3)
    halves = [trace.communicator("even", 2, 0, 2), trace.communicator("odd", 3, 1, 3)]
    for rank in range(4):
        trace.rank(rank, world, halves[rank % 2])
        for function, local_ns, values in replayed_calls(rank):
            trace.after(local_ns, function, **values)
    trace.finish()


def replayed_calls(rank: int) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Function, local time before it [ns], parameters."""
    left, right = (rank - 1) % 4, (rank + 1) % 4
    yield "MPI_Init", 0, {}
    yield "MPI_Barrier", (rank + 1) * MS, {"object": 0}
    named = ANY if rank == 2 else left
    yield (
        "MPI_Irecv",
        0,
        {"object": 0, "source": named, "source_tag": 3, "posted": 999, "request": 0},
    )
    yield "MPI_Irecv", 0, {"object": 0, "source": left, "source_tag": 3, "posted": 99, "request": 2}
    yield "MPI_Isend", 0, {"object": 0, "peer": right, "tag": 3, "bytes": 64, "request": 1}
    yield "MPI_Isend", 0, {"object": 0, "peer": right, "tag": 3, "bytes": 32, "request": 3}
    done = [(0, left if rank == 2 else -1), (1,), (2,), (3,)]
    yield "MPI_Waitall", MS, {"requests": [0, 1, 2, 3], "completed": done}
    yield "MPI_Comm_split", 0, {"object": 0, "created": 1}
    late = {"object": 1, "bytes": 80, "posted": 80}
    yield "MPI_Allreduce", 3 * MS if rank == 2 else 0, late
    yield "MPI_Ibarrier", 0, {"object": 0, "request": 0}
    yield "MPI_Wait", 2 * MS if rank == 1 else 0, {"requests": [0], "completed": [(0,)]}
    other = {"object": 1, "peer": 1 - rank // 2, "tag": 3, "bytes": 5}
    yield "MPI_Sendrecv", 0, other | {"source": 1 - rank // 2, "source_tag": 3, "posted": 5}
    yield "MPI_Send_init", 0, {"object": 0, "peer": right, "tag": 4, "bytes": 7, "request": 0}
    yield (
        "MPI_Recv_init",
        0,
        {"object": 0, "source": left, "source_tag": 4, "posted": 7, "request": 1},
    )
    for _ in range(2):
        yield "MPI_Startall", 0, {"requests": [0, 1]}
        yield "MPI_Waitall", 0, {"requests": [0, 1], "completed": [(0,), (1,)]}
    for name in ("Allgather", "Alltoall", "Allreduce", "Scan", "Exscan", "Reduce_scatter_block"):
        for over, ranks in ((0, 4), (1, 2)):
            yield f"MPI_{name}", 0, {"object": over, "bytes": 8 * ranks, "posted": 8 * ranks}
    for name in ("Bcast", "Reduce", "Gather", "Scatter"):
        for over in (0, 1):
            yield f"MPI_{name}", 0, {"object": over, "peer": 1, "bytes": 16, "posted": 16}
    counts = [0, 10, 20, 30]
    yield "MPI_Alltoallv", 0, {"object": 0, "bytes": 60, "posted": 120, "counts": counts}
    yield "MPI_Allgatherv", 0, {"object": 0, "bytes": 10 * rank, "posted": 60}
    root = {"object": 0, "peer": 1}
    yield "MPI_Gatherv", 0, root | {"bytes": 5 * rank, "posted": 30 if rank == 1 else 0}
    shares = {"bytes": 60, "counts": counts} if rank == 1 else {}
    yield "MPI_Scatterv", 0, root | {"posted": 10 * rank} | shares
    if rank == 3:
        yield "MPI_Send", MS, {"object": 0, "peer": 0, "tag": 0, "bytes": 1}
    if rank == 0:
        yield "MPI_Recv", 0, {"object": 0, "source": 3, "source_tag": 0, "posted": 1}
    yield "MPI_Finalize", 0, {}
