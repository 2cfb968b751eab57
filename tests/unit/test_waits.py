"""Waits, their causes and the critical path of made traces: answers follow from the times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.made_traces import ANY, MadeTrace
from tests.written_traces import Case, Written, cases
from waywiser.native import _native as native

MS = 1_000_000


def analyse(trace: MadeTrace, directory: Path) -> native.WaitAnalysis:
    """The waits of the trace, whose sums are checked."""
    found = native.analyse_waits(trace.write(directory / "trace.ww"))
    check_sums(found)
    return found


def waits(analysis: native.WaitAnalysis, rank: int) -> dict[str, int]:
    """What the rank waited, by kind."""
    ns = analysis.ranks[rank].wait_ns
    return {kind: n for kind, n in zip(native.wait_kinds(), ns, strict=True) if n > 0}


def check_sums(analysis: native.WaitAnalysis) -> None:
    """What holds for every trace."""
    waited = sum(sum(rank.wait_ns) for rank in analysis.ranks)
    assert sum(cause.ns for cause in analysis.causes) == waited
    assert sum(pair.ns for pair in analysis.pairs) == waited
    assert sum(rank.caused_ns for rank in analysis.ranks) == waited
    assert sum(rank.critical_ns for rank in analysis.ranks) == analysis.critical_path_ns
    assert sum(place.ns for place in analysis.critical_path) == analysis.critical_path_ns
    for rank in analysis.ranks:
        assert sum(rank.wait_ns) <= rank.mpi_ns <= rank.wall_ns
    for cause in analysis.causes:
        assert cause.direct_ns <= cause.ns


@pytest.mark.parametrize("case", cases("waits.txt"))
def test_the_waits_of_a_written_trace(tmp_path: Path, case: Case) -> None:
    written = Written(case)
    found = analyse(written.trace, tmp_path)
    answer = {
        "waits": [waits(found, rank) for rank in range(written.trace.ranks)],
        "pairs": [(pair.waiting, pair.awaited, pair.ns) for pair in found.pairs],
        "all_pairs": found.pairs,
        "causes": found.causes,
        "ranks": found.ranks,
        "critical": found.critical_path_ns,
        "unmatched": (found.unmatched_sends, found.unmatched_receives),
        "remarks": found.remarks,
    }

    ((_, checks),) = written.questions
    written.check(answer, checks)


def test_a_late_sender_is_named_with_its_line(tmp_path: Path) -> None:
    trace = MadeTrace(2)
    trace.call(0, "Init", 0, 10)
    trace.call(1, "Init", 0, 10)
    trace.call(0, "Comm_rank", 1 * MS, 1 * MS + 5, site=11)
    trace.call(1, "Comm_rank", 1 * MS, 1 * MS + 5, site=11)
    trace.call(0, "Send", 12 * MS, 12 * MS + 1000, peer=1, tag=7, bytes=8, site=12)
    trace.call(1, "Recv", 2 * MS, 12 * MS + 3000, source=0, source_tag=7, site=13)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 0) == {}
    assert waits(analysis, 1) == {"late_sender": 10 * MS}
    (cause,) = analysis.causes
    assert (cause.wait, cause.causing_rank, cause.ns, cause.calls) == ("late_sender", 0, 10 * MS, 1)
    assert cause.direct_ns == 10 * MS
    assert (cause.computing, cause.before.site, cause.after.site) == (True, 1, 2)
    assert cause.waiting.site == 3
    assert cause.most_waiting_rank == 1
    assert [(p.waiting, p.awaited, p.ns, p.calls) for p in analysis.pairs] == [(1, 0, 10 * MS, 1)]
    assert analysis.critical_path_ns == 12 * MS + 3000
    assert analysis.ranks[0].critical_ns == 12 * MS
    assert analysis.ranks[1].critical_ns == 3000
    assert analysis.remarks == []


def test_a_wait_is_put_down_to_where_the_delay_arose(tmp_path: Path) -> None:
    """Rank 0 is late, so rank 1 waits, and is late for rank 2."""
    trace = MadeTrace(3)
    for rank in range(3):
        trace.call(rank, "Barrier", 0, 1000)
    trace.call(0, "Send", 10 * MS, 10 * MS + 500, peer=1, tag=0, bytes=8, site=5)
    trace.call(1, "Recv", 2 * MS, 10 * MS, source=0, source_tag=0, site=6)
    trace.call(1, "Send", 14 * MS, 14 * MS + 500, peer=2, tag=0, bytes=8)
    trace.call(2, "Recv", 6 * MS, 14 * MS + 1000, source=1, source_tag=0, site=7)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 1) == {"late_sender": 8 * MS}
    assert waits(analysis, 2) == {"late_sender": 8 * MS}
    # Rank 1 computed as long as rank 2 did, only elsewhere, and waited 8 ms more.
    assert {(c.causing_rank, c.waiting.site, c.ns, c.direct_ns) for c in analysis.causes} == {
        (0, 2, 8 * MS, 8 * MS),
        (0, 3, 8 * MS, 0),
    }


def test_who_is_late_itself_shares_the_blame(tmp_path: Path) -> None:
    """Rank 1 waits 6 ms for rank 0 and computes 4 ms more than rank 2 afterwards."""
    trace = MadeTrace(3)
    for rank in range(3):
        trace.call(rank, "Barrier", 0, 1000)
    trace.call(0, "Send", 10 * MS, 10 * MS + 500, peer=1, tag=0, bytes=8)
    trace.call(1, "Recv", 4 * MS, 10 * MS + 1000, source=0, source_tag=0)
    trace.call(1, "Send", 14 * MS, 14 * MS + 500, peer=2, tag=0, bytes=8, site=3)
    trace.call(2, "Recv", 4 * MS, 14 * MS + 1000, source=1, source_tag=0)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 2) == {"late_sender": 10 * MS}
    own = next(c for c in analysis.causes if c.causing_rank == 1)
    assert (own.computing, own.after.site) == (True, 1)
    # In the call that received, rank 1 spent 1 us that is nobody's wait.
    assert own.ns == pytest.approx(4 * MS, abs=1001)
    assert own.direct_ns == own.ns


@pytest.mark.parametrize("function", ["Gather", "Gatherv", "Reduce"])
def test_a_root_waits_for_the_first_and_then_for_the_last(tmp_path: Path, function: str) -> None:
    """Rank 2 is late for rank 0, which is late for all in the Allgather after that."""
    trace = MadeTrace(4)
    for rank, begin in enumerate((2 * MS, 10 * MS, 100 * MS, 4 * MS)):
        trace.call(rank, "Barrier", 0, 1000, site=1)
        end = 100 * MS + 5000 if rank == 0 else begin + 100
        trace.call(rank, function, begin, end, peer=0, site=2)
    for rank, begin in enumerate((100 * MS + 6000, 10 * MS + 100, 100 * MS + 100, 4 * MS + 100)):
        trace.call(rank, "Allgather", begin, 100 * MS + 8000, site=3)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 0) == {"early_root": 2 * MS, "last_ranks": 96 * MS}
    assert waits(analysis, 1) == {"all_to_all": 90 * MS + 5900}
    assert waits(analysis, 2) == {"all_to_all": 5900}
    assert waits(analysis, 3) == {"all_to_all": 96 * MS + 5900}
    assert [(p.awaited, p.ns) for p in analysis.pairs if p.waiting == 0] == [
        (2, 96 * MS),
        (3, 2 * MS),
    ]
    assert {
        (c.wait, c.causing_rank, c.computing, c.before.site, c.after.site, c.ns, c.direct_ns)
        for c in analysis.causes
    } == {
        ("early_root", 3, True, 1, 2, 2 * MS, 2 * MS),
        ("last_ranks", 2, True, 1, 2, 96 * MS, 96 * MS),
        # Ranks 1 and 3 came to the Allgather before rank 2 came to the collective before it.
        ("all_to_all", 2, True, 1, 2, 186 * MS + 5900, 0),
        # What the root itself took after that.
        ("all_to_all", 0, False, 2, 2, 2 * 5900, 2 * 5900),
    }
    assert [rank.critical_ns for rank in analysis.ranks] == [8000, 0, 100 * MS, 0]


def test_only_calls_of_the_window_count(tmp_path: Path) -> None:
    """The second of three rounds, whose delay is another than the first one's."""
    trace = MadeTrace(2)
    delays = (9 * MS, 4 * MS, 2 * MS)
    for n, delay in enumerate(delays):
        begin = 10 * n * MS
        trace.call(0, "Barrier", begin + 10, begin + delay + 100)
        trace.call(1, "Barrier", begin + delay, begin + delay + 100)
    path = trace.write(tmp_path / "trace.ww")

    whole = native.analyse_waits(path)
    second = native.analyse_waits(path, 10 * MS, 20 * MS)

    check_sums(second)
    assert waits(whole, 0) == {"barrier": sum(delays) - 30}
    assert waits(second, 0) == {"barrier": 4 * MS - 10}
    assert [(pair.ns, pair.calls) for pair in second.pairs] == [(4 * MS - 10, 1)]
    assert [cause.causing_rank for cause in second.causes] == [1]
    assert second.ranks[0].mpi_ns == 4 * MS + 90
    # From the first round's end, where both computed, to the second one's: all of it on rank 1.
    assert second.critical_path_ns == 14 * MS + 100 - (9 * MS + 100)


