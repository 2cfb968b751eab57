"""Forms of sending, probing and completing in a replay, against closed forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.made_traces import ANY
from tests.replayed import O_, O_BYTE, L, Program, machine, one_way, step

SIZE, LATE = 4096, 50_000
PROBES_END = "a probe ends at once: what follows it waits for the message"


@pytest.mark.parametrize(
    ("function", "handshake"), [("Send", True), ("Ssend", True), ("Rsend", True), ("Bsend", False)]
)
@pytest.mark.parametrize("size", [8, SIZE])
def test_what_a_form_of_sending_waits_for(
    tmp_path: Path, function: str, handshake: bool, size: int
) -> None:
    """A synchronous send has its handshake whatever its size, a buffered one never."""
    program = Program(2)
    program.call(0, function, peer=1, tag=1, bytes=size)
    program.call(1, "Recv", source=0, source_tag=1, posted=size)

    found = program.replay(tmp_path, machine(eager=SIZE - 1))

    rendezvous = function == "Ssend" or (handshake and size == SIZE)
    assert found.makespan_ns == one_way(size) + (2 * (L + O_) if rendezvous else 0)
    assert found.remarks == []


@pytest.mark.parametrize(
    ("function", "size", "handshake"),
    [("Send_init", 8, False), ("Ssend_init", 8, True), ("Bsend_init", SIZE, False)],
)
def test_persistent_requests_keep_their_form(
    tmp_path: Path, function: str, size: int, handshake: bool
) -> None:
    program = Program(2)
    program.call(0, function, peer=1, tag=1, bytes=size, request=0)
    program.call(0, "Start", requests=[0])
    program.call(0, "Wait", requests=[0], completed=[0])
    program.call(1, "Recv", source=0, source_tag=1, posted=size)

    found = program.replay(tmp_path, machine(eager=SIZE - 1))

    assert found.makespan_ns == one_way(size) + (2 * (L + O_) if handshake else 0)


@pytest.mark.parametrize("ranks", [2, 3, 7])
def test_everybody_sends_and_receives_at_once(tmp_path: Path, ranks: int) -> None:
    program = Program(ranks)
    for rank in range(ranks):
        right, left = (rank + 1) % ranks, (rank - 1) % ranks
        for _ in range(4):
            program.call(rank, "Sendrecv", peer=right, tag=1, bytes=SIZE, source=left,
                         source_tag=1, posted=SIZE)  # fmt: skip

    assert program.replay(tmp_path, machine()).makespan_ns == 4 * step(SIZE)


@pytest.mark.parametrize("asked", [{"source": 0, "source_tag": 1}, {"source": ANY}])
def test_what_follows_a_probe_waits_for_the_message(tmp_path: Path, asked: dict[str, int]) -> None:
    program = Program(2)
    program.call(0, "Comm_rank")
    program.compute(0, LATE)
    program.call(0, "Send", peer=1, tag=1, bytes=SIZE)
    outcome = {"source_tag": ANY, "matched_source": 0, "matched_tag": 1}
    program.call(1, "Probe", **{**outcome, **asked})
    program.call(1, "Recv", source=0, source_tag=1, posted=SIZE)

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == 10 + LATE + one_way(SIZE)
    assert found.ranks[1].waiting_ns == pytest.approx(10 + LATE)
    assert found.remarks == [PROBES_END]


def test_probing_in_a_loop_is_waiting(tmp_path: Path) -> None:
    """60 us of polls that found nothing are no time that the rank computes."""
    program = Program(2)
    program.call(0, "Send", peer=1, tag=1, bytes=SIZE)
    program.trace.call(
        1, "Iprobe", 0, 60_000, source=0, source_tag=1, found=False, times=1000, polling_ns=50_000
    )
    program.now[1] = 60_010
    program.call(1, "Iprobe", source=0, source_tag=1, found=True)
    program.call(1, "Recv", source=0, source_tag=1, posted=SIZE)

    found = program.replay(tmp_path, machine())

    assert found.makespan_ns == one_way(SIZE)
    assert found.remarks == [PROBES_END]


@pytest.mark.parametrize("function", ["Waitany", "Waitsome", "Testany", "Testsome"])
def test_calls_that_complete_some_complete_what_they_did(tmp_path: Path, function: str) -> None:
    """The first message is there long before; the call got the second one."""
    program = Program(3)
    for request, source in ((0, 0), (1, 1)):
        program.call(2, "Irecv", source=source, source_tag=1, posted=SIZE, request=request)
    program.call(0, "Send", peer=2, tag=1, bytes=SIZE)
    program.call(1, "Comm_rank")
    program.compute(1, LATE)
    program.call(1, "Send", peer=2, tag=1, bytes=SIZE)
    program.call(2, function, requests=[0, 1], completed=[1])
    program.compute(2, LATE)
    program.call(2, "Wait", requests=[0], completed=[0])

    found = program.replay(tmp_path, machine())

    busy = O_ + O_BYTE * SIZE
    times = {one.name: one.ns for one in found.functions}
    assert times[f"MPI_{function}"] == 10 + LATE + one_way(SIZE)
    assert times["MPI_Wait"] == busy
    assert found.ranks[2].end_ns == 10 + LATE + one_way(SIZE) + LATE + busy
