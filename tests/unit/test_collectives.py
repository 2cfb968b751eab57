"""The table of algorithms and the libraries' rules, as Python sees them.

The schedules themselves are played by tests/native/collective_schedules.cpp, and held against Open
MPI in tests/system/test_collective_messages.py.
"""

from __future__ import annotations

import math
import re
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.written_traces import CASES
from waywiser.native import _native as native

Call = native.CollectiveCall


def names(collective: str) -> set[str]:
    return {name for of, name, _source in native.collective_algorithms() if of == collective}


def test_every_algorithm_has_a_name_of_its_own_and_a_source() -> None:
    rows = native.collective_algorithms()

    assert len({(collective, name) for collective, name, _ in rows}) == len(rows)
    assert all(source for _, _, source in rows)
    assert {"ring", "recursive doubling", "Rabenseifner", "in network"} <= names("allreduce")


@pytest.mark.parametrize("written", ["Recursive-Doubling", "recursive_doubling"])
def test_a_name_is_known_as_it_is_written_on_command_lines(written: str) -> None:
    assert native.collective_algorithm("allreduce", written) == "recursive doubling"


def test_what_is_not_there_is_answered_with_what_is() -> None:
    with pytest.raises(native.InvalidInput) as error:
        native.collective_algorithm("allreduce", "star")
    assert all(f"'{name}'" in str(error.value) for name in names("allreduce"))
    with pytest.raises(native.InvalidInput, match="there are for: barrier, bcast, gather"):
        native.collective_algorithm("allredoce", "ring")
    with pytest.raises(native.InvalidInput, match="there are of: openmpi, mpich"):
        native.select_collective("mvapich", "bcast", Call(4))


@pytest.mark.parametrize(
    ("ranks", "op", "says"),
    [
        (0, {}, "ranks: expected at least 1, found 0"),
        (4, {"root": 4}, "root: expected 0 to 3, found 4"),
        (4, {"shares": [1, 2]}, "shares: expected one for each of 4 ranks, found 2"),
        (4, {"element_bytes": 0}, "element_bytes"),
        (4, {"fan_out": -1}, "fan_out: expected 0 or more, found -1"),
    ],
)
def test_a_wrong_operation_is_refused(ranks: int, op: dict[str, Any], says: str) -> None:
    with pytest.raises(native.InvalidInput, match=says):
        Call(ranks, **op)


def test_an_algorithm_says_that_it_does_not_serve() -> None:
    with pytest.raises(native.InvalidInput, match="recursive doubling of allgather does not serve"):
        native.collective_sent("allgather", "recursive doubling", Call(6, bytes=8), 0)
    with pytest.raises(native.InvalidInput, match="rank: expected 0 to 5, found 6"):
        native.collective_sent("allgather", "ring", Call(6, bytes=8), 6)


def test_a_pipeline_has_a_round_for_each_segment_beyond_its_length() -> None:
    """p - 1 hops for the first of n segments, and one round more for each other."""
    pipelined = Call(9, bytes=1000, segment_bytes=50)

    assert native.collective_cost("bcast", "chain", pipelined) == (8 + 20 - 1, 8 * 20, 8 * 1000)
    rounds = [number for number, _, _ in native.collective_sent("bcast", "chain", pipelined, 3)]
    assert rounds == list(range(3, 23))


def test_a_vector_is_cut_between_elements_and_the_first_parts_are_longer() -> None:
    def parts(size: int, element: int) -> list[int]:
        call = Call(2, bytes=size, segment_bytes=3 * element, element_bytes=element)
        return [part for _, _, part in native.collective_sent("bcast", "chain", call, 0)]

    assert parts(10, 1) == [3, 3, 2, 2]
    assert parts(80, 8) == [24, 24, 16, 16]


def test_switches_reduce_going_up_and_spread_going_down() -> None:
    """64 ranks under 8 switches of 8, under one: a vector goes over every cable, up and down."""
    call = Call(64, bytes=4096, fan_out=8)

    assert native.collective_cost("allreduce", "in network", call) == (4, 2 * 72, 2 * 72 * 4096)
    assert native.collective_sent("allreduce", "in network", call, 9) == [(0, 65, 4096)]
    top = native.collective_sent("allreduce", "in network", call, 72)
    assert top == [(2, switch, 4096) for switch in range(64, 72)]


