"""Replays against closed forms: most of them are cases in tests/cases/replays.txt."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from pathlib import Path
from typing import Any

import pytest

from tests.job import Job, members
from tests.replayed import (
    EAGER,
    G_GAP,
    O_,
    O_BYTE,
    G,
    L,
    answered,
    machine,
    one_way,
    replay,
    step,
)
from tests.unit.test_simulate_threads import check
from tests.written_traces import Case, Written, cases
from waywiser.native import simulate
from waywiser.native.simulate import Cost, Messages, Noise

SWITCHES = {"allreduce": "in network", "barrier": "In-Network"}


def broadcast(ranks: int, size: int) -> float:
    """In round k each of the 2^k ranks that have the data sends it to one that has not. A message
    leaves o after the begin of its send, or once the NIC is free of the one before."""
    busy = O_ + O_BYTE * size
    ready, nic = [0.0] * ranks, [0.0] * ranks
    reach = 1
    while reach < ranks:
        for place in range(min(reach, ranks - reach)):
            leaves = max(ready[place] + O_, nic[place])
            nic[place] = leaves + G_GAP + G * size
            ready[place + reach] = leaves + G * size + L + O_
            ready[place] += busy
        reach *= 2
    return max(ready)


def folded(ranks: int, size: float, rounds: Sequence[float]) -> float:
    """The end of exchanges between 2^k ranks, each of so many bytes. Where there are more ranks,
    the first of them give their data to the next one before, and get the result from it.

    In an exchange a rank is done when it has sent and received, and no earlier than a message takes
    from its partner's begin.
    """
    power = 1 << (ranks.bit_length() - 1)
    extra = ranks - power
    ready = [one_way(size) if number < extra else 0.0 for number in range(power)]
    for i, part in enumerate(rounds):
        bit = 1 << (i if i < log2(power) else 2 * int(log2(power)) - 1 - i)
        busy = O_ + O_BYTE * part
        ready = [max(ready[n] + 2 * busy, ready[n ^ bit] + one_way(part)) for n in range(power)]
    return max([*ready, *(at + one_way(size) for at in ready[:extra])])


def barriers(computation: list[float]) -> float:
    """The end of five rounds of computing and a dissemination barrier, after 10 ns: in each of its
    rounds, a rank has sent and received, and no earlier than a message takes from its sender."""
    ranks, now = len(computation), [10.0] * len(computation)
    for _ in range(5):
        now = [a + b for a, b in zip(now, computation, strict=True)]
        for reach in (1 << i for i in range(ceil(log2(ranks)))):
            now = [
                max(now[r] + 2 * O_, now[(r - reach) % ranks] + one_way(0)) for r in range(ranks)
            ]
    return max(now)


NAMES: dict[str, Any] = {
    **{"L": L, "o": O_, "g": G_GAP, "G": G, "O": O_BYTE, "one_way": one_way, "step": step},
    **{"EAGER": EAGER, "Cost": Cost, "Messages": Messages, "Noise": Noise, "about": pytest.approx},
    **{"ceil": ceil, "log2": log2, "broadcast": broadcast, "folded": folded, "barriers": barriers},
    **{"switches": SWITCHES, "OPEN_MPI": "Open MPI v5.0.11"},
}


@pytest.mark.parametrize("case", cases("replays.txt"))
def test_the_replay_of_a_written_trace(tmp_path: Path, case: Case) -> None:
    """Objects of the bindings are made here: in a list of cases they would outlive the bindings."""
    farther = Messages([Cost(None, L + 10_000, O_, G_GAP, G, O_BYTE)], EAGER)
    written = Written(case, **NAMES, FARTHER=farther)
    path = written.job.write(tmp_path / "trace.ww")

    for word, parameters, checks in written.questions:
        settings = machine(**parameters)
        if word == "alike":  # on several threads of the replay
            check(path, settings)
        answer = answered(path, settings, threaded=word == "threads")
        written.check(answer, checks)


PARTS, SIZE = 4, 4096


@pytest.mark.parametrize("how", ["one by one", "range", "list"])
def test_a_partitioned_message_leaves_with_its_last_partition(tmp_path: Path, how: str) -> None:
    job = Job(2)
    job.then(0, "Psend_init", peer=1, tag=1, bytes=PARTS * SIZE, request=0, detail=PARTS)
    job.then(1, "Precv_init", source=0, source_tag=1, posted=PARTS * SIZE, request=0)
    for _ in range(2):
        for rank in (0, 1):
            job.then(rank, "Start", requests=[0])
        if how == "one by one":
            for part in reversed(range(PARTS)):
                job.compute(0, 1000)
                job.then(0, "Pready", requests=[0], detail=part)
        else:
            job.then(0, "Pready", requests=[0], detail=0)
            job.compute(0, 1000 * PARTS)
            job.then(0, f"Pready_{how}", requests=[0], detail=PARTS - 1)
        for rank in (0, 1):
            job.then(rank, "Wait", requests=[0], completed=[0])
        job.then(1, "Send", peer=0, tag=2, bytes=0)
        job.then(0, "Recv", source=1, source_tag=2)

    prediction = replay(job, tmp_path, machine())

    assert prediction.makespan_ns == 2 * (1000 * PARTS + one_way(PARTS * SIZE) + one_way(0))
    assert (prediction.messages, prediction.bytes) == (4, 2 * PARTS * SIZE)


@pytest.mark.parametrize("cut", range(8, 1200, 61))
def test_a_file_that_is_cut_is_replayed_as_far_as_it_goes(tmp_path: Path, cut: int) -> None:
    job = Job(3)
    for _ in range(20):
        for rank in range(3):
            job.then(rank, "Isend", peer=(rank + 1) % 3, tag=1, bytes=8, request=0)
            job.then(rank, "Recv", source=(rank - 1) % 3, source_tag=1, posted=8)
            job.then(rank, "Wait", requests=[0], completed=[0])
    whole = Path(job.write(tmp_path / "whole.ww")).read_bytes()
    (tmp_path / "cut.ww").write_bytes(whole[: min(cut, len(whole) - 1)])

    prediction = simulate.replay(str(tmp_path / "cut.ww"), machine())

    assert any("cut.ww: the file ends" in remark for remark in prediction.remarks)
    assert prediction.makespan_ns <= 20 * one_way(8)


def test_ranks_without_a_trace_are_not_waited_for(tmp_path: Path) -> None:
    job = Job(2, hosts=["a", "b"])
    three = job.communicator([0, 1])
    job.objects[-1].members = members([0, 1, 2])
    for rank in (0, 1):
        job.then(rank, "Allreduce", object=three, bytes=SIZE, posted=SIZE)

    prediction = replay(job, tmp_path, machine(collectives=SWITCHES))

    assert prediction.makespan_ns == one_way(SIZE)
    assert prediction.remarks == []
