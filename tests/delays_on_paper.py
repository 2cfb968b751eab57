"""Root causes of waits in played programs, by the definition: slow, and without the analysis.

Sources: Böhme, Geimer, Wolf, Arnold: Identifying the root causes of wait states in large-scale
parallel applications, ICPP 2010; docs/design/011-traces.md, "Waiting and its causes", for what
differs. The whole program is in memory, and every excess is summed anew from both ranks' times.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from tests.random_programs import Event, Program

KEPT = 3
"""Inherited origins that a wait keeps."""

TOGETHER = frozenset({"Barrier", "Allreduce", "Comm_split", "Cart_create"})
"""Collectives that no rank leaves before the last one has come."""


class Interval(NamedTuple):
    """Computing between two calls, or the time within one."""

    computing: bool
    before: str
    after: str


class Origin(NamedTuple):
    rank: int
    interval: Interval


class Cause(NamedTuple):
    """The common key of causes at one place."""

    wait: str
    waiting: str
    origin: Origin


@dataclass
class Sum:
    ns: int = 0
    calls: int = 0
    direct_ns: int = 0


class _Wait(NamedTuple):
    """A part of a call's wait that ends with one call of another rank."""

    until_ns: int
    rank: int
    number: int
    kind: str
    awaited: tuple[int, int]
    begin_ns: int


def _waits(program: Program) -> list[_Wait]:
    """Waits in the order of their ends; of a root's two waits, its first comes first."""
    waits = []
    for rank, events in enumerate(program.events):
        for number, event in enumerate(events):
            if event.wait_ns == 0:
                continue
            assert event.awaited is not None
            begin = event.begin_ns
            if event.first_ns > begin and event.first_by is not None:
                first = (event.first_ns, rank, number, event.first_kind, event.first_by, begin)
                waits.append(_Wait(*first))
                begin = event.first_ns
            if event.until_ns > begin:
                waits.append(_Wait(event.until_ns, rank, number, event.kind, event.awaited, begin))
    return sorted(waits)


def _overlap(begin: int, end: int, since: int) -> int:
    return max(0, end - max(begin, since))


_Key = TypeVar("_Key")


def _add(sums: Counter[_Key], key: _Key, ns: int) -> None:
    if ns:
        sums[key] += ns


class _Delays:
    def __init__(self, program: Program) -> None:
        self.events = program.events
        self.begin = min(events[0].begin_ns for events in program.events if events)
        self.shares: dict[tuple[int, int], dict[Origin, int]] = {}
        self.met: dict[frozenset[int], int] = {}
        self.causes: defaultdict[Cause, Sum] = defaultdict(Sum)

    def last_together(self, rank: int, number: int) -> int:
        """When the last rank came to the collective that this rank left last."""
        for event in reversed(self.events[rank][:number]):
            if event.function in TOGETHER:
                return event.last_ns
        return 0

    def spent(
        self, rank: int, number: int, since: int
    ) -> tuple[Counter[Interval], Counter[Origin]]:
        """A rank's activities up to the start of a call, and the origins of its waits in this time.

        What it did last comes first, so that it is what `most_common` names first of equal ones.
        """
        own: Counter[Interval] = Counter()
        inherited: Counter[Origin] = Counter()
        events = self.events[rank]
        for n in range(number, -1, -1):
            event = events[n]
            if n < number:
                waited_until = event.begin_ns + event.wait_ns
                within = Interval(False, event.function, event.function)
                _add(own, within, _overlap(waited_until, event.end_ns, since))
                waited = _overlap(event.begin_ns, waited_until, since)
                parts = self.shares.get((rank, n), {})
                whole = sum(parts.values())
                for origin, ns in parts.items():
                    _add(inherited, origin, ns * waited // whole)
            before = events[n - 1].function if n else ""
            end_before = events[n - 1].end_ns if n else self.begin
            computation = Interval(True, before, event.function)
            _add(own, computation, _overlap(end_before, event.begin_ns, since))
        return own, inherited

    def explain(self, wait: _Wait) -> None:
        late, call = wait.awaited
        pair = frozenset((wait.rank, late))
        since = max(self.met.get(pair, 0), self.last_together(wait.rank, wait.number))
        own, inherited = self.spent(late, call, since)
        own_of_waiting, inherited_of_waiting = self.spent(wait.rank, wait.number, since)
        own.subtract(own_of_waiting)
        inherited.subtract(inherited_of_waiting)
        self.met[pair] = wait.until_ns

        ns = wait.until_ns - wait.begin_ns
        own_ns, inherited_ns = max(0, own.total()), max(0, inherited.total())
        kept = [(origin, n) for origin, n in inherited.most_common(KEPT) if n > 0]
        parts: dict[Origin, int] = {}
        if kept and own_ns + inherited_ns > 0:
            of_inherited = ns * inherited_ns // (own_ns + inherited_ns)
            whole = sum(n for _, n in kept)
            parts = {origin: of_inherited * n // whole for origin, n in kept}
            if own_ns == 0:  # the last one takes what rounding leaves
                parts[kept[-1][0]] += ns - sum(parts.values())
        rest = ns - sum(parts.values())
        if rest:
            where, excess = next(iter(own.most_common(1)), (None, 0))
            if where is None or excess <= 0:
                before = self.events[late][call - 1].function if call else ""
                where = Interval(True, before, self.events[late][call].function)
            origin = Origin(late, where)
            parts[origin] = parts.get(origin, 0) + rest
        self.shares[wait.rank, wait.number] = parts
        waiting = self.events[wait.rank][wait.number]
        for origin, part in parts.items():
            self.count(wait, waiting, origin, part)

    def count(self, wait: _Wait, waiting: Event, origin: Origin, ns: int) -> None:
        if ns == 0:
            return
        cause = self.causes[Cause(wait.kind, waiting.function, origin)]
        cause.ns += ns
        cause.calls += 1
        cause.direct_ns += ns if origin.rank == wait.awaited[0] else 0


def causes(program: Program) -> dict[Cause, Sum]:
    delays = _Delays(program)
    for wait in _waits(program):
        delays.explain(wait)
    return dict(delays.causes)
