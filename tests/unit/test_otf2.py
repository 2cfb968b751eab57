"""OTF2: our traces go there and come back the same; those of other tools are read."""

from __future__ import annotations

import csv
import importlib.util
import random
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import otf2
import pytest
from otf2.enums import (
    CollectiveOp,
    GroupType,
    LocationGroupType,
    LocationType,
    Paradigm,
    RegionRole,
)

from tests.support import assert_refuses
from waywiser.cli.main import main
from waywiser.errors import InvalidCommand, InvalidRun, ToolMissing
from waywiser.native._native import (
    Action,
    CallSite,
    Completion,
    ObjectKind,
    Stride,
    TraceObject,
    TraceParameters,
    TraceWriter,
)
from waywiser.store import otf2 as store
from waywiser.store.directory import RunDirectory

FUNCTIONS = (
    "MPI_Send",
    "MPI_Isend",
    "MPI_Recv",
    "MPI_Irecv",
    "MPI_Sendrecv",
    "MPI_Send_init",
    "MPI_Recv_init",
    "MPI_Startall",
    "MPI_Waitall",
    "MPI_Testsome",
    "MPI_Cancel",
    "MPI_Request_free",
    "MPI_Mprobe",
    "MPI_Mrecv",
    "MPI_Allreduce",
    "MPI_Bcast",
    "MPI_Reduce",
    "MPI_Ialltoallv",
    "MPI_Comm_split",
    "MPI_Comm_free",
    "MPI_Win_create",
    "MPI_Win_free",
    "MPI_Put",
    "MPI_Get",
    "MPI_Fetch_and_op",
    "MPI_Win_fence",
    "MPI_Win_lock",
    "MPI_File_write_all",
    "MPI_Pcontrol",
    "MPI_Comm_rank",
    "MPI_Finalize",
    "MPI_X_made_up",
)

ACTIONS = [value for name, value in vars(Action).items() if name[0] != "_" and name.islower()]


def stride(first: int, step: int, count: int) -> Stride:
    made = Stride()
    made.first, made.stride, made.count = first, step, count
    return made


def objects() -> list[TraceObject]:
    """A communicator, one of every second rank, an intercommunicator, one of unknown members, a
    window, a file."""
    made = [TraceObject() for _ in range(6)]
    for context, one in enumerate(made):
        one.context = 2**63 + context
        one.size = 4
        one.members = [stride(0, 1, 4)]
    made[0].name = "MPI_COMM_WORLD"
    made[1].size, made[1].members = 2, [stride(1, 2, 2)]
    made[1].name = "a tab\t, a\nbreak, a \\n"
    made[2].intercommunicator, made[2].size = True, 2
    made[2].members, made[2].own_group = [stride(0, 1, 2)], [stride(3, -1, 2)]
    made[3].members = []
    made[4].kind, made[5].kind = ObjectKind.window, ObjectKind.file
    return made


def any_parameters(rng: random.Random) -> TraceParameters:
    """Whatever the model can hold, whether or not a program could do it."""
    made = TraceParameters()
    made.function = rng.randrange(len(FUNCTIONS))
    made.site = rng.randrange(3)
    made.action = rng.choice(ACTIONS)
    made.found = rng.random() < 0.8
    for name in ("object", "created"):
        setattr(made, name, rng.choice([-5, -1, 0, 0, 0, 1, 2, 3, 4, 5, 6]))
    for name in ("peer", "source", "matched_source"):
        setattr(made, name, rng.choice([-4, -3, -2, -1, 0, 1]))
    for name in ("tag", "source_tag", "matched_tag"):
        setattr(made, name, rng.choice([-2, -1, 0, 7, 2**31 - 1]))
    made.request = rng.choice([-1, -1, 0, 1, 2, 70000])
    made.message = rng.choice([-1, -1, 3])
    made.detail = rng.choice([0, 0, 2, -(2**40)])
    made.bytes = rng.choice([0, 8, 2**40, rng.randrange(10**6)])
    made.posted = rng.choice([0, 8, rng.randrange(10**6)])
    if rng.random() < 0.5:
        made.requests = [rng.choice([-5, -1, 0, 1, 2, 70000]) for _ in range(rng.randrange(1, 5))]
        indices = sorted(
            rng.sample(range(len(made.requests)), rng.randrange(len(made.requests) + 1))
        )
        made.completed = [Completion(i, rng.choice([-1, 1]), rng.choice([-1, 7])) for i in indices]
    if rng.random() < 0.2:
        made.counts = [rng.randrange(2**50) for _ in range(4)]
    return made


def write_trace(path: Path, calls: int, seed: int) -> None:
    """Four ranks of which the third left nothing; the first has two threads."""
    rng = random.Random(seed)
    path.parent.mkdir(parents=True)
    writer = TraceWriter(str(path))
    for name in FUNCTIONS:
        writer.function(name)
    for address in (16, 2**64 - 1):
        site = CallSite()
        site.module, site.address, site.place = "/opt/a b\\c", address, "solve at cg.c:131"
        writer.call_site(site)
    numbers = [writer.object(one) for one in objects()]
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


