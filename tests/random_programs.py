"""Random programs played out on paper: their calls with times, and what each of them waited for.

The waits come from the schedule itself, not from a trace of it: a slow, obvious reference for the
analysis of traces. Messages of no bytes are eager, those of `LARGE` bytes synchronise.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.job import ANY, Job
from waywiser.native import _native as native

LARGE = 1 << 20


@dataclass
class Event:
    """A call, and when what it waited for began: `awaited` is a rank and its call's number."""

    function: str
    begin_ns: int
    end_ns: int
    parameters: dict[str, Any]
    kind: str = ""
    awaited: tuple[int, int] | None = None
    until_ns: int = 0
    first_ns: int = 0
    """The first part of a wait in two parts: the first rank that sends to a root, or the last
    operation of an access epoch."""

    first_kind: str = ""
    first_by: tuple[int, int] | None = None
    """Rank and number of the call that is waited for first."""

    polls: bool = False
    """The call is the last one of a spin, which it is written as."""

    last_ns: int = 0
    """When the last member of a collective came."""

    @property
    def wait_ns(self) -> int:
        return max(0, self.until_ns - self.begin_ns)


Cause = tuple[int, int, int]
"""When, which rank, which of its calls."""


@dataclass
class Program:
    """The ranks' calls so far."""

    ranks: int
    random: random.Random
    events: list[list[Event]] = field(default_factory=list)
    now: list[int] = field(default_factory=list)
    unlocks: dict[int, list[tuple[bool, Cause]]] = field(default_factory=dict)
    """By target: whether each lock was exclusive, and the call that gave it back."""

    def __post_init__(self) -> None:
        self.events = [[] for _ in range(self.ranks)]
        self.now = [self.random.randrange(1000) for _ in range(self.ranks)]

    def compute(self, rank: int, most_ns: int = 20_000) -> None:
        self.now[rank] += self.random.randrange(100, most_ns)

    def call(
        self,
        rank: int,
        function: str,
        needs: dict[str, list[Cause]] | None = None,
        **parameters: Any,
    ) -> Cause:
        """Adds a call that ends some time after the last of its needs began."""
        begin = self.now[rank]
        event = Event(function, begin, begin, parameters)
        for kind, causes in (needs or {}).items():
            for when, who, which in causes:
                if when > max(begin, event.until_ns):
                    event.kind, event.until_ns, event.awaited = kind, when, (who, which)
        self.now[rank] = max(begin, event.until_ns) + self.random.randrange(200, 2000)
        event.end_ns = self.now[rank]
        self.events[rank].append(event)
        return begin, rank, len(self.events[rank]) - 1

    def coming(self, rank: int) -> Cause:
        """The rank's next call, which begins now."""
        return self.now[rank], rank, len(self.events[rank])


def exchange(at: Program) -> None:
    """Each rank gets a message from another one, without blocking."""
    shift = at.random.randrange(1, at.ranks)
    size = at.random.choice([0, LARGE])
    tag = at.random.randrange(3)
    received, sent = [], []
    for rank in range(at.ranks):
        at.compute(rank)
        source, peer = (rank - shift) % at.ranks, (rank + shift) % at.ranks
        received.append(at.call(rank, "Irecv", source=source, source_tag=tag, request=0))
        at.compute(rank, 2000)
        sent.append(at.call(rank, "Isend", peer=peer, tag=tag, bytes=size, request=1))
        at.compute(rank)
    for rank in range(at.ranks):
        needs = {"late_sender": [sent[(rank - shift) % at.ranks]]}
        if size == LARGE:
            needs["late_receiver"] = [received[(rank + shift) % at.ranks]]
        at.call(rank, "Waitall", needs, requests=[0, 1], completed=[0, 1])


def message(at: Program) -> None:
    """One rank sends, another one receives."""
    source, peer = at.random.sample(range(at.ranks), 2)
    function, size = at.random.choice([("Send", 0), ("Send", LARGE), ("Ssend", 8)])
    for rank in (source, peer):
        at.compute(rank)
    send, receive = at.coming(source), at.coming(peer)
    needs = {"late_receiver": [receive]} if (function, size) != ("Send", 0) else {}
    at.call(source, function, needs, peer=peer, tag=9, bytes=size)
    at.call(peer, "Recv", {"late_sender": [send]}, source=source, source_tag=9)