def test_a_cause_is_known_though_its_rank_has_left_the_collective_long_ago(tmp_path: Path) -> None:
    """Rank 1 is last in the second barrier, and reads on before the others leave it."""
    trace = MadeTrace(3)
    for rank in range(3):
        trace.call(rank, "Barrier", 0, 10, site=1)
    trace.call(1, "Comm_rank", 5 * MS, 5 * MS + 10, site=2)
    calls, gap = 200, 100
    for n in range(1, calls):
        begin = 5 * MS + n * gap
        trace.call(1, "Comm_rank", begin, begin + 10, site=3)
    last = 5 * MS + calls * gap
    for rank, begin in enumerate((1 * MS, last, 2 * MS)):
        trace.call(rank, "Barrier", begin, last + 10, site=4)
    for n in range(1, 10 * calls):
        trace.call(1, "Comm_rank", last + n * gap, last + n * gap + 10, site=3)

    analysis = native.analyse_waits(trace.write(tmp_path / "trace.ww"))

    (cause,) = analysis.causes
    assert (cause.ns, cause.calls, cause.causing_rank) == (2 * last - 3 * MS, 2, 1)
    lines = [analysis.call_sites[end.site - 1].place for end in (cause.before, cause.after)]
    assert cause.computing
    assert lines == ["main at made.c:1", "main at made.c:2"]


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