@pytest.mark.parametrize("seed", range(3))
def test_a_trace_comes_back_the_same(tmp_path: Path, seed: int) -> None:
    """To the byte: every call of every stream with its times, and all that the ranks share."""
    run = tmp_path / "run"
    write_trace(run / "trace" / "trace.ww", calls=500, seed=seed)

    assert main(["export", str(run), "--to", "otf2", "-o", str(tmp_path / "otf2")]) == 0
    anchor = tmp_path / "otf2" / "traces.otf2"
    assert main(["import", str(anchor), "--from", "otf2", "-o", str(tmp_path / "back")]) == 0

    back = tmp_path / "back" / "trace" / "trace.ww"
    assert back.read_bytes() == (run / "trace" / "trace.ww").read_bytes()
    assert RunDirectory(tmp_path / "back").read_run().imported_from == str(anchor)


def write_ring(path: Path, laps: int) -> None:
    """Two ranks exchange messages, wait for them, poll in vain, and reduce."""
    path.parent.mkdir(parents=True)
    writer = TraceWriter(str(path))
    names = ("MPI_Isend", "MPI_Irecv", "MPI_Testall", "MPI_Waitall", "MPI_Bcast", "MPI_Sendrecv")
    functions = {name: writer.function(name) for name in names}
    world = objects()[0]
    world.size, world.members = 2, [stride(0, 1, 2)]
    number = writer.object(world)
    for rank in range(2):
        writer.add_rank(rank, "node", [number])

    def call(name: str, action: Action, now: int, **fields: object) -> None:
        parameters = TraceParameters()
        parameters.function, parameters.action = functions[name], action
        for field, value in fields.items():
            setattr(parameters, field, value)
        writer.append(parameters, now, now + 10)

    for rank in range(2):
        writer.begin_stream(rank, 0)
        for lap in range(laps):
            other, now = {"object": 0, "source": 1 - rank, "source_tag": 4, "posted": 80}, lap * 100
            call("MPI_Irecv", Action.receive, now, request=0, **other)
            to = {"object": 0, "peer": 1 - rank, "tag": 4, "bytes": 80}
            call("MPI_Isend", Action.send, now + 10, request=1, **to)
            call("MPI_Testall", Action.complete, now + 20, requests=[0, 1], found=False)
            both = [Completion(0), Completion(1)]
            call("MPI_Waitall", Action.complete, now + 30, requests=[0, 1], completed=both)
            root = {"object": 0, "peer": 1, "bytes": 8 * rank, "posted": 8 * (1 - rank)}
            call("MPI_Bcast", Action.collective, now + 40, **root)
            call("MPI_Sendrecv", Action.send_receive, now + 50, **(other | to))
    writer.finish()


