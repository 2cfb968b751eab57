"""Waits that are spent polling."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.made_traces import ANY, MadeTrace
from tests.unit.test_waits import MS, analyse, waits


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


def test_polls_between_which_the_program_computes_are_no_wait(tmp_path: Path) -> None:
    """1000 polls, and 4 us of work between each two of them."""
    trace = MadeTrace(2)
    trace.call(0, "Irecv", 20, 30, source=1, source_tag=3, request=0)
    runs: dict[str, Any] = {"times": 1000, "polling_ns": 1 * MS, "found": False}
    trace.call(0, "Test", 1 * MS, 6 * MS, requests=[0], **runs)
    trace.call(0, "Test", 6 * MS + 300, 6 * MS + 400, requests=[0], completed=[0])
    trace.call(1, "Send", 5 * MS, 5 * MS + 90, peer=0, tag=3, bytes=0)

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 0) == {}
    assert analysis.ranks[0].mpi_ns == 1 * MS + 110


def test_polls_of_several_things_are_one_spin(tmp_path: Path) -> None:
    """In turn, of a barrier and for a message: what comes first ends the wait."""
    trace = MadeTrace(2)
    trace.call(0, "Ibarrier", 100, 200, request=0)
    polls = 300
    for n in range(polls):
        begin = 1000 + 1000 * n
        trace.call(0, "Iprobe", begin, begin + 300, found=False, source=ANY, source_tag=0)
        trace.call(0, "Test", begin + 500, begin + 800, found=False, requests=[0])
    end = 1000 + 1000 * polls
    trace.call(0, "Iprobe", end, end + 300, source=ANY, source_tag=0, matched_source=1)
    trace.call(0, "Recv", end + 500, end + 600, source=1, source_tag=0)
    trace.call(0, "Test", end + 700, end + 5000, requests=[0], completed=[0])
    trace.call(1, "Send", 250_000, 250_100, peer=0, tag=0, bytes=0)
    trace.call(1, "Ibarrier", end + 900, end + 950, request=0)
    trace.call(1, "Wait", end + 1000, end + 5000, requests=[0], completed=[0])

    analysis = analyse(trace, tmp_path)

    assert waits(analysis, 0) == {"late_sender": 249_000, "barrier": 200}
    assert analysis.critical_path_ns == end + 5000 - 100
