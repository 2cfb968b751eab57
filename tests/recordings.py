"""Reads what the profiler has recorded of a trace (native/trace/records/recording.hpp), for tests:
call by call, without the reader that is tested elsewhere."""

from __future__ import annotations

import ctypes
import time
import uuid
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support import MpiLibrary
from waywiser.native import PROFILER, SHIM

HEADER_BYTES = 4096
CHUNK_BYTES = 64 * 1024
VARIED, POLLS, FIRST_ID = 1, 2, 8
NONE, ANY, NOBODY = -1, -2, -3


class Struct(ctypes.LittleEndianStructure):
    def __getattr__(self, name: str) -> Any:  # for mypy: fields are made by ctypes
        raise AttributeError(name)


def fields(names: str, kind: Any) -> list[tuple[str, Any]]:
    return [(name, kind) for name in names.split()]


class Header(Struct):
    _fields_ = [
        ("magic", ctypes.c_char * 8),
        *fields("header_bytes chunk_bytes", ctypes.c_uint32),
        ("chunks", ctypes.c_uint64),
        *fields("pid phase", ctypes.c_uint32),
        *fields("world_rank world_size abi thread_level", ctypes.c_int32),
    ]


class RecordHeader(Struct):
    _fields_ = fields("kind bytes thread reserved", ctypes.c_uint32)


class Key(Struct):
    _fields_ = [
        ("caller", ctypes.c_uint64),
        ("function", ctypes.c_uint16),
        ("action", ctypes.c_uint8),
        ("found", ctypes.c_uint8),
        *fields("object peer tag source source_tag", ctypes.c_int32),
        *fields("bytes posted", ctypes.c_uint64),
        *fields("request message matched_source matched_tag", ctypes.c_int32),
        *fields("requests completed counts", ctypes.c_uint32),
        ("created", ctypes.c_int32),
        ("detail", ctypes.c_int64),
    ]


class SignatureRecord(Struct):
    _fields_ = [
        ("header", RecordHeader),
        *fields("id module address", ctypes.c_uint64),
        ("key", Key),
    ]


class ListRecord(Struct):
    _fields_ = [("header", RecordHeader), *fields("id used", ctypes.c_uint64)]


STREAM_NUMBERS = (
    "sequence begin_ticks last_ticks calls dropped_calls used "
    "polls polls_signature polls_begin_ticks polls_end_ticks polls_ticks lost_calls lost_reason"
)


class StreamRecord(Struct):
    _fields_ = [("header", RecordHeader), *fields(STREAM_NUMBERS, ctypes.c_uint64)]


class FunctionRecord(Struct):
    _fields_ = [
        ("header", RecordHeader),
        ("id", ctypes.c_uint64),
        ("name", ctypes.c_char * 48),
        ("phase", ctypes.c_int64),
        *fields("bytes receive_bytes pending pending_ticks max_ticks sync_ticks", ctypes.c_uint64),
        ("bins", ctypes.c_uint64 * 2 * 66),
    ]


class ObjectRecord(Struct):
    _fields_ = [
        ("header", RecordHeader),
        *fields("id kind context communicator", ctypes.c_uint64),
        ("own_rank", ctypes.c_int64),
        ("name", ctypes.c_char * 64),
    ]


class CallsHeader(Struct):
    _fields_ = [
        ("magic", ctypes.c_char * 8),
        *fields("pid thread", ctypes.c_uint32),
        *fields("process_start sequence begin_ticks bytes", ctypes.c_uint64),
        *fields("checksum reserved", ctypes.c_uint32),
    ]


KINDS = {1: FunctionRecord, 12: SignatureRecord, 13: ListRecord, 14: ObjectRecord, 15: StreamRecord}

VARYING = (
    *("peer", "tag", "source", "source_tag", "bytes", "posted", "request", "message"),
    *("matched_source", "matched_tag", "requests", "completed", "counts", "created", "detail"),
    *("found", "object", "action"),
)