@pytest.mark.parametrize(
    ("collective", "name"),
    [
        *(("barrier", name) for name in ("dissemination", "recursive doubling", "tree")),
        *(("bcast", name) for name in ("binomial tree", "k-nomial tree", "binary tree")),
        *(("allreduce", name) for name in ("recursive doubling", "Rabenseifner", "in network")),
        *(("reduce", "Rabenseifner"), ("reduce_scatter", "butterfly"), ("alltoall", "Bruck")),
    ],
)
def test_a_million_ranks_cost_each_a_logarithm(collective: str, name: str) -> None:
    ranks = 1_000_003
    call = Call(ranks, bytes=0 if collective == "barrier" else 8 * ranks)

    messages = native.collective_sent(collective, name, call, 1 << 18)

    assert 0 < len(messages) <= 4 * math.log2(ranks)
    assert all(to >= 0 for _, to, _ in messages)


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
@pytest.mark.parametrize("nonblocking", [False, True])
def test_a_choice_serves_what_it_is_chosen_for(library: str, nonblocking: bool) -> None:
    for collective in {of for of, _, _ in native.collective_algorithms()}:
        for ranks in (2, 3, 4, 7, 8, 24, 100, 128, 1000, 5000):
            for size in (0, 1, 8, 1000, 12_289, 100_000, 1 << 22):
                for commutative in (True, False):
                    call = Call(ranks, bytes=size, commutative=commutative, root=ranks - 1)
                    stages = native.select_collective(library, collective, call, nonblocking)
                    assert stages
                    for stage in stages:
                        assert stage.algorithm in names(stage.collective)


def test_one_rank_needs_no_messages() -> None:
    assert native.select_collective("openmpi", "allreduce", Call(1, bytes=8)) == []


@pytest.mark.parametrize("row", (CASES / "algorithms.txt").read_text(encoding="utf-8").splitlines())
def test_a_library_chooses_as_its_rules_say(row: str) -> None:
    """The rules of MPICH are in maint/tuning/coll/mpir/generic.json of version 5.0. Open MPI's
    tuned reduces and broadcasts on 128 to 255 ranks below 128 KiB; 8 bytes are enough for a ring of
    four ranks, one element of 8 bytes is not."""
    call, expected = row.split(" => ")
    library, collective, ranks, *settings = call.split(" ")
    parameters = {key: eval(value) for key, value in (setting.split("=") for setting in settings)}
    nonblocking = parameters.pop("nonblocking", False)

    stages = native.select_collective(
        library, collective, Call(int(ranks), **parameters), nonblocking
    )

    assert fnmatchcase(" then ".join(stage.algorithm for stage in stages), expected)


def test_the_fan_out_is_how_many_exchange_in_a_round() -> None:
    """k to the r ranks need r rounds of groups of k, in which each sends k - 1 messages."""
    assert native.collective_cost("allreduce", "recursive multiplying", Call(27, fan_out=3)) == (
        3,
        27 * 2 * 3,
        0,
    )
    assert native.collective_cost("bcast", "k-nomial tree", Call(27, fan_out=3)) == (3, 26, 0)
    assert native.collective_cost("bcast", "chain", Call(27, fan_out=13)) == (2, 26, 0)
    assert native.collective_cost("alltoall", "linear, throttled", Call(27, fan_out=13))[0] == 2


def test_the_reference_lists_every_algorithm() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/collectives.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\w+) \| (`.*`) \|$", page, re.MULTILINE))
    listed = {of: set(re.findall(r"`([^`]+)`", row)) for of, row in rows.items()}

    assert listed == {of: names(of) for of, _, _ in native.collective_algorithms()}


def test_a_rank_of_a_ring_sends_what_it_got_before() -> None:
    ring = [
        native.collective_sent("allreduce", "ring", Call(5, bytes=100), rank) for rank in range(5)
    ]

    for rank, messages in enumerate(ring):
        assert [to for _, to, _ in messages] == [(rank + 1) % 5] * 8
        assert all(b[0] == a[0] + 1 for a, b in pairwise(messages))
        assert sum(size for _, _, size in messages) == 2 * 4 * 20
