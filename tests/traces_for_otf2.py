"""Traces that go to OTF2: whatever one can hold, and an exchange of two ranks."""

from __future__ import annotations

import random
from pathlib import Path

from waywiser.native._native import (
    Action,
    CallSite,
    Completion,
    ObjectKind,
    Stride,
    TraceObject,
    TraceParameters,
    TraceWriter,
)

FUNCTIONS = (
    "MPI_Send",
    "MPI_Isend",
    "MPI_Recv",
    "MPI_Irecv",
    "MPI_Sendrecv",
    "MPI_Send_init",
    "MPI_Recv_init",
    "MPI_Startall",
    "MPI_Waitall",
    "MPI_Testsome",
    "MPI_Cancel",
    "MPI_Request_free",
    "MPI_Mprobe",
    "MPI_Mrecv",
    "MPI_Allreduce",
    "MPI_Bcast",
    "MPI_Reduce",
    "MPI_Ialltoallv",
    "MPI_Comm_split",
    "MPI_Comm_free",
    "MPI_Win_create",
    "MPI_Win_free",
    "MPI_Put",
    "MPI_Get",
    "MPI_Fetch_and_op",
    "MPI_Win_fence",
    "MPI_Win_lock",
    "MPI_File_write_all",
    "MPI_Pcontrol",
    "MPI_Comm_rank",
    "MPI_Finalize",
    "MPI_X_made_up",
)

ACTIONS = [value for name, value in vars(Action).items() if name[0] != "_" and name.islower()]


def stride(first: int, step: int, count: int) -> Stride:
    made = Stride()
    made.first, made.stride, made.count = first, step, count
    return made


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
        site = CallSite()
        site.module, site.address, site.place = "/opt/a b\\c", address, place
        writer.call_site(site)
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
    path.parent.mkdir(parents=True)
    writer = TraceWriter(str(path))
    names = ("MPI_Isend", "MPI_Irecv", "MPI_Testall", "MPI_Waitall", "MPI_Bcast", "MPI_Sendrecv")
    functions = {name: writer.function(name) for name in names}
    world = objects()[0]
    world.size, world.members = 2, [stride(0, 1, 2)]
    number = writer.object(world)
    for rank in range(2):
        writer.add_rank(rank, "node", [number])

    def call(name: str, action: Action, now: int, **fields: object) -> None:
        parameters = TraceParameters()
        parameters.function, parameters.action = functions[name], action
        for field, value in fields.items():
            setattr(parameters, field, value)
        writer.append(parameters, now, now + 10)

    for rank in range(2):
        writer.begin_stream(rank, 0)
        for lap in range(laps):
            other, now = {"object": 0, "source": 1 - rank, "source_tag": 4, "posted": 80}, lap * 100
            call("MPI_Irecv", Action.receive, now, request=0, **other)
            to = {"object": 0, "peer": 1 - rank, "tag": 4, "bytes": 80}
            call("MPI_Isend", Action.send, now + 10, request=1, **to)
            call("MPI_Testall", Action.complete, now + 20, requests=[0, 1], found=False)
            both = [Completion(0), Completion(1)]
            call("MPI_Waitall", Action.complete, now + 30, requests=[0, 1], completed=both)
            root = {"object": 0, "peer": 1, "bytes": 8 * rank, "posted": 8 * (1 - rank)}
            call("MPI_Bcast", Action.collective, now + 40, **root)
            call("MPI_Sendrecv", Action.send_receive, now + 50, **(other | to))
    writer.finish()
