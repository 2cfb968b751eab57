"""Replays against closed forms: most of them are cases in tests/cases/replays.txt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.made_traces import members
from tests.replayed import (
    EAGER,
    G_GAP,
    O_,
    O_BYTE,
    G,
    L,
    Program,
    answered,
    machine,
    one_way,
    step,
)
from tests.written_traces import Case, Written, cases
from waywiser.native import simulate
from waywiser.native.simulate import Cost, Messages

SWITCHES = {"allreduce": "in network", "barrier": "In-Network"}
NAMES: dict[str, Any] = {
    **{"L": L, "o": O_, "g": G_GAP, "G": G, "O": O_BYTE, "one_way": one_way, "step": step},
    **{"EAGER": EAGER, "Cost": Cost, "Messages": Messages, "about": pytest.approx},
    "switches": SWITCHES,
}


@pytest.mark.parametrize("case", cases("replays.txt"))
def test_the_replay_of_a_written_trace(tmp_path: Path, case: Case) -> None:
    written = Written(case, **NAMES)
    path = written.trace.write(tmp_path / "trace.ww")

    for given, checks in written.questions:
        written.check(answered(path, machine(**given)), checks)


def test_threads_of_a_rank_have_times_of_their_own(tmp_path: Path) -> None:
    """Two threads of two ranks play ping-pong by tags of their own, the second ones later."""
    program = Program(2)
    rounds, begin = 5, (0, 40_000)
    for thread in (0, 1):
        for rank in (0, 1):
            at = begin[thread]
            there = {"peer": 1 - rank, "tag": thread, "bytes": 64}
            back = {"source": 1 - rank, "source_tag": thread, "posted": 64}
            both = [("Send", there), ("Recv", back)]
            for function, given in rounds * (both if rank == 0 else both[::-1]):
                program.trace.call(rank, function, at, at + 10, thread=thread, object=0, **given)
                at += 10

    found = simulate.replay(program.trace.write(tmp_path / "trace.ww"), machine())

    assert 2 * rounds * one_way(64) < begin[1]
    assert found.makespan_ns == begin[1] + 2 * rounds * one_way(64)
    assert found.messages == 4 * rounds


PARTS, SIZE = 4, 4096


def test_threads_of_a_rank_share_its_nic(tmp_path: Path) -> None:
    program = Program(2)
    for thread in (0, 1):
        there = {"peer": 1, "tag": thread, "bytes": SIZE}
        back = {"source": 0, "source_tag": thread, "posted": SIZE}
        program.trace.call(0, "Send", 0, 10, thread=thread, object=0, **there)
        program.trace.call(1, "Recv", 0, 10, thread=thread, object=0, **back)

    found = simulate.replay(program.trace.write(tmp_path / "trace.ww"), machine())

    assert found.makespan_ns == one_way(SIZE) + G_GAP + G * SIZE
    assert [remark for remark in found.remarks if "threads" in remark]


@pytest.mark.parametrize("how", ["one by one", "range", "list"])
def test_a_partitioned_message_leaves_with_its_last_partition(tmp_path: Path, how: str) -> None:
    program = Program(2)
    program.call(0, "Psend_init", peer=1, tag=1, bytes=PARTS * SIZE, request=0, detail=PARTS)
    program.call(1, "Precv_init", source=0, source_tag=1, posted=PARTS * SIZE, request=0)
    for _ in range(2):
        for rank in (0, 1):
            program.call(rank, "Start", requests=[0])
        if how == "one by one":
            for part in reversed(range(PARTS)):
                program.compute(0, 1000)
                program.call(0, "Pready", requests=[0], detail=part)
        else:
            program.call(0, "Pready", requests=[0], detail=0)
            program.compute(0, 1000 * PARTS)
            program.call(0, f"Pready_{how}", requests=[0], detail=PARTS - 1)
        for rank in (0, 1):
            program.call(rank, "Wait", requests=[0], completed=[0])
        program.call(1, "Send", peer=0, tag=2, bytes=0)
        program.call(0, "Recv", source=1, source_tag=2)

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == 2 * (1000 * PARTS + one_way(PARTS * SIZE) + one_way(0))
    assert (found.messages, found.bytes) == (4, 2 * PARTS * SIZE)


@pytest.mark.parametrize("cut", range(8, 1200, 61))
def test_a_file_that_is_cut_is_replayed_as_far_as_it_goes(tmp_path: Path, cut: int) -> None:
    program = Program(3)
    for _ in range(20):
        for rank in range(3):
            program.call(rank, "Isend", peer=(rank + 1) % 3, tag=1, bytes=8, request=0)
            program.call(rank, "Recv", source=(rank - 1) % 3, source_tag=1, posted=8)
            program.call(rank, "Wait", requests=[0], completed=[0])
    whole = Path(program.trace.write(tmp_path / "whole.ww")).read_bytes()
    (tmp_path / "cut.ww").write_bytes(whole[: min(cut, len(whole) - 1)])

    found = simulate.replay(str(tmp_path / "cut.ww"), machine())

    assert any("cut.ww: the file ends" in remark for remark in found.remarks)
    assert found.makespan_ns <= 20 * one_way(8)


def test_ranks_without_a_trace_are_not_waited_for(tmp_path: Path) -> None:
    program = Program(2, hosts=["a", "b"])
    three = program.trace.communicator([0, 1])
    program.trace.objects[-1].members = members([0, 1, 2])
    for rank in (0, 1):
        program.call(rank, "Allreduce", object=three, bytes=SIZE, posted=SIZE)

    found = program.replay(tmp_path, machine(collectives=SWITCHES))

    assert found.makespan_ns == one_way(SIZE)
    assert found.remarks == []
