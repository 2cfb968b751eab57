"""A book of a profile's expected contents: every call of a test program is entered with the payload
that follows from its arguments, and the profile must match exactly."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

Document = dict[str, Any]


def upper_bound(size: int) -> int:
    """Inclusive upper bound of a size's bin: 0, 1, 2, 4, 8, … bytes."""
    return size if size == 0 else 1 << (size - 1).bit_length()


@dataclass
class Entry:
    calls: int = 0
    bytes: int = 0
    receive_bytes: int = 0
    sizes: Counter[int] = field(default_factory=Counter)

    def __iadd__(self, other: Entry) -> Entry:
        self.calls += other.calls
        self.bytes += other.bytes
        self.receive_bytes += other.receive_bytes
        self.sizes.update(other.sizes)
        return self


class Ledger:
    """One program's calls, per rank."""

    def __init__(self, ranks: int) -> None:
        self.ranks = range(ranks)
        self.entries: defaultdict[tuple[int, str], Entry] = defaultdict(Entry)
        self.bytes: Counter[tuple[int, int]] = Counter()
        self.messages: Counter[tuple[int, int]] = Counter()

    def call(
        self, rank: int, function: str, *, sent: int = 0, posted: int = 0, times: int = 1
    ) -> None:
        """`times` calls of a function, each with this payload in bytes."""
        sizes = Counter({upper_bound(sent or posted): times})
        self.entries[rank, function] += Entry(times, times * sent, times * posted, sizes)

    def message(self, source: int, destination: int, size: int, times: int = 1) -> None:
        """Point-to-point messages, in world ranks."""
        self.bytes[source, destination] += times * size
        self.messages[source, destination] += times

    def send(self, rank: int, function: str, to: int, size: int, *, posted: int = 0) -> None:
        """A call that sends a message."""
        self.call(rank, function, sent=size, posted=posted)
        self.message(rank, to, size)

    def check(self, document: Document, housekeeping: str = "") -> None:
        """Compares with `show --json --per-rank`.

        `housekeeping` names the calls that are neither counted in the book nor carry a payload.
        """
        ignored = {
            *housekeeping.split(),
            "MPI_Init",
            "MPI_Finalize",
            "MPI_Comm_rank",
            "MPI_Comm_size",
        }
        totals: defaultdict[str, Entry] = defaultdict(Entry)
        for (_, function), entry in self.entries.items():
            totals[function] += entry
        _compare(document["functions"], dict(totals), ignored)
        assert [rank["rank"] for rank in document["per_rank"]] == list(self.ranks)
        for rank in document["per_rank"]:
            own = {name: entry for (r, name), entry in self.entries.items() if r == rank["rank"]}
            _compare(rank["functions"], own, ignored)
        assert _cells(document["matrix"]["bytes"]) == dict(self.bytes)
        assert _cells(document["matrix"]["messages"]) == dict(self.messages)


def _cells(triples: list[list[int]]) -> dict[tuple[int, int], int]:
    cells = {(source, destination): n for source, destination, n in triples}
    assert len(cells) == len(triples), "a pair of ranks occurs twice"
    return cells


def _compare(functions: Document, entries: dict[str, Entry], ignored: set[str]) -> None:
    assert set(functions) - ignored == set(entries)
    for name, function in functions.items():
        sizes = {bound: calls for bound, calls, _ in function["sizes"]}
        assert sum(sizes.values()) == function["calls"], name
        if name in ignored:
            assert (function["bytes"], function["receive_bytes"]) == (0, 0), name
            continue
        entry = entries[name]
        got = (function["calls"], function["bytes"], function["receive_bytes"], sizes)
        assert got == (entry.calls, entry.bytes, entry.receive_bytes, dict(entry.sizes)), name
