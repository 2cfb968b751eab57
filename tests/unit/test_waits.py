"""Waits, their causes and the critical path of made traces: answers follow from the times."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.job import Job
from tests.written_traces import Case, Written, cases
from waywiser.native import _native as native

MS = 1_000_000


def waits(analysis: native.WaitAnalysis, rank: int) -> dict[str, int]:
    """The rank's waiting time by kind."""
    ns = analysis.ranks[rank].wait_ns
    return {kind: n for kind, n in zip(native.wait_kinds(), ns, strict=True) if n > 0}


def check_sums(analysis: native.WaitAnalysis) -> None:
    """Checks invariants of every trace."""
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
    path = written.job.write(tmp_path / "trace.ww")
    for _, window, checks in written.questions:
        analysis = native.analyse_waits(path, **window)
        check_sums(analysis)
        answer = {
            "waits": [waits(analysis, rank) for rank in range(written.job.ranks)],
            "pairs": [(pair.waiting, pair.awaited, pair.ns) for pair in analysis.pairs],
            "all_pairs": analysis.pairs,
            "causes": analysis.causes,
            "ranks": analysis.ranks,
            "critical": analysis.critical_path_ns,
            "unmatched": (analysis.unmatched_sends, analysis.unmatched_receives),
            "sites": analysis.call_sites,
            "remarks": analysis.remarks,
        }
        written.check(answer, checks)


def test_threads_complete_what_others_post(tmp_path: Path) -> None:
    job = Job(2)
    job.call(0, "Irecv", 1 * MS, 1 * MS + 10, source=1, source_tag=0, request=0)
    job.call(0, "Recv", 2 * MS, 9 * MS, source=1, source_tag=1)
    job.call(0, "Wait", 3 * MS, 6 * MS, requests=[0], completed=[0], thread=1)
    job.call(0, "Send", 7 * MS, 7 * MS + 10, peer=1, tag=2, bytes=0, thread=1)
    job.call(1, "Send", 5 * MS, 5 * MS + 10, peer=0, tag=0, bytes=0)
    job.call(1, "Recv", 6 * MS, 7 * MS + 20, source=0, source_tag=2)
    job.call(1, "Send", 8 * MS, 8 * MS + 10, peer=0, tag=1, bytes=0)

    # Its threads wait at the same time: the waits of rank 0 are longer than its MPI time.
    analysis = native.analyse_waits(job.write(tmp_path / "trace.ww"))

    check = {"late_sender": 6 * MS + 2 * MS}
    assert waits(analysis, 0) == check
    assert waits(analysis, 1) == {"late_sender": 1 * MS}
    assert (analysis.unmatched_sends, analysis.unmatched_receives) == (0, 0)
