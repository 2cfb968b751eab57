"""The forms that MPI gives to messages and collectives, each with a wait that is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.made_traces import ANY, NOBODY, OWN_GROUP, MadeTrace
from tests.unit.test_waits import MS, analyse, waits
from waywiser.native import _native as native


def test_a_nonblocking_receive_from_anyone_waits_for_whom_it_got(tmp_path: Path) -> None:
    trace = MadeTrace(3)
    trace.call(0, "Irecv", 0, 10, source=ANY, source_tag=ANY, request=0)
    trace.call(0, "Irecv", 20, 30, source=ANY, source_tag=5, request=1)
    trace.call(0, "Waitany", 1 * MS, 4 * MS, requests=[0, 1], completed=[(1, 2, 5)])
    trace.call(0, "Wait", 5 * MS, 9 * MS, requests=[0], completed=[(0, 1, 6)])
    trace.call(1, "Send", 8 * MS, 8 * MS + 100, peer=0, tag=6, bytes=0)
    trace.call(2, "Send", 3 * MS, 3 * MS + 100, peer=0, tag=5, bytes=0)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 0) == {"late_sender": 5 * MS}
    assert [(p.awaited, p.ns) for p in analysis.pairs] == [(1, 3 * MS), (2, 2 * MS)]
    assert (analysis.unmatched_sends, analysis.unmatched_receives) == (0, 0)


def test_wildcards_keep_the_path_that_leads_through_them(tmp_path: Path) -> None:
    """Each round, rank 1 answers late to whoever receives from anybody."""
    trace = MadeTrace(2)
    rounds = 50
    for n in range(rounds):
        at = 10 * n * MS
        trace.call(0, "Irecv", at, at + 10, source=ANY, source_tag=1, request=0)
        trace.call(0, "Send", at + 20, at + 30, peer=1, tag=2, bytes=0)
        trace.call(1, "Irecv", at, at + 10, source=ANY, source_tag=2, request=0)
        trace.call(1, "Wait", at + 20, at + 40, requests=[0], completed=[(0, 0, 2)])
        trace.call(1, "Send", at + 8 * MS, at + 8 * MS + 10, peer=0, tag=1, bytes=0)
        trace.call(0, "Wait", at + 40, at + 8 * MS + 20, requests=[0], completed=[(0, 1, 1)])

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 0) == {"late_sender": rounds * (8 * MS - 40)}
    assert analysis.critical_path_ns == (rounds - 1) * 10 * MS + 8 * MS + 20


def test_a_persistent_request_waits_in_each_round(tmp_path: Path) -> None:
    trace = MadeTrace(2)
    trace.call(0, "Send_init", 0, 10, peer=1, tag=3, bytes=0, request=0)
    trace.call(1, "Recv_init", 0, 10, source=0, source_tag=3, request=0)
    for begin in (10 * MS, 20 * MS, 30 * MS):
        trace.call(0, "Start", begin + 4 * MS, begin + 4 * MS + 50, requests=[0])
        trace.call(0, "Wait", begin + 5 * MS, begin + 5 * MS + 50, requests=[0], completed=[0])
        trace.call(1, "Start", begin, begin + 50, requests=[0])
        trace.call(1, "Wait", begin + MS, begin + 5 * MS, requests=[0], completed=[0])

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 1) == {"late_sender": 9 * MS}
    assert [(p.ns, p.calls) for p in analysis.pairs] == [(9 * MS, 3)]


def test_a_probe_waits_and_the_receive_after_it_does_not(tmp_path: Path) -> None:
    trace = MadeTrace(2)
    trace.call(0, "Send", 5 * MS, 5 * MS + 10, peer=1, tag=1, bytes=0)
    trace.call(0, "Send", 8 * MS, 8 * MS + 10, peer=1, tag=1, bytes=0)
    trace.call(1, "Probe", 1 * MS, 5 * MS + 20, source=ANY, source_tag=1, matched_source=0)
    trace.call(1, "Recv", 5 * MS + 30, 5 * MS + 40, source=0, source_tag=1)
    trace.call(1, "Mprobe", 6 * MS, 8 * MS + 20, source=0, source_tag=1, request=0)
    trace.call(1, "Mrecv", 8 * MS + 30, 8 * MS + 40, message=0)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 1) == {"late_sender": 6 * MS}
    assert (analysis.unmatched_sends, analysis.unmatched_receives) == (0, 0)


def test_a_nonblocking_collective_waits_where_it_is_completed(tmp_path: Path) -> None:
    trace = MadeTrace(3)
    for rank, begin in enumerate((1 * MS, 2 * MS, 9 * MS)):
        trace.call(rank, "Iallreduce", begin, begin + 10, request=0)
        trace.call(rank, "Wait", begin + MS, 10 * MS + rank, requests=[0], completed=[0])

    analysis = analyse(trace, tmp_path)

    assert [waits(analysis, r) for r in range(3)] == [
        {"all_to_all": 7 * MS},
        {"all_to_all": 6 * MS},
        {},
    ]


def test_a_collective_over_some_ranks_is_theirs_alone(tmp_path: Path) -> None:
    trace = MadeTrace(4)
    odd = trace.communicator([1, 3])
    for rank, begin in enumerate((1 * MS, 2 * MS, 3 * MS, 8 * MS)):
        if rank % 2 == 1:
            trace.call(rank, "Barrier", begin, 8 * MS + 100, object=odd)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 1) == {"barrier": 6 * MS}


def test_a_fence_is_a_wait_of_one_sided_communication(tmp_path: Path) -> None:
    trace = MadeTrace(2)
    window = trace.communicator([0, 1], kind=native.ObjectKind.window)
    trace.call(0, "Win_fence", 1 * MS, 4 * MS + 10, object=window)
    trace.call(1, "Win_fence", 4 * MS, 4 * MS + 10, object=window)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 0) == {"rma": 3 * MS}


def test_a_root_of_another_group(tmp_path: Path) -> None:
    """Rank 1, of the group {0, 1}, sends to all of {2, 3}, which wait; rank 0 has no part."""
    trace = MadeTrace(4)
    between = trace.communicator([0, 1], remote=[2, 3])
    trace.call(0, "Bcast", 1 * MS, 1 * MS + 10, object=between, peer=NOBODY)
    trace.call(1, "Bcast", 6 * MS, 6 * MS + 10, object=between, peer=OWN_GROUP)
    for rank in (2, 3):
        trace.call(rank, "Bcast", rank * MS, 6 * MS + 20, object=between, peer=1)
    trace.call(3, "Send", 7 * MS, 7 * MS + 10, object=between, peer=0, tag=0, bytes=0)
    trace.call(0, "Recv", 2 * MS, 7 * MS + 20, object=between, source=1, source_tag=0)

    analysis = analyse(trace, tmp_path)

    expected = [{"late_sender": 5 * MS}, {}, {"late_root": 4 * MS}, {"late_root": 3 * MS}]
    assert [waits(analysis, rank) for rank in range(4)] == expected
    assert [(p.waiting, p.awaited) for p in analysis.pairs] == [(0, 3), (2, 1), (3, 1)]


def test_threads_complete_what_others_post(tmp_path: Path) -> None:
    trace = MadeTrace(2)
    trace.call(0, "Irecv", 1 * MS, 1 * MS + 10, source=1, source_tag=0, request=0)
    trace.call(0, "Recv", 2 * MS, 9 * MS, source=1, source_tag=1)
    trace.call(0, "Wait", 3 * MS, 6 * MS, requests=[0], completed=[0], thread=1)
    trace.call(0, "Send", 7 * MS, 7 * MS + 10, peer=1, tag=2, bytes=0, thread=1)
    trace.call(1, "Send", 5 * MS, 5 * MS + 10, peer=0, tag=0, bytes=0)
    trace.call(1, "Recv", 6 * MS, 7 * MS + 20, source=0, source_tag=2)
    trace.call(1, "Send", 8 * MS, 8 * MS + 10, peer=0, tag=1, bytes=0)

    # Its threads wait at the same time: the waits of rank 0 are longer than its MPI time.
    analysis = native.analyse_waits(trace.write(tmp_path / "trace.ww"))

    check = {"late_sender": 6 * MS + 2 * MS}
    assert waits(analysis, 0) == check
    assert waits(analysis, 1) == {"late_sender": 1 * MS}
    assert (analysis.unmatched_sends, analysis.unmatched_receives) == (0, 0)


@pytest.mark.parametrize("ranks", [2, 9])
def test_all_may_send_before_they_receive(tmp_path: Path, ranks: int) -> None:
    """A ring of standard sends that end before their receives, which shows that they are eager."""
    trace = MadeTrace(ranks)
    for step in range(20):
        for rank in range(ranks):
            begin = step * MS + rank * 1000
            trace.call(rank, "Send", begin, begin + 100, peer=(rank + 1) % ranks, tag=0, bytes=64)
            arrival = step * MS + ranks * 1000 + 500 + rank
            source = (rank - 1) % ranks
            trace.call(rank, "Recv", arrival, arrival + 200, source=source, source_tag=0)

    analysis = analyse(trace, tmp_path)

    assert [waits(analysis, rank) for rank in range(ranks)] == [{}] * ranks
    assert analysis.remarks == []


def test_ranks_far_out_of_step_take_no_more_memory_than_their_messages(tmp_path: Path) -> None:
    """A pipeline whose stages are a second apart: a rank is over when the next one begins."""
    trace = MadeTrace(4)
    for rank in range(4):
        for i in range(50):
            begin = rank * 1000 * MS + i * MS
            if rank > 0:
                trace.call(rank, "Recv", begin, begin + 10, source=rank - 1, source_tag=0)
            if rank < 3:
                trace.call(rank, "Send", begin + 100, begin + 200, peer=rank + 1, tag=0, bytes=8)

    analysis = analyse(trace, tmp_path)

    assert [waits(analysis, rank) for rank in range(4)] == [{}] * 4
    assert (analysis.unmatched_sends, analysis.unmatched_receives) == (0, 0)


def test_what_a_killed_rank_did_not_do_is_counted(tmp_path: Path) -> None:
    trace = MadeTrace(3, killed=[2])
    for rank in range(3):
        trace.call(rank, "Barrier", rank * MS, 2 * MS + 10)
    trace.call(0, "Recv", 3 * MS, 9 * MS, source=2, source_tag=0)
    trace.call(1, "Ssend", 3 * MS, 9 * MS, peer=2, tag=0, bytes=8)
    trace.call(0, "Allreduce", 10 * MS, 11 * MS)
    trace.call(1, "Allreduce", 12 * MS, 13 * MS)
    trace.call(0, "Recv", 14 * MS, 17 * MS, source=1, source_tag=0)
    trace.call(1, "Send", 16 * MS, 16 * MS + 10, peer=0, tag=0, bytes=0)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 0) == {"barrier": 2 * MS, "late_sender": 2 * MS}
    assert waits(analysis, 1) == {"barrier": 1 * MS}
    assert (analysis.unmatched_sends, analysis.unmatched_receives) == (1, 1)


def test_a_message_that_arrives_before_it_was_sent_is_clamped_and_said(tmp_path: Path) -> None:
    trace = MadeTrace(2)
    trace.call(0, "Send", 5 * MS, 5 * MS + 10, peer=1, tag=0, bytes=0)
    trace.call(1, "Recv", 1 * MS, 2 * MS, source=0, source_tag=0)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 1) == {"late_sender": 1 * MS}
    assert analysis.remarks[0].startswith("1 message or collective arrived before it was sent")


def test_a_lone_rank_and_messages_to_nobody(tmp_path: Path) -> None:
    trace = MadeTrace(1)
    trace.call(0, "Send", 0, 10, peer=NOBODY, tag=0, bytes=0)
    trace.call(0, "Sendrecv", 20, 30, peer=0, tag=1, bytes=0, source=0, source_tag=1)
    trace.call(0, "Barrier", 40, 50)

    analysis = analyse(trace, tmp_path)

    assert analysis.critical_path_ns == 50
    assert (analysis.unmatched_sends, analysis.unmatched_receives) == (0, 0)


def test_a_thread_that_waits_in_vain_does_not_hold_up_the_others_for_ever(tmp_path: Path) -> None:
    trace = MadeTrace(2)
    trace.call(0, "Barrier", 0, 10)
    trace.call(0, "Send", 100, 110, peer=1, tag=0, bytes=0, thread=1)
    trace.call(1, "Comm_rank", 0, 5)
    trace.call(1, "Recv", 50, 120, source=0, source_tag=0)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 1) == {"late_sender": 50}