def pipeline(at: Program) -> None:
    """A message goes through all ranks."""
    sent: Cause | None = None
    for rank in range(at.ranks):
        at.compute(rank)
        if sent is not None:
            at.call(rank, "Recv", {"late_sender": [sent]}, source=rank - 1, source_tag=4)
            at.compute(rank, 3000)
        if rank < at.ranks - 1:
            sent = at.coming(rank)
            at.call(rank, "Send", peer=rank + 1, tag=4, bytes=0)


def workers(at: Program) -> None:
    """One rank receives from whoever comes."""
    root = at.random.randrange(at.ranks)
    sent = []
    for rank in range(at.ranks):
        at.compute(rank)
        if rank != root:
            sent.append(at.call(rank, "Send", peer=root, tag=rank, bytes=0))
    for send in sorted(sent):
        outcome = {"matched_source": send[1], "matched_tag": send[1]}
        at.call(root, "Recv", {"late_sender": [send]}, source=ANY, source_tag=ANY, **outcome)


def collective(at: Program) -> None:
    function, kind = at.random.choice(
        [
            ("Barrier", "barrier"),
            ("Allreduce", "all_to_all"),
            ("Bcast", "late_root"),
            ("Reduce", "early_root"),
            ("Scan", "earlier_ranks"),
            ("Comm_split", "make_object"),
        ]
    )
    root = at.random.randrange(at.ranks)
    for rank in range(at.ranks):
        at.compute(rank)
    come = [at.coming(rank) for rank in range(at.ranks)]
    for rank in range(at.ranks):
        parameters: dict[str, Any] = {"peer": root} if function in ("Bcast", "Reduce") else {}
        if function == "Bcast":
            needs = [come[root]] if rank != root else []
        elif function == "Reduce":
            needs = sorted(come[:root] + come[root + 1 :]) if rank == root else []
        elif function == "Scan":
            needs = come[:rank]
        else:
            needs = come
        if function == "Reduce" and rank == root:
            at.call(rank, function, {kind: needs[:1], "last_ranks": needs[-1:]}, **parameters)
            event = at.events[rank][-1]
            event.first_ns, *first = needs[0]
            event.first_kind, event.first_by = "early_root", (first[0], first[1])
        else:
            at.call(rank, function, {kind: needs}, **parameters)
        at.events[rank][-1].last_ns = max(come)[0]


def spin(at: Program) -> None:
    """A message that its receiver polls for."""
    source, peer = at.random.sample(range(at.ranks), 2)
    for rank in (source, peer):
        at.compute(rank)
    sent = at.call(source, "Send", peer=peer, tag=6, bytes=0)
    at.call(peer, "Irecv", source=source, source_tag=6, request=0)
    at.call(peer, "Test", {"late_sender": [sent]}, requests=[0], completed=[0])
    at.events[peer][-1].polls = True


def neighbours(at: Program) -> None:
    """A neighbourhood collective on a ring."""
    for rank in range(at.ranks):
        at.compute(rank)
    come = [at.coming(rank) for rank in range(at.ranks)]
    for rank in range(at.ranks):
        beside = [come[(rank - 1) % at.ranks], come[(rank + 1) % at.ranks]]
        at.call(rank, "Neighbor_alltoall", {"late_sender": beside}, object=RING, bytes=8)


def epoch(at: Program) -> None:
    """One rank puts into the window of another one."""
    origin, target = at.random.sample(range(at.ranks), 2)
    for rank in (origin, target):
        at.compute(rank)
    posted = at.call(target, "Win_post", object=WINDOW, counts=[origin])
    at.call(origin, "Win_start", {"late_post": [posted]}, object=WINDOW, counts=[target])
    at.call(origin, "Put", object=WINDOW, peer=target, bytes=64)
    ready = at.now[origin]
    at.compute(origin)
    at.compute(target)
    completed = at.call(origin, "Win_complete", object=WINDOW)
    at.call(target, "Win_wait", {"late_complete": [completed]}, object=WINDOW)
    event = at.events[target][-1]
    event.first_ns, event.first_kind, event.first_by = ready, "early_wait", completed[1:]


