"""Compares a trace, call by call, with what tests/recordings.py reads of the same run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.recordings import Call, Recording
from waywiser.native._native import TraceFile, merge_recordings

SCALARS = (
    *("action", "found", "object", "created", "peer", "tag", "source", "source_tag"),
    *("matched_source", "matched_tag", "request", "message", "detail", "bytes", "posted"),
)
LISTS = ("requests", "completed", "counts")
ROUNDING_NS = 2


def merged(run: Path) -> TraceFile:
    """The trace of a run's parts, which stay as they are."""
    states = [*(run / "parts").glob("*.states"), *(run / "parts").glob("*.state")]
    calls = (run / "parts").glob("*.calls")
    path = run / "trace" / "trace.ww"
    held = merge_recordings(
        [str(state) for state in states],
        [str(file) for file in calls],
        str(path),
        lambda sites: [""] * len(sites),
    )
    assert held.recorded
    assert held.lost == []
    return TraceFile(str(path))


def calls_of(trace: TraceFile, stream: int) -> Iterator[dict[str, Any]]:
    """The calls of a stream, each as a dictionary."""
    functions = trace.job.functions
    for chunk in trace.calls(stream, most=1000):
        columns = {name: column.tolist() for name, column in chunk.items()}
        begins = dict.fromkeys(LISTS, 0)
        for i in range(len(columns["begin_ns"])):
            call: dict[str, Any] = {name: columns[name][i] for name in SCALARS}
            call["function"] = functions[columns["function"][i]]
            call["times"] = columns["times"][i]
            call["begin_ns"], call["end_ns"] = columns["begin_ns"][i], columns["end_ns"][i]
            for name in LISTS:
                end = columns[f"{name}_end"][i]
                call[name] = columns[name][begins[name] : end]
                begins[name] = end
            yield call


def recorded(call: Call, recording: Recording) -> dict[str, Any]:
    """A recorded call in the same form, but for its times."""
    fields: dict[str, Any] = {name: call.key[name] for name in SCALARS}
    fields["function"] = call.function
    fields["times"] = call.times
    for name in LISTS:
        fields[name] = recording.lists[call.key[name]] if call.key[name] else []
    return fields


def assert_same_calls(trace: TraceFile, recordings: list[Recording]) -> None:
    """Every call with all its parameters, in its order; the times are those of the recording, by
    one clock for each process."""
    expected = {
        (recording.rank, thread): (recording, stream.calls)
        for recording in recordings
        for thread, stream in recording.streams.items()
    }
    assert [(stream.rank, stream.thread) for stream in trace.job.streams] == sorted(expected)
    for number, stream in enumerate(trace.job.streams):
        recording, calls = expected[stream.rank, stream.thread]
        unfolded = list(calls_of(trace, number))
        times = [(call.pop("begin_ns"), call.pop("end_ns")) for call in unfolded]
        assert unfolded == [recorded(call, recording) for call in calls]
        assert stream.calls == sum(call.times for call in calls)
        if not calls:
            continue
        ticks = [(call.begin, call.end) for call in calls]
        rate = (times[-1][1] - times[0][0]) / (ticks[-1][1] - ticks[0][0])
        for (begin_ns, end_ns), (begin, end) in zip(times, ticks, strict=True):
            assert abs(times[0][0] + (begin - ticks[0][0]) * rate - begin_ns) <= ROUNDING_NS
            assert abs(times[0][0] + (end - ticks[0][0]) * rate - end_ns) <= ROUNDING_NS
