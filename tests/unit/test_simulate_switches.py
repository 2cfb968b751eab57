"""Collectives that switches carry out, against closed forms: half way up, half way down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.made_traces import members
from tests.replayed import G_GAP, O_, O_BYTE, G, L, Program, machine, one_way
from waywiser.native import _native as native
from waywiser.native.simulate import Prediction, Settings

SIZE = 4096
BUSY = O_ + O_BYTE * SIZE
SECOND = G_GAP + G * SIZE
CALL: dict[str, Any] = {"bytes": SIZE, "posted": SIZE}


def switches(**settings: Any) -> Settings:
    return machine(collectives={"allreduce": "in network", "barrier": "In-Network"}, **settings)


def on_nodes(*nodes: int, **options: Any) -> Program:
    return Program(len(nodes), hosts=[f"node {node}" for node in nodes], **options)


def ends(found: Prediction) -> list[float]:
    return [rank.end_ns for rank in found.ranks]


@pytest.mark.parametrize("ranks", [2, 3, 5, 8, 33, 100])
@pytest.mark.parametrize("size", [0, 8, SIZE, 1 << 16])
def test_a_reduction_takes_as_long_as_one_message(tmp_path: Path, ranks: int, size: int) -> None:
    program = on_nodes(*range(ranks))
    for rank in range(ranks):
        program.call(rank, "Allreduce", bytes=size, posted=size)
        program.call(rank, "Barrier")

    found = program.replay(tmp_path, switches(eager=0))

    assert ends(found) == [one_way(size) + one_way(0)] * ranks
    assert (found.messages, found.bytes) == (2 * ranks, ranks * size)
    assert found.critical_path.latency_ns == 2 * L
    assert found.remarks == []


def test_nobody_has_the_result_before_the_last_one_has_come(tmp_path: Path) -> None:
    program = on_nodes(0, 1, 2)
    for rank, computing in enumerate((0, 30_000, 7000)):
        program.call(rank, "Comm_rank")
        program.compute(rank, computing)
        program.call(rank, "Allreduce", **CALL)

    found = program.replay(tmp_path, switches())

    assert ends(found) == [30_010 + one_way(SIZE)] * 3
    waited = [rank.waiting_ns for rank in found.ranks]
    assert waited == [pytest.approx(30_000 - BUSY), 0, pytest.approx(23_000 - BUSY)]


def test_switches_go_on_beside_computing_and_keep_reductions_apart(tmp_path: Path) -> None:
    """The first one ends while ranks compute, the second one, of other ranks, in their wait."""
    program = on_nodes(0, 1, 2)
    two = program.trace.communicator([0, 1])
    for rank in range(3):
        program.call(rank, "Iallreduce", request=0, **CALL)
    for rank in (0, 1):
        program.compute(rank, 50_000)
        program.call(rank, "Iallreduce", object=two, request=1, **CALL)
        program.call(rank, "Waitall", requests=[0, 1], completed=[0, 1])
    program.call(2, "Wait", requests=[0], completed=[0])

    found = program.replay(tmp_path, switches())

    assert ends(found) == [50_000 + one_way(SIZE)] * 2 + [one_way(SIZE)]


def test_ranks_of_a_node_share_its_nic_up_and_down(tmp_path: Path) -> None:
    program = on_nodes(0, 0, 1, 1)
    for rank in range(4):
        program.call(rank, "Allreduce", **CALL)

    found = program.replay(tmp_path, switches(share_nic=True))

    assert found.makespan_ns == pytest.approx(one_way(SIZE) + 2 * SECOND)


def test_ranks_of_one_node_have_no_switches(tmp_path: Path) -> None:
    program = on_nodes(0, 0, 0, 0)
    for rank in range(4):
        program.call(rank, "Allreduce", **CALL)

    found = program.replay(tmp_path, switches())

    assert found.makespan_ns == 2 * one_way(SIZE)
    assert found.remarks == [
        "in network does not support all calls of its collective; these are played as without it "
        "(4 times)"
    ]


def test_who_does_not_come_is_named(tmp_path: Path) -> None:
    program = on_nodes(0, 1, 2)
    for rank in (0, 2):
        program.call(rank, "Allreduce", **CALL)
    program.call(1, "Comm_rank")

    says = "rank 0 in MPI_Allreduce waits in the switches for rank 1"
    found = program.replay(tmp_path, switches())
    assert any(says in remark for remark in found.remarks)


def test_a_deadlock_in_the_switches_is_an_error(tmp_path: Path) -> None:
    """Rank 1 comes once it has got the message that rank 0 sends afterwards."""
    program = on_nodes(0, 1)
    program.call(0, "Allreduce", **CALL)
    program.call(0, "Send", peer=1, tag=4, bytes=8)
    program.call(1, "Recv", source=0, source_tag=4, posted=8)
    program.call(1, "Allreduce", **CALL)
    for rank in (0, 1):
        program.call(rank, "Finalize")

    with pytest.raises(
        native.InvalidInput,
        match="rank 0 in MPI_Allreduce waits in the switches for rank 1; rank 1 in MPI_Recv waits",
    ):
        program.replay(tmp_path, switches())


def test_ranks_without_a_trace_are_not_waited_for(tmp_path: Path) -> None:
    program = on_nodes(0, 1)
    three = program.trace.communicator([0, 1])
    program.trace.objects[-1].members = members([0, 1, 2])
    for rank in (0, 1):
        program.call(rank, "Allreduce", object=three, **CALL)

    found = program.replay(tmp_path, switches())

    assert found.makespan_ns == one_way(SIZE)
    assert found.remarks == []