def locks(at: Program) -> None:
    """Some ranks lock the window of one, in turn, but for those who share it with each other."""
    target = at.random.randrange(at.ranks)
    unlocks = at.unlocks.setdefault(target, [])
    for rank in at.random.sample(range(at.ranks), at.random.randint(2, at.ranks)):
        at.compute(rank)
        exclusive = at.random.random() < 0.6
        before = [unlock for alone, unlock in unlocks if alone or exclusive]
        kind = {"object": WINDOW, "peer": target, "detail": 1 if exclusive else 2}
        at.call(rank, "Win_lock", {"lock": before}, **kind)
        # Whoever had it before has left MPI_Win_unlock by the end of this.
        at.now[rank] += at.random.randrange(2000, 9000)
        if at.random.random() < 0.5:
            at.call(rank, "Put", object=WINDOW, peer=target, bytes=64)
            at.call(rank, "Win_flush", object=WINDOW, peer=target)
        unlocks.append((exclusive, at.call(rank, "Win_unlock", object=WINDOW, peer=target)))


PHASES = [exchange, message, pipeline, workers, collective, spin, neighbours, epoch, locks]
RING, WINDOW = 1, 2
"""Objects of each rank."""


def generate(seed: int, ranks: int, phases: int) -> Program:
    program = Program(ranks, random.Random(seed))
    come = [program.coming(rank) for rank in range(ranks)]
    for rank in range(ranks):
        beside = [(rank - 1) % ranks, (rank + 1) % ranks]
        ring = {"created": RING, "counts": beside + beside, "detail": 2}
        program.call(rank, "Cart_create", {"make_object": come}, **ring)
        program.events[rank][-1].last_ns = max(come)[0]
    for _ in range(phases):
        program.random.choice(PHASES)(program)
    return program


def write(program: Program, path: Path, *, killed: Sequence[int] = ()) -> str:
    job = Job(program.ranks, killed=killed)
    everybody = range(program.ranks)
    assert job.communicator(everybody) == RING
    assert job.communicator(everybody, kind=native.ObjectKind.window) == WINDOW
    for rank, events in enumerate(program.events):
        for event in events:
            if event.polls:
                write_spin(job, rank, event)
                continue
            job.call(rank, event.function, event.begin_ns, event.end_ns, **event.parameters)
    return job.write(path)


def write_spin(job: Job, rank: int, event: Event) -> None:
    """Polls of half a microsecond, a fifth of which is between the calls, and one that succeeds."""
    last = event.end_ns - 120
    span = last - event.begin_ns
    polls = {"times": 1 + span // 500, "polling_ns": span * 4 // 5}
    requests = event.parameters["requests"]
    job.call(rank, "Test", event.begin_ns, last, found=False, requests=requests, **polls)
    job.call(rank, "Test", last + 70, event.end_ns, **event.parameters)


def waits(program: Program, rank: int) -> dict[str, int]:
    times: Counter[str] = Counter()
    for event in program.events[rank]:
        if event.wait_ns > 0:
            early = max(0, min(event.first_ns, event.until_ns) - event.begin_ns)
            times[event.first_kind] += early
            times[event.kind] += event.wait_ns - early
    return {kind: ns for kind, ns in times.items() if ns > 0}


def critical_path(program: Program) -> dict[tuple[int, bool, str], int]:
    """Time by rank, whether it computes, and function: walked back from the end."""
    times: Counter[tuple[int, bool, str]] = Counter()
    begin = min(events[0].begin_ns for events in program.events if events)
    rank = max(
        range(program.ranks), key=lambda r: program.events[r][-1].end_ns if program.events[r] else 0
    )
    number = len(program.events[rank]) - 1
    within = True  # the call itself is on the path, not only what came before it
    while number >= 0:
        event = program.events[rank][number]
        if within and event.wait_ns > 0:
            assert event.awaited is not None
            times[rank, False, event.function] += event.end_ns - event.until_ns
            rank, number = event.awaited
            within = False
            continue
        if within:
            times[rank, False, event.function] += event.end_ns - event.begin_ns
        before = program.events[rank][number - 1].end_ns if number > 0 else begin
        name = program.events[rank][number - 1].function if number > 0 else ""
        times[rank, True, name] += event.begin_ns - before
        number -= 1
        within = True
    return {key: ns for key, ns in times.items() if ns > 0}
