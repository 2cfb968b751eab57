"""A trace in Perfetto's format, decoded by Perfetto's own classes."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as perfetto

from tests.synthetic_jobs import mixed
from waywiser.native._native import export_trace

BEGIN = perfetto.TrackEvent.TYPE_SLICE_BEGIN
END = perfetto.TrackEvent.TYPE_SLICE_END


@dataclass
class Slice:
    track: int
    name: str
    begin_ns: int
    end_ns: int
    tails: list[int]
    heads: list[int] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)


@dataclass
class Decoded:
    processes: dict[int, str]
    threads: dict[int, tuple[int, str]]
    """Process and name of each track."""
    slices: list[Slice]

    def named(self, name: str, process: str) -> list[Slice]:
        return [
            span
            for span in self.slices
            if span.name == name and self.processes[self.threads[span.track][0]] == process
        ]


def decoded(path: Path) -> Decoded:
    """Slices of all tracks. Fails where an end has no begin or a number is not interned."""
    trace = perfetto.Trace()
    trace.ParseFromString(path.read_bytes())
    result = Decoded({}, {}, [])
    texts: dict[int, dict[str, dict[int, str]]] = defaultdict(lambda: defaultdict(dict))
    tracks: dict[int, int] = {}
    open_slices: dict[int, list[Slice]] = defaultdict(list)
    for packet in trace.packet:
        sequence = packet.trusted_packet_sequence_id
        known = texts[sequence]
        for kind in ("event_names", "debug_annotation_names", "event_categories"):
            for entry in getattr(packet.interned_data, kind):
                known[kind][entry.iid] = entry.name
        for entry in packet.interned_data.debug_annotation_string_values:
            known["values"][entry.iid] = entry.str.decode()
        if packet.HasField("trace_packet_defaults"):
            tracks[sequence] = packet.trace_packet_defaults.track_event_defaults.track_uuid
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            if track.HasField("process"):
                result.processes[track.process.pid] = track.process.process_name
            else:
                result.threads[track.uuid] = (track.thread.pid, track.thread.thread_name)
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        track_number = tracks[sequence]
        if event.type == BEGIN:
            assert [known["event_categories"][i] for i in event.category_iids] == ["MPI"]
            notes = {
                known["debug_annotation_names"][note.name_iid]: known["values"][
                    note.string_value_iid
                ]
                if note.HasField("string_value_iid")
                else note.int_value
                for note in event.debug_annotations
            }
            open_slices[track_number].append(
                Slice(
                    track_number,
                    known["event_names"][event.name_iid],
                    packet.timestamp,
                    -1,
                    list(event.flow_ids),
                    notes=notes,
                )
            )
        else:
            assert event.type == END
            done = open_slices[track_number].pop()
            done.end_ns = packet.timestamp
            done.heads = list(event.terminating_flow_ids)
            result.slices.append(done)
    assert not any(open_slices.values())
    return result


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Decoded:
    directory = tmp_path_factory.mktemp("perfetto")
    mixed().write(directory / "trace.ww")
    export_trace(str(directory / "trace.ww"), "perfetto", str(directory / "job.pftrace"))
    return decoded(directory / "job.pftrace")


def test_a_rank_is_a_process_and_a_thread_a_track(job: Decoded) -> None:
    names = {number: job.processes[process] for number, (process, _) in job.threads.items()}

    assert sorted(names.values()) == [
        *("rank 0 on node0", "rank 1 on node0", "rank 1 on node0", "rank 2 on node1")
    ]
    assert Counter(name for _, name in job.threads.values()) == {"thread 0": 3, "thread 1": 1}


def test_slices_are_the_calls(job: Decoded) -> None:
    calls = Counter(span.name for span in job.slices)

    assert len(job.slices) == 8 + 10 + 6
    assert calls["MPI_Irecv"] == 2
    assert calls["MPI_Allreduce"] == 3
    (polls,) = job.named("MPI_Test", "rank 1 on node0")
    assert (polls.begin_ns, polls.end_ns) == (600, 1000)
    assert (polls.notes["polls"], polls.notes["ns in polls"]) == (9, 90)
    (send,) = job.named("MPI_Send", "rank 2 on node1")
    assert send.notes == {
        "peer": 1,
        "tag": 9,
        "bytes": 16,
        "communicator": "MPI_COMM_WORLD",
        "call site": 'solve, "fast" at cg.c:131',
    }


def test_peers_are_world_ranks(job: Decoded) -> None:
    (exchange,) = job.named("MPI_Sendrecv", "rank 0 on node0")

    assert (exchange.notes["peer"], exchange.notes["source"]) == (2, 2)


def test_an_arrow_goes_from_each_send_to_where_its_receive_completed(job: Decoded) -> None:
    arrows = Counter[tuple[str, int, str, int]]()
    tails = {
        flow: span for span in job.slices for flow in span.tails if span.name not in COLLECTIVES
    }
    heads = {flow: span for span in job.slices for flow in span.heads}
    for flow, tail in tails.items():
        assert tail.begin_ns < heads[flow].end_ns
        arrows[tail.name, tail.notes["bytes"], heads[flow].name, heads[flow].begin_ns] += 1

    assert set(tails) == set(heads)
    # The receive from any source was posted first, and so got the first message, though its
    # Wait came last.
    assert arrows == {
        ("MPI_Isend", 64, "MPI_Wait", 2310): 1,
        ("MPI_Isend", 128, "MPI_Wait", 1010): 1,
        ("MPI_Send", 16, "MPI_Recv", 2500): 1,
        ("MPI_Sendrecv", 8, "MPI_Sendrecv", 3500): 1,
        ("MPI_Sendrecv", 8, "MPI_Sendrecv", 3600): 1,
    }


COLLECTIVES = {"MPI_Allreduce", "MPI_Bcast"}


def test_a_flow_joins_the_calls_of_a_collective(job: Decoded) -> None:
    flows = defaultdict(list)
    for span in job.slices:
        if span.name in COLLECTIVES:
            (flow,) = span.tails
            flows[flow].append(span.name)

    assert sorted(flows.values()) == [["MPI_Allreduce"] * 3, ["MPI_Bcast"] * 2]


def test_a_window_has_the_calls_that_it_touches(tmp_path: Path) -> None:
    mixed().write(tmp_path / "trace.ww")

    export_trace(str(tmp_path / "trace.ww"), "perfetto", str(tmp_path / "part"), 2350, 2500)

    names = sorted(span.name for span in decoded(tmp_path / "part").slices)
    assert names == ["MPI_Wait", "MPI_Waitall"]
