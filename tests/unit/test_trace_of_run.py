"""A run with a trace: its timeline and its waits as reports get them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.job import Job
from waywiser.errors import InvalidCommand, InvalidRun
from waywiser.model.timeline import KINDS
from waywiser.report.run.timeline import caption, table
from waywiser.store.timeline import read_timeline
from waywiser.store.waits import read_waits

MS = 1_000_000


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Rank 1 waits 10 ms for a message that rank 0 sends late."""
    job = Job(2)
    for rank in range(2):
        job.call(rank, "Init", 0, MS)
    job.call(0, "Send", 12 * MS, 12 * MS + 1000, peer=1, tag=7, bytes=8, site=12)
    job.call(1, "Recv", 2 * MS, 12 * MS + 3000, source=0, source_tag=7, posted=8, site=13)
    for rank in range(2):
        job.call(rank, "Finalize", 20 * MS, 21 * MS)
    (tmp_path / "trace").mkdir()
    job.write(tmp_path / "trace" / "trace.ww")
    return tmp_path


def test_a_timeline_has_all_time_all_calls_and_the_message(run: Path) -> None:
    timeline = read_timeline(run)

    assert timeline is not None
    assert (timeline.all_calls, timeline.merged_calls) == (6, 0)
    by_kind = dict(zip(KINDS, timeline.grids[0].ns.sum(axis=(0, 1)).tolist(), strict=True))
    in_mpi = {"Point to point": 10 * MS + 4000, "Other MPI": 4 * MS}
    assert {kind: ns for kind, ns in by_kind.items() if ns} == {
        "Computation": 2 * 21 * MS - sum(in_mpi.values()),
        **in_mpi,
    }
    ends = {name: column.tolist() for name, column in timeline.arrows.items()}
    assert ends == {
        "from": [0],
        "to": [1],
        "sent_ns": [12 * MS],
        "received_ns": [12 * MS + 3000],
        "bytes": [8],
    }
    assert "2 ranks against time, 21 ms with 6 calls." in caption(timeline)
    assert table(timeline).rows[1][:3] == (1, 0.008_997, 0.010_003)


def test_a_window_has_the_calls_that_touch_it(run: Path) -> None:
    timeline = read_timeline(run, (0.0015, 0.0125))

    assert timeline is not None
    names = [timeline.functions[i] for i in timeline.calls["function"]]
    assert names == ["MPI_Send", "MPI_Recv"]
    assert timeline.grids[0].ns.sum() == 2 * 11 * MS
    assert np.array_equal(timeline.calls["stream"], [0, 1])
    assert "0.0015 to 0.0125 s of the trace" in caption(timeline)


@pytest.mark.parametrize("window", [(0.03, 0.04), (0.005, 0.005), (0.01, 0.002), (-2.0, -1.0)])
def test_a_window_without_anything_says_what_there_is(
    run: Path, window: tuple[float, float]
) -> None:
    with pytest.raises(InvalidCommand, match=r"--window .*: has nothing .* from 0 to 0\.021 s"):
        read_timeline(run, window)


def test_a_run_without_a_trace_has_neither(tmp_path: Path) -> None:
    assert read_timeline(tmp_path) is None
    assert read_waits(tmp_path) is None
    with pytest.raises(InvalidCommand, match="waywiser profile --trace"):
        read_timeline(tmp_path, (0.0, 1.0))


def test_a_damaged_trace_is_named(tmp_path: Path) -> None:
    (tmp_path / "trace").mkdir()
    (tmp_path / "trace" / "trace.ww").write_bytes(b"no trace")

    with pytest.raises(InvalidRun, match=r"trace\.ww"):
        read_timeline(tmp_path)
    with pytest.raises(InvalidRun, match=r"trace\.ww"):
        read_waits(tmp_path)


def test_waits_are_found_once_and_kept_beside_the_trace(run: Path) -> None:
    kept = run / "trace" / "waits.json"

    waits = read_waits(run)

    assert waits is not None
    [cause] = waits.causes
    assert (cause.wait, cause.causing_rank, cause.seconds) == ("late_sender", 0, 0.01)
    assert cause.after.place == "main at made.c:12"
    assert waits.pairs == ((1, 0, 0.01, 1),)
    assert read_waits(run) == waits

    kept.write_text(kept.read_text().replace('"late_sender"', '"late_receiver"'))
    again = read_waits(run)
    assert again is not None
    assert again.causes[0].wait == "late_receiver", "it was kept"
    kept.write_text('{"format_version": 0}')
    assert read_waits(run) == waits, "another version is made anew"