@dataclass(frozen=True)
class Call:
    """A call, or polls in a row that found nothing."""

    function: str
    key: dict[str, int]
    begin: int
    """[ticks]"""
    end: int
    times: int = 1
    varied: bool = False

    def __getattr__(self, name: str) -> int:
        try:
            return self.key[name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass
class Stream:
    calls: list[Call] = field(default_factory=list)
    counted: int = 0
    """Number of calls, as the stream itself counts them."""
    dropped: int = 0


@dataclass
class Profiled:
    """A function in the profile."""

    calls: int = 0
    pending: int = 0
    bytes: int = 0
    posted: int = 0

    def add(self, record: Any) -> None:
        self.calls += record.pending + sum(calls for calls, _ in record.bins)
        self.pending += record.pending
        self.bytes += record.bytes
        self.posted += record.receive_bytes


@dataclass
class Recording:
    rank: int
    pid: int
    streams: dict[int, Stream] = field(default_factory=dict)
    lists: dict[int, list[int]] = field(default_factory=dict)
    objects: dict[int, Any] = field(default_factory=dict)
    """ObjectRecord of each communicator, window and file."""
    signatures: int = 0
    profile: dict[str, Profiled] = field(default_factory=dict)

    @property
    def calls(self) -> list[Call]:
        """Calls of the first thread."""
        return self.streams[0].calls

    def traced(self) -> dict[str, Profiled]:
        """The expected profile, from the calls."""
        profile: dict[str, Profiled] = {}
        for stream in self.streams.values():
            for call in stream.calls:
                of = profile.setdefault(call.function, Profiled())
                of.calls += call.times
                of.pending += 0 if call.found else call.times
                # What a request's starts send is counted when they do.
                if call.function.removesuffix("_c").endswith("_init"):
                    continue
                of.bytes += call.bytes
                of.posted += call.posted
        return profile


def integers(data: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0
    assert shift == 0, "the buffer ends within an integer"


def records(state: bytes, chunks: int) -> Iterator[tuple[Any, bytes]]:
    """Records of the kinds above, and what follows each in its bytes."""
    for chunk in range(chunks):
        at = HEADER_BYTES + chunk * CHUNK_BYTES
        end = min(at + CHUNK_BYTES, len(state))
        while at + ctypes.sizeof(RecordHeader) <= end:
            header = RecordHeader.from_buffer_copy(state, at)
            if header.bytes == 0:
                break
            kind = KINDS.get(header.kind)
            if kind is not None:
                yield (
                    kind.from_buffer_copy(state, at),
                    state[at + ctypes.sizeof(kind) : at + header.bytes],
                )
            at += header.bytes


def buffers(parts: Path, pid: int) -> dict[int, dict[int, CallsHeader]]:
    """Thread -> sequence -> the buffer's header, with its bytes as `data`."""
    headers: defaultdict[int, dict[int, Any]] = defaultdict(dict)
    for file in parts.glob(f"*-{pid}.calls"):
        data = file.read_bytes()
        at = 0
        while at < len(data):
            header = CallsHeader.from_buffer_copy(data, at)
            assert header.magic == b"WWCALLS1"
            at += ctypes.sizeof(CallsHeader)
            header.data = data[at : at + header.bytes]
            assert zlib.crc32(header.data) == header.checksum
            headers[header.thread][header.sequence] = header
            at += header.bytes
    return headers


class Decoder:
    def __init__(self, functions: dict[int, str], keys: dict[int, dict[str, int]]) -> None:
        self.functions = functions
        self.keys = keys

    def call(self, key: dict[str, int], begin: int, end: int, **more: Any) -> Call:
        return Call(self.functions[key["function"]], key, begin, end, **more)

    def decode(self, data: bytes, now: int) -> Iterator[Call]:
        numbers = integers(data)
        for first in numbers:
            times, varied = 1, first == VARIED
            number = first - FIRST_ID if first >= FIRST_ID else next(numbers)
            key = self.keys[number]
            if varied:
                mask = next(numbers)
                key = dict(key)
                for bit, name in enumerate(VARYING):
                    if mask >> bit & 1:
                        zigzag = next(numbers)
                        key[name] += zigzag >> 1 ^ -(zigzag & 1)
            elif first == POLLS:
                times = next(numbers)
            begin = now + next(numbers)
            now = begin + next(numbers)
            if first == POLLS:
                assert next(numbers) <= now - begin or times > 1
            yield self.call(key, begin, now, times=times, varied=varied)


def read_state(state: bytes, header: Header, parts: Path) -> Recording:
    recording = Recording(header.world_rank, header.pid)
    functions: dict[int, str] = {}
    keys: dict[int, dict[str, int]] = {}
    streams: list[tuple[Any, bytes]] = []
    for record, rest in records(state, header.chunks):
        if isinstance(record, FunctionRecord):
            name = functions[record.id] = record.name.decode()
            recording.profile.setdefault(name, Profiled()).add(record)
        elif isinstance(record, SignatureRecord):
            keys[record.id] = {field[0]: getattr(record.key, field[0]) for field in Key._fields_}
        elif isinstance(record, ObjectRecord):
            recording.objects[record.id] = record
        elif isinstance(record, ListRecord):
            values = (ctypes.c_int64 * record.used).from_buffer_copy(rest)
            recording.lists.setdefault(record.id, []).extend(values)
        else:
            streams.append((record, rest))
    recording.signatures = len(keys)
    decoder = Decoder(functions, keys)
    of_file = buffers(parts, header.pid)
    for record, rest in streams:
        dropped = record.dropped_calls + record.lost_calls
        stream = Stream(counted=record.calls + record.polls, dropped=dropped)
        written = of_file.get(record.header.thread, {})
        assert sorted(written) == list(range(len(written)))
        for _, buffer in sorted(written.items()):
            stream.calls.extend(decoder.decode(buffer.data, buffer.begin_ticks))
        if record.sequence not in written:
            stream.calls.extend(decoder.decode(rest[: record.used], record.begin_ticks))
        if record.polls:
            stream.calls.append(
                decoder.call(
                    keys[record.polls_signature],
                    record.polls_begin_ticks,
                    record.polls_end_ticks,
                    times=record.polls,
                )
            )
        recording.streams[record.header.thread] = stream
    return recording


def record(
    mpi: MpiLibrary,
    directory: Path,
    ranks: int,
    *program: str | Path,
    options: str = "trace",
    check: bool = True,
    env: Mapping[str, str] | None = None,
    before: Sequence[str] = (),
) -> list[Recording]:
    """Runs a program with a recording of its own in `directory`, and reads it.

    Args:
        before: words of another command, which starts the profiled one.
    """
    run = directory / f"run-{uuid.uuid4().hex[:8]}"
    (run / "parts").mkdir(parents=True)
    state = Path("/dev/shm") / f"ww-test-{uuid.uuid4().hex[:8]}"
    shim = (SHIM, PROFILER, run, state, options)
    mpi.run(ranks, *before, *shim, *program, check=check, env=env)
    for _ in range(100):  # until the collector has saved the states of killed ranks
        if not state.exists():
            break
        time.sleep(0.1)
    return read_recordings(run)


def read_recordings(run: Path) -> list[Recording]:
    """The processes of a run that is not merged, by rank."""
    parts = run / "parts"
    recordings = []
    for file in [*parts.glob("*.states"), *parts.glob("*.state")]:
        data = file.read_bytes()
        at = 0
        while at + HEADER_BYTES <= len(data):
            header = Header.from_buffer_copy(data, at)
            if header.magic != b"WWSTATE4":
                at += HEADER_BYTES
                continue
            size = HEADER_BYTES + header.chunks * CHUNK_BYTES
            recordings.append(read_state(data[at : at + size], header, parts))
            at += size
    return sorted(recordings, key=lambda recording: recording.rank)