@pytest.mark.parametrize("probes", [False, True])
def test_a_spin_is_a_wait_from_its_first_poll(tmp_path: Path, probes: bool) -> None:
    """10,000 polls in 9 ms, of which 6 ms are within the calls."""
    trace = MadeTrace(2)
    trace.call(0, "Comm_rank", 0, 10, site=1)
    if probes:
        poll: dict[str, Any] = {"source": ANY, "source_tag": 3}
        found: dict[str, Any] = {"matched_source": 1, **poll}
    else:
        trace.call(0, "Irecv", 20, 30, source=1, source_tag=3, request=0)
        poll = {"requests": [0]}
        found = {"completed": [0], **poll}
    function = "Iprobe" if probes else "Test"
    runs: dict[str, Any] = {"times": 10_000, "polling_ns": 6 * MS, "found": False, "site": 2}
    trace.call(0, function, 1 * MS, 10 * MS, **runs, **poll)
    trace.call(0, function, 10 * MS + 300, 10 * MS + 400, site=2, **found)
    trace.call(1, "Comm_rank", 0, 10, site=1)
    trace.call(1, "Send", 8 * MS, 8 * MS + 90, peer=0, tag=3, bytes=0, site=3)
    if probes:
        trace.call(0, "Recv", 11 * MS, 11 * MS + 10, source=1, source_tag=3)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 0) == {"late_sender": 7 * MS}
    (cause,) = analysis.causes
    assert (cause.causing_rank, cause.after.site, cause.calls) == (1, 3, 1)
    assert analysis.ranks[0].mpi_ns == 9 * MS + 400 + 20
    end = 11 * MS + 10 if probes else 10 * MS + 400
    assert analysis.critical_path_ns == end
    assert analysis.ranks[0].critical_ns == end - 8 * MS