def printed(anchor: Path) -> list[str]:
    """Lines of Debian's reader, which complains about what it does not accept."""
    if shutil.which("otf2-print") is None:
        pytest.skip("needs otf2-print (Debian package otf2-tools)")
    done = subprocess.run(
        ["otf2-print", str(anchor)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_debians_reader_finds_every_record(tmp_path: Path) -> None:
    laps = 7
    write_ring(tmp_path / "run" / "trace" / "trace.ww", laps)

    store.export_otf2(tmp_path / "run", tmp_path / "otf2")

    lines = printed(tmp_path / "otf2" / "traces.otf2")
    found = Counter(line.split(maxsplit=1)[0] for line in lines if line[:1].isupper())
    assert found == {
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


def write_by_package(folder: Path) -> Path:
    """A trace as another tool writes it: functions of the program, ticks of 2 ns, MPI's regions by
    Fortran's and TAU's names, a receive that is only known when it is over, two threads."""
    with otf2.writer.open(str(folder), timer_resolution=500_000_000) as archive:
        define = archive.definitions
        root = define.system_tree_node("cluster", "machine")
        node = define.system_tree_node("n7", "node", parent=root)
        regions = {
            name: define.region(name, paradigm=Paradigm.MPI, region_role=RegionRole.POINT2POINT)
            for name in ("MPI_Irecv", "mpi_isend_", "MPI_Waitall()", "MPI_ALLREDUCE", "MPI_Probe")
        }
        regions["solve"] = define.region("solve")
        groups = [
            define.location_group(
                f"process {rank}",
                location_group_type=LocationGroupType.PROCESS,
                system_tree_parent=node,
            )
            for rank in range(2)
        ]
        masters = [
            define.location("m", type=LocationType.CPU_THREAD, group=group) for group in groups
        ]
        helper = define.location("h", type=LocationType.CPU_THREAD, group=groups[1])
        # The second process is rank 0.
        define.group(
            "world",
            group_type=GroupType.COMM_LOCATIONS,
            paradigm=Paradigm.MPI,
            members=masters[::-1],
        )
        ranks = define.group(
            "ranks", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=[0, 1]
        )
        world = define.comm("MPI_COMM_WORLD", group=ranks)
        for rank, master in enumerate(masters[::-1]):
            write = archive.event_writer_from_location(master)
            other = 1 - rank
            write.enter(100, regions["solve"])
            write.enter(110, regions["MPI_Irecv"])
            write.mpi_irecv_request(111, 77)
            write.leave(120, regions["MPI_Irecv"])
            write.enter(130, regions["mpi_isend_"])
            write.mpi_isend(131, other, world, 5, 640, 78)
            write.leave(140, regions["mpi_isend_"])
            write.enter(150, regions["MPI_Waitall()"])
            write.mpi_isend_complete(159, 78)
            write.mpi_irecv(160, other, world, 5, 640, 77)
            write.leave(161, regions["MPI_Waitall()"])
            write.enter(170, regions["MPI_ALLREDUCE"])
            write.mpi_collective_begin(170)
            write.mpi_collective_end(180, CollectiveOp.ALLREDUCE, world, 0xFFFFFFFF, 16, 16)
            write.leave(180, regions["MPI_ALLREDUCE"])
            write.leave(200, regions["solve"])
        write = archive.event_writer_from_location(helper)
        write.enter(300, regions["MPI_Probe"])
        write.leave(310, regions["MPI_Probe"])
    return folder / "traces.otf2"


def calls_of(run: Path, tmp_path: Path) -> list[dict[str, str]]:
    table = tmp_path / "calls.csv"
    assert main(["export", str(run), "--to", "csv", "-o", str(table)]) == 0
    with table.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_trace_of_the_librarys_own_package_is_read(tmp_path: Path) -> None:
    anchor = write_by_package(tmp_path / "other")

    imported = store.import_otf2(anchor, tmp_path / "run")

    rows = calls_of(tmp_path / "run", tmp_path)
    assert imported.ranks == 2
    assert imported.calls == len(rows) == 9
    kept = ("rank", "thread", "function", "communicator", "peer", "tag", "source", "source_tag")
    keys = (*kept, "bytes", "posted_bytes", "request")
    found = [tuple(row[key] for key in keys) for row in rows]
    world = "MPI_COMM_WORLD"
    for rank, other in (("0", "1"), ("1", "0")):
        assert found[:4] == [
            (rank, "0", "MPI_Irecv", world, "", "", other, "5", "0", "640", "0"),
            (rank, "0", "MPI_Isend", world, other, "5", "", "", "640", "0", "1"),
            (rank, "0", "MPI_Waitall", "", "", "", "", "", "0", "0", ""),
            (rank, "0", "MPI_Allreduce", world, "", "", "", "", "16", "16", ""),
        ]
        found = found[5 if rank == "0" else 4 :]
    assert [row["function"] for row in rows if row["thread"] == "1"] == ["MPI_Probe"]
    first = [int(rows[0][key]) for key in ("begin_ns", "end_ns")]
    assert first[1] - first[0] == 20  # ten ticks


def test_what_is_no_otf2_trace_is_said_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.otf2"
    text.write_text("OTF?")
    for file, says in ((text, "is no OTF2 trace"), (tmp_path / "none.otf2", "no such file")):
        words = ["import", file, "--from", "otf2", "-o", tmp_path / "run"]
        assert_refuses(capsys, words, says)
        assert not (tmp_path / "run").exists()


def test_an_existing_folder_is_left_alone(tmp_path: Path) -> None:
    write_ring(tmp_path / "run" / "trace" / "trace.ww", 1)
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

    with pytest.raises(ToolMissing, match="pip install otf2"):
        store.library()


def test_a_damaged_file_of_events_leaves_the_calls_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_ring(tmp_path / "run" / "trace" / "trace.ww", 2000)
    store.export_otf2(tmp_path / "run", tmp_path / "otf2")
    events = tmp_path / "otf2" / "traces" / "1.evt"
    events.write_bytes(events.read_bytes()[: events.stat().st_size // 2])

    imported = store.import_otf2(tmp_path / "otf2" / "traces.otf2", tmp_path / "back")

    assert 12_000 <= imported.calls < 24_000


@pytest.mark.parametrize("seed", range(6))
def test_mutated_files_are_refused_or_read(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    anchor = write_by_package(tmp_path / "other")
    names = [
        "traces.otf2",
        "traces.def",
        *(f"traces/{i}.{end}" for i in "012" for end in ("evt", "def")),
    ]
    file = tmp_path / "other" / rng.choice(names)
    damaged = bytearray(file.read_bytes())
    for _ in range(rng.randrange(1, 8)):
        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
    file.write_bytes(damaged)

    if main(["import", str(anchor), "--from", "otf2", "-o", str(tmp_path / "run")]) == 2:
        assert not (tmp_path / "run").exists()
    else:
        calls_of(tmp_path / "run", tmp_path)
