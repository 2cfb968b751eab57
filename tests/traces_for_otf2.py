"""Traces that go to OTF2: whatever one can hold, and an exchange of two ranks."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from tests.job import Job
from tests.native_records import record, stride
from waywiser.native._native import (
    Action,
    CallSite,
    Completion,
    ObjectKind,
    TraceObject,
    TraceParameters,
    TraceWriter,
)

NAMES = """
Send Isend Recv Irecv Sendrecv Send_init Recv_init Startall Waitall Testsome Cancel Request_free
Mprobe Mrecv Allreduce Bcast Reduce Ialltoallv Comm_split Comm_free Win_create Win_free Put Get
Fetch_and_op Win_fence Win_lock File_write_all Pcontrol Comm_rank Finalize X_made_up
"""
FUNCTIONS = [f"MPI_{name}" for name in NAMES.split()]
ACTIONS = [value for name, value in vars(Action).items() if name[0] != "_" and name.islower()]


def objects() -> list[TraceObject]:
    """A communicator, one of every second rank, an intercommunicator, one of unknown members, a
    window, a file."""
    made = [TraceObject() for _ in range(6)]
    for context, one in enumerate(made):
        one.context = 2**63 + context
        one.size = 4
        one.members = [stride(0, 1, 4)]
    made[0].name = "MPI_COMM_WORLD"
    made[1].size, made[1].members = 2, [stride(1, 2, 2)]
    made[1].name = "a tab\t, a\nbreak, a \\n"
    made[2].intercommunicator, made[2].size = True, 2
    made[2].members, made[2].own_group = [stride(0, 1, 2)], [stride(3, -1, 2)]
    made[3].members = []
    made[4].kind, made[5].kind = ObjectKind.window, ObjectKind.file
    return made


def any_parameters(rng: random.Random) -> TraceParameters:
    """Whatever the model can hold, whether or not a program could do it."""
    made = TraceParameters()
    made.function = rng.randrange(len(FUNCTIONS))
    made.site = rng.randrange(3)
    made.action = rng.choice(ACTIONS)
    made.found = rng.random() < 0.8
    for name in ("object", "created"):
        setattr(made, name, rng.choice([-5, -1, 0, 0, 0, 1, 2, 3, 4, 5, 6]))
    for name in ("peer", "source", "matched_source"):
        setattr(made, name, rng.choice([-4, -3, -2, -1, 0, 1]))
    for name in ("tag", "source_tag", "matched_tag"):
        setattr(made, name, rng.choice([-2, -1, 0, 7, 2**31 - 1]))
    made.request = rng.choice([-1, -1, 0, 1, 2, 70000])
    made.message = rng.choice([-1, -1, 3])
    made.detail = rng.choice([0, 0, 2, -(2**40)])
    made.bytes = rng.choice([0, 8, 2**40, rng.randrange(10**6)])
    made.posted = rng.choice([0, 8, rng.randrange(10**6)])
    if rng.random() < 0.5:
        made.requests = [rng.choice([-5, -1, 0, 1, 2, 70000]) for _ in range(rng.randrange(1, 5))]
        indices = sorted(
            rng.sample(range(len(made.requests)), rng.randrange(len(made.requests) + 1))
        )
        made.completed = [Completion(i, rng.choice([-1, 1]), rng.choice([-1, 7])) for i in indices]
    if rng.random() < 0.2:
        made.counts = [rng.randrange(2**50) for _ in range(4)]
    return made


def write_trace(path: Path, calls: int, seed: int) -> None:
    """Four ranks of which the third left nothing; the first has two threads."""
    rng = random.Random(seed)
    path.parent.mkdir(parents=True)
    writer = TraceWriter(str(path))
    for name in FUNCTIONS:
        writer.function(name)
    for address, place in ((16, "solve at cg.c:131"), (2**64 - 1, "")):
        writer.call_site(record(CallSite, module="/opt/a b\\c", address=address, place=place))
    numbers = [writer.object(one) for one in objects()]
    numbers.append(numbers[1])  # an object may have two numbers
    for rank in (0, 1, 3):
        writer.add_rank(rank, f"node{rank // 2}", numbers)
    for rank, thread in ((0, 0), (0, 1), (1, 0), (3, 0)):
        writer.begin_stream(rank, thread)
        now = rng.randrange(1000)
        for _ in range(calls):
            duration, times = rng.choice([0, 5, 10**9]), rng.choice([1, 1, 1, 5])
            writer.append(any_parameters(rng), now, now + duration, times, duration // 2)
            now += duration + rng.randrange(100)
    writer.finish()


def write_exchange(path: Path, laps: int) -> None:
    """Two ranks exchange messages, wait for them, poll in vain, and reduce."""
    job = Job(2, hosts=["node", "node"])

    def call(name: str, now: int, **values: Any) -> None:
        job.call(rank, name, now, now + 10, **values)

    for rank in range(2):
        for lap in range(laps):
            now = lap * 100
            receive = {"source": 1 - rank, "source_tag": 4, "posted": 80}
            send = {"peer": 1 - rank, "tag": 4, "bytes": 80}
            both = {"object": -1, "requests": [0, 1]}
            call("Irecv", now, request=0, **receive)
            call("Isend", now + 10, request=1, **send)
            call("Testall", now + 20, found=False, **both)
            call("Waitall", now + 30, completed=[0, 1], **both)
            call("Bcast", now + 40, peer=1, bytes=8 * rank, posted=8 * (1 - rank))
            call("Sendrecv", now + 50, **receive, **send)
    job.write(path)
