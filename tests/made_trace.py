"""Traces of made-up jobs, for tests that need no MPI: every value is known."""

from __future__ import annotations

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

    def call(self, function: str, begin_ns: int, end_ns: int, **values: Any) -> None:
        """`completed` are (index, source, tag), other values as in TraceParameters; `times` and
        `polling_ns` are those of a run of polls."""
        made = TraceParameters()
        made.function = self.writer.function(function)
        made.site = self.site + 1
        made.action = ACTIONS.get(function, Action.collective)
        polls = {name: values.pop(name) for name in ("times", "polling_ns") if name in values}
        made.completed = [Completion(*of) for of in values.pop("completed", ())]
        for name, value in values.items():
            setattr(made, name, value)
        self.writer.append(made, begin_ns, end_ns, **polls)

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
    """Three ranks on two hosts: blocking and nonblocking messages, a receive from any source, polls,
    collectives over two communicators, a second thread."""
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
