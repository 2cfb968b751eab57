"""OTF2: our traces go there and come back the same, and another reader accepts them."""

from __future__ import annotations

import importlib.util
import random
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.job import Job
from tests.native_records import record, stride
from tests.support import assert_refuses
from waywiser.cli.main import main
from waywiser.errors import InvalidCommand, InvalidRun, ToolMissing
from waywiser.extras import install_command
from waywiser.native._native import (
    Action,
    CallSite,
    Completion,
    ObjectKind,
    TraceObject,
    TraceParameters,
    TraceWriter,
)
from waywiser.store import otf2 as store
from waywiser.store.directory import RunDirectory

NAMES = """
Send Isend Recv Irecv Sendrecv Send_init Recv_init Startall Waitall Testsome Cancel Request_free
Mprobe Mrecv Allreduce Bcast Reduce Ialltoallv Comm_split Comm_free Win_create Win_free Put Get
Fetch_and_op Win_fence Win_lock File_write_all Pcontrol Comm_rank Finalize X_made_up
"""
FUNCTIONS = [f"MPI_{name}" for name in NAMES.split()]
ACTIONS = [value for name, value in vars(Action).items() if name[0] != "_" and name.islower()]


def objects() -> list[TraceObject]:
    """A communicator, one of every second rank, an intercommunicator, one of unknown members, a
    window, a file."""
    result = [TraceObject() for _ in range(6)]
    for context, trace_object in enumerate(result):
        trace_object.context = 2**63 + context
        trace_object.size = 4
        trace_object.members = [stride(0, 1, 4)]
    result[0].name = "MPI_COMM_WORLD"
    result[1].size, result[1].members = 2, [stride(1, 2, 2)]
    result[1].name = "a tab\t, a\nbreak, a \\n"
    result[2].intercommunicator, result[2].size = True, 2
    result[2].members, result[2].own_group = [stride(0, 1, 2)], [stride(3, -1, 2)]
    result[3].members = []
    result[4].kind, result[5].kind = ObjectKind.window, ObjectKind.file
    return result


def any_parameters(rng: random.Random) -> TraceParameters:
    """Whatever the model can hold, whether or not a program could do it."""
    result = TraceParameters()
    result.function = rng.randrange(len(FUNCTIONS))
    result.site = rng.randrange(3)
    result.action = rng.choice(ACTIONS)
    result.found = rng.random() < 0.8
    for name in ("object", "created"):
        setattr(result, name, rng.choice([-5, -1, 0, 0, 0, 1, 2, 3, 4, 5, 6]))
    for name in ("peer", "source", "matched_source"):
        setattr(result, name, rng.choice([-4, -3, -2, -1, 0, 1]))
    for name in ("tag", "source_tag", "matched_tag"):
        setattr(result, name, rng.choice([-2, -1, 0, 7, 2**31 - 1]))
    result.request = rng.choice([-1, -1, 0, 1, 2, 70000])
    result.message = rng.choice([-1, -1, 3])
    result.detail = rng.choice([0, 0, 2, -(2**40)])
    result.bytes = rng.choice([0, 8, 2**40, rng.randrange(10**6)])
    result.posted = rng.choice([0, 8, rng.randrange(10**6)])
    if rng.random() < 0.5:
        result.requests = [rng.choice([-5, -1, 0, 1, 2, 70000]) for _ in range(rng.randrange(1, 5))]
        indices = sorted(
            rng.sample(range(len(result.requests)), rng.randrange(len(result.requests) + 1))
        )
        result.completed = [
            Completion(i, rng.choice([-1, 1]), rng.choice([-1, 7])) for i in indices
        ]
    if rng.random() < 0.2:
        result.counts = [rng.randrange(2**50) for _ in range(4)]
    return result


