"""A slow replay that is easy to check: events by time, one after another, from a central queue.

It knows eager messages, rendezvous, messages with requests, collectives, and one-sided operations
between fences or under locks. A program is a list of operations of each rank: ("compute", ns),
("send", peer, tag, bytes), ("recv", peer, tag), ("isend", peer, tag, bytes, request),
("irecv", peer, tag, request), ("wait", [requests]), ("collective", function, bytes, root),
("icollective", function, bytes, root, request), ("put", target, bytes), ("get", target, bytes),
("fence",), ("lock", target, exclusive), ("unlock", target). Bytes of collectives are those of each
message.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tests.simulated_collectives import COLLECTIVES

BLOCKING, FENCE, AGENT = -1, -2, -3
"""Tags of messages of collectives; those that do not block count down from the last."""

Operation = tuple[Any, ...]


@dataclass
class LogGP:
    latency: float
    overhead: float
    gap: float
    per_byte: float
    overhead_per_byte: float
    eager_limit: int


@dataclass
class Message:
    size: int
    sender: int
    order: int
    """Number among the messages of the channel."""

    posted: float | None = None
    requested: float | None = None
    slot: float = 0.0
    left: float | None = None
    arrived: float | None = None
    """The last byte is there."""

    waiting: list[int] = field(default_factory=list)


class Simulation:
    """Each process is a generator that yields a time to sleep until, or a condition to wait for:
    the ranks, and after them the collectives that do not block, each with a NIC of its own."""

    def __init__(
        self,
        programs: Sequence[Sequence[Operation]],
        cost: LogGP,
        in_calls: bool = False,
        nodes: Sequence[int] = (),
    ) -> None:
        """
        Args:
            nodes: of the ranks, where those of a node share its NIC, out and in: first come, first
                served. One-sided operations do not.
        """
        self.cost = cost
        self.nodes = nodes
        self.out: dict[int, float] = defaultdict(float)
        self.into: dict[int, float] = defaultdict(float)
        """When the NICs are free, by node."""

        self.in_calls = in_calls
        self.queue: list[tuple[float, int, Callable[[], None]]] = []
        self.events = 0
        self.now = 0.0
        self.nic = [0.0] * len(programs)
        self.sent: dict[tuple[int, int, int], list[Message]] = defaultdict(list)
        self.posted: dict[tuple[int, int, int], list[float]] = defaultdict(list)
        self.within = [False] * len(programs)
        self.deferred: dict[int, list[Callable[[], None]]] = defaultdict(list)
        self.operations_end = [defaultdict[int, float](float) for _ in programs]
        """By rank and target, when the operations since the last fence end."""
        self.lines: dict[int, list[tuple[int, bool]]] = defaultdict(list)
        """By target, ranks that have its lock or wait for it, in the order in which they came, and
        whether they want it for themselves."""

        self.locked: dict[int, int] = defaultdict(int)
        """By target, how many at the head of the line have the lock."""

        self.answers: dict[tuple[int, int], Callable[[], None]] = {}
        """Answers to ranks that wait for a lock, by rank and target."""

        self.started = [0] * len(programs)
        self.over: set[int] = set()
        """Agents."""
        self.blocked: dict[int, Callable[[], bool]] = {}
        self.end = [0.0] * len(programs)
        self.ranks = len(programs)
        self.processes: list[Iterator[Any]] = [
            self.run_rank(rank, list(program)) for rank, program in enumerate(programs)
        ]
        for rank in range(self.ranks):
            self.at(0.0, partial(self.step, rank))
        while self.queue:
            self.now, _, event = heapq.heappop(self.queue)
            event()
        assert not self.blocked, f"deadlock of {sorted(self.blocked)}"
        self.makespan = max(self.end)

    def at(self, time: float, event: Callable[[], None]) -> None:
        self.events += 1
        heapq.heappush(self.queue, (time, self.events, event))

    def step(self, process: int) -> None:
        for step_or_condition in self.processes[process]:
            if callable(step_or_condition):
                if step_or_condition():
                    continue
                self.blocked[process] = step_or_condition
            else:
                self.at(step_or_condition, lambda: self.step(process))
            return
        if process < self.ranks:
            self.end[process] = self.now
        else:
            self.over.add(process)
            self.at(self.now, self.check)

    def check(self) -> None:
        for rank in [rank for rank, ready in self.blocked.items() if ready()]:
            del self.blocked[rank]
            self.at(self.now, partial(self.step, rank))

    def turn(self, rank: int, action: Callable[[], None]) -> None:
        """Now, or as soon as the rank is within a call."""
        if self.in_calls and not self.within[rank]:
            self.deferred[rank].append(action)
        else:
            action()

    def enter(self, rank: int) -> None:
        self.within[rank] = True
        for action in self.deferred.pop(rank, []):
            action()

    # Messages

    def crosses(self, rank: int, peer: int) -> bool:
        """A shared nic."""
        return bool(self.nodes) and self.nodes[rank] != self.nodes[peer]

    def cross(
        self, rank: int, peer: int, size: int, ready: float, landed: Callable[[float], None]
    ) -> None:
        """Out of one NIC and into the other; tells when the first byte is let in."""
        length = self.cost.gap + self.cost.per_byte * size
        leaves = max(ready, self.out[self.nodes[rank]])
        self.out[self.nodes[rank]] = leaves + length

        def arrive() -> None:
            comes = max(self.now, self.into[self.nodes[peer]])
            self.into[self.nodes[peer]] = comes + length
            landed(comes)

        self.at(leaves + self.cost.latency, arrive)

    def eager(self, process: int, size: int) -> tuple[float, float]:
        """When the processor is free again, and when the last byte is there."""
        c = self.cost
        begin = self.now
        busy = c.overhead + c.overhead_per_byte * size
        leaves = max(begin + c.overhead, self.nic[process])
        self.nic[process] = leaves + c.gap + c.per_byte * size
        return begin + busy, max(leaves + c.per_byte * size, begin + busy) + c.latency

    def send(
        self, rank: int, peer: int, tag: int, size: int, process: int | None = None
    ) -> Generator[Any, None, Message]:
        """Takes the processor, of the rank unless another process is named; returns the message."""
        process = rank if process is None else process
        c = self.cost
        channel = (rank, peer, tag)

        def landed(copied: float, first: float) -> None:
            message.arrived = max(first + c.per_byte * size, copied + c.latency)
            self.at(message.arrived, self.check)

        message = Message(size, rank, len(self.sent[channel]))
        self.sent[channel].append(message)
        begin = self.now
        if size <= c.eager_limit:
            message.left = begin
            if self.crosses(rank, peer):
                free = begin + c.overhead + c.overhead_per_byte * size
                self.cross(rank, peer, size, begin + c.overhead, partial(landed, free))
            else:
                free, message.arrived = self.eager(process, size)
                self.at(max(message.arrived, free), self.check)
            yield free
            return message
        ready = begin + c.overhead
        if not self.nodes:
            message.slot = max(ready, self.nic[process])
            self.nic[process] = message.slot + c.gap + c.per_byte * size

        def requested() -> None:
            message.requested = self.now
            self.grant(channel, message)

        self.at(ready + c.latency, requested)
        yield ready
        return message

    def grant(self, channel: tuple[int, int, int], message: Message) -> None:
        """Once the request is there and the receive is posted, which comes last."""
        c = self.cost
        posted = len(self.posted[channel]) > message.order
        if message.requested is None or not posted or message.posted is not None:
            return
        message.posted = self.posted[channel][message.order]
        sender, receiver, tag = channel
        turn = self.turn if tag > AGENT else lambda _, action: action()

        def granted() -> None:
            self.at(self.now + c.overhead + c.latency, lambda: turn(sender, start))

        def start() -> None:
            begin = max(self.now + c.overhead, message.slot)
            if self.crosses(sender, receiver):
                self.cross(sender, receiver, message.size, begin, landed)
            else:
                landed(begin + c.latency)

        def landed(first: float) -> None:
            message.arrived = first + c.per_byte * message.size
            message.left = message.arrived - c.latency
            self.at(max(message.left, self.now), self.check)
            self.at(message.arrived, self.check)

        turn(receiver, granted)

    def post(self, rank: int, peer: int, tag: int) -> Callable[[], Iterator[Any]]:
        channel = (peer, rank, tag)
        order = len(self.posted[channel])
        self.posted[channel].append(self.now)
        if len(self.sent[channel]) > order:
            self.grant(channel, self.sent[channel][order])
        c = self.cost

        def finish() -> Iterator[Any]:
            ready = self.now

            def known() -> bool:
                sent = self.sent[channel]
                return len(sent) > order and sent[order].arrived is not None

            yield known
            message = self.sent[channel][order]
            assert message.arrived is not None
            work = c.overhead_per_byte * message.size
            overlap = min(c.overhead_per_byte, c.per_byte) * message.size
            yield max(ready, message.arrived - overlap) + c.overhead + work

        return finish

    def finish_send(self, message: Message) -> Callable[[], Iterator[Any]]:
        def finish() -> Iterator[Any]:
            ready = self.now
            yield lambda: message.left is not None
            assert message.left is not None
            yield max(ready, message.left)

        return finish

    def collective(
        self, rank: int, tag: int, function: str, size: int, root: int, process: int | None = None
    ) -> Iterator[Any]:
        """Round by round: what is to be received is posted and what is to be sent is sent."""
        for step in COLLECTIVES[function](rank, self.ranks, size, root):
            finishes = []
            if step.source is not None:
                finishes.append(self.post(rank, step.source, tag))
            if step.to is not None:
                message = yield from self.send(rank, step.to, tag, step.size, process)
                finishes.append(self.finish_send(message))
            for finish in finishes:
                yield from finish()

    def start_agent(
        self, rank: int, function: str, size: int, root: int
    ) -> Callable[[], Iterator[Any]]:
        """A collective that goes on by itself; returns what waits for it."""
        agent = len(self.processes)
        self.started[rank] += 1
        tag = AGENT - self.started[rank]
        self.nic.append(self.nic[rank])
        self.processes.append(self.collective(rank, tag, function, size, root, agent))
        self.step(agent)

        def finish() -> Iterator[Any]:
            yield lambda: agent in self.over

        return finish

    def operate(self, rank: int, target: int, sent: int, back: int) -> Iterator[Any]:
        """The data go there, and what comes back takes a latency and its bytes."""
        free, there = self.eager(rank, sent)
        over = there + self.cost.latency + self.cost.per_byte * back
        self.operations_end[rank][target] = max(self.operations_end[rank][target], over)
        yield free

    def lock(self, rank: int, target: int, exclusive: bool) -> Iterator[Any]:
        answered = []

        def ask() -> None:
            self.lines[target].append((rank, exclusive))
            self.give(target)

        def answer() -> None:
            answered.append(self.now)
            self.check()

        yield self.now + self.cost.overhead
        self.answers[rank, target] = answer
        self.at(self.now + self.cost.latency, ask)
        yield lambda: bool(answered)

    def give(self, target: int) -> None:
        """Gives a target's lock to as many in line as may have it together."""
        line = self.lines[target]
        while self.locked[target] < len(line):
            together = line[: self.locked[target] + 1]
            if len(together) > 1 and any(exclusive for _, exclusive in together):
                return
            self.locked[target] += 1
            self.at(self.now + self.cost.latency, self.answers.pop((together[-1][0], target)))

    def unlock(self, rank: int, target: int) -> Iterator[Any]:
        """Unlocks after the operations at the target; the lock is free a latency later."""

        def free() -> None:
            line = self.lines[target]
            line.remove(next(entry for entry in line if entry[0] == rank))
            self.locked[target] -= 1
            self.give(target)

        yield max(self.now, self.operations_end[rank].pop(target, 0.0))
        self.at(self.now + self.cost.latency, free)

    def run_rank(self, rank: int, program: list[Operation]) -> Iterator[Any]:
        requests: dict[int, Callable[[], Iterator[Any]]] = {}
        for kind, *values in program:
            if kind == "compute":
                yield self.now  # what happens as a call ends finds the rank within it
                self.within[rank] = False
                yield self.now + values[0]
                continue
            self.enter(rank)
            if kind in ("send", "isend"):
                message = yield from self.send(rank, values[0], values[1], values[2])
                if kind == "send":
                    yield from self.finish_send(message)()
                else:
                    requests[values[3]] = self.finish_send(message)
            elif kind in ("recv", "irecv"):
                finish = self.post(rank, values[0], values[1])
                if kind == "recv":
                    yield from finish()
                else:
                    requests[values[2]] = finish
            elif kind == "collective":
                yield from self.collective(rank, BLOCKING, *values)
            elif kind == "icollective":
                requests[values[3]] = self.start_agent(rank, *values[:3])
            elif kind in ("put", "get"):
                sent, back = (values[1], 0) if kind == "put" else (0, values[1])
                yield from self.operate(rank, values[0], sent, back)
            elif kind == "lock":
                yield from self.lock(rank, *values)
            elif kind == "unlock":
                yield from self.unlock(rank, *values)
            elif kind == "fence":
                yield max(self.now, *self.operations_end[rank].values(), 0.0)
                yield from self.collective(rank, FENCE, "Barrier", 0, 0)
            else:
                for request in values[0]:
                    yield from requests.pop(request)()
        self.within[rank] = False