def write_trace(path: Path, calls: int, seed: int) -> None:
    """Four ranks of which the third left nothing; the first has two threads."""
    rng = random.Random(seed)
    path.parent.mkdir(parents=True)
    writer = TraceWriter(str(path))
    for name in FUNCTIONS:
        writer.function(name)
    for address, place in ((16, "solve at cg.c:131"), (2**64 - 1, "")):
        writer.call_site(record(CallSite, module="/opt/a b\\c", address=address, place=place))
    numbers = [writer.object(trace_object) for trace_object in objects()]
    numbers.append(numbers[1])  # an object may have two numbers
    for rank in (0, 1, 3):
        writer.add_rank(rank, f"node{rank // 2}", numbers)
    for rank, thread in ((0, 0), (0, 1), (1, 0), (3, 0)):
        writer.begin_stream(rank, thread)
        now = rng.randrange(1000)
        for _ in range(calls):
            duration, times = rng.choice([0, 5, 10**9]), rng.choice([1, 1, 1, 5])
            writer.append(any_parameters(rng), now, now + duration, times, duration // 2)
            now += duration + rng.randrange(100)
    writer.finish()


def write_exchange(path: Path, laps: int) -> None:
    """Two ranks exchange messages, wait for them, poll in vain, and reduce."""
    job = Job(2, hosts=["node", "node"])

    def call(name: str, now: int, **values: Any) -> None:
        job.call(rank, name, now, now + 10, **values)

    for rank in range(2):
        for lap in range(laps):
            now = lap * 100
            receive = {"source": 1 - rank, "source_tag": 4, "posted": 80}
            send = {"peer": 1 - rank, "tag": 4, "bytes": 80}
            both = {"object": -1, "requests": [0, 1]}
            call("Irecv", now, request=0, **receive)
            call("Isend", now + 10, request=1, **send)
            call("Testall", now + 20, found=False, **both)
            call("Waitall", now + 30, completed=[0, 1], **both)
            call("Bcast", now + 40, peer=1, bytes=8 * rank, posted=8 * (1 - rank))
            call("Sendrecv", now + 50, **receive, **send)
    job.write(path)


@pytest.mark.parametrize("seed", range(3))
def test_a_trace_comes_back_the_same(tmp_path: Path, seed: int) -> None:
    """Calls of all streams with their times, and all that ranks share, are the same to the byte."""
    run = tmp_path / "run"
    write_trace(run / "trace" / "trace.ww", calls=500, seed=seed)

    assert main(["export", str(run), "--to", "otf2", "-o", str(tmp_path / "otf2")]) == 0
    anchor = tmp_path / "otf2" / "traces.otf2"
    assert main(["import", str(anchor), "--from", "otf2", "-o", str(tmp_path / "back")]) == 0

    back = tmp_path / "back" / "trace" / "trace.ww"
    assert back.read_bytes() == (run / "trace" / "trace.ww").read_bytes()
    assert RunDirectory(tmp_path / "back").read_run().imported_from == str(anchor)


def printed(anchor: Path, *options: str) -> list[str]:
    """Lines of Debian's reader, which complains about what it does not accept."""
    if shutil.which("otf2-print") is None:
        pytest.skip("needs otf2-print (Debian package otf2-tools)")
    done = subprocess.run(
        ["otf2-print", *options, str(anchor)],
        capture_output=True,
        text=True,
        check=True,
        timeout=200,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_debians_reader_finds_every_record(tmp_path: Path) -> None:
    laps = 7
    write_exchange(tmp_path / "run" / "trace" / "trace.ww", laps)

    store.export_otf2(tmp_path / "run", tmp_path / "otf2")

    lines = printed(tmp_path / "otf2" / "traces.otf2")
    counts = Counter(line.split(maxsplit=1)[0] for line in lines if line[:1].isupper())
    assert counts == {
        "Event": 1,
        "ENTER": 2 * 6 * laps,
        "LEAVE": 2 * 6 * laps,
        "MPI_IRECV_REQUEST": 2 * laps,
        "MPI_ISEND": 2 * laps,
        "MPI_REQUEST_TEST": 2 * 2 * laps,
        "MPI_IRECV": 2 * laps,
        "MPI_ISEND_COMPLETE": 2 * laps,
        "MPI_COLLECTIVE_BEGIN": 2 * laps,
        "MPI_COLLECTIVE_END": 2 * laps,
        "MPI_SEND": 2 * laps,
        "MPI_RECV": 2 * laps,
    }
    # OTF2's writers count a collective's bytes once for each destination.
    ends = [line for line in lines if line.startswith("MPI_COLLECTIVE_END") and "Sent: 16" in line]
    assert len(ends) == laps


def test_debians_reader_accepts_whatever_a_trace_holds(tmp_path: Path) -> None:
    write_trace(tmp_path / "run" / "trace" / "trace.ww", calls=300, seed=11)

    store.export_otf2(tmp_path / "run", tmp_path / "otf2")

    lines = printed(tmp_path / "otf2" / "traces.otf2")
    assert sum(line.startswith("ENTER") for line in lines) == 4 * 300
    assert not [line for line in lines if "INVALID" in line]


def test_a_place_without_a_name_is_written_as_reports_do(tmp_path: Path) -> None:
    write_trace(tmp_path / "run" / "trace" / "trace.ww", calls=20, seed=1)

    store.export_otf2(tmp_path / "run", tmp_path / "otf2")

    strings = [
        line for line in printed(tmp_path / "otf2" / "traces.otf2", "-G") if "STRING" in line
    ]
    assert any('"/opt/a b\\c+0xffffffffffffffff"' in line for line in strings), strings
    assert any('"solve at cg.c:131"' in line for line in strings)


def test_what_is_no_otf2_trace_is_reported_in_one_sentence(tmp_path: Path) -> None:
    text = tmp_path / "text.otf2"
    text.write_text("OTF?")
    for file, says in ((text, "is not an OTF2 trace"), (tmp_path / "none.otf2", "file not found")):
        words = ["import", file, "--from", "otf2", "-o", tmp_path / "run"]
        assert_refuses(words, says)
        assert not (tmp_path / "run").exists()


def test_an_existing_directory_is_left_alone(tmp_path: Path) -> None:
    write_exchange(tmp_path / "run" / "trace" / "trace.ww", 1)
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "file").touch()

    with pytest.raises(InvalidCommand, match="exists already"):
        store.export_otf2(tmp_path / "run", taken)
    with pytest.raises(InvalidRun, match="has no trace"):
        store.export_otf2(taken, tmp_path / "otf2")


def test_without_the_library_its_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(store, "DEBIANS", "libopen-trace-format2.so.none")

    with pytest.raises(ToolMissing, match=re.escape(install_command("otf2"))):
        store.library()


def test_a_damaged_file_of_events_leaves_the_calls_before(tmp_path: Path) -> None:
    write_exchange(tmp_path / "run" / "trace" / "trace.ww", 2000)
    store.export_otf2(tmp_path / "run", tmp_path / "otf2")
    events = tmp_path / "otf2" / "traces" / "1.evt"
    events.write_bytes(events.read_bytes()[: events.stat().st_size // 2])

    imported = store.import_otf2(tmp_path / "otf2" / "traces.otf2", tmp_path / "back")

    assert 12_000 <= imported.calls < 24_000
