"""OTF2 traces that others have written, whole and damaged."""

from __future__ import annotations

import csv
import random
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

from waywiser.cli.main import main
from waywiser.store import otf2 as store


def write_by_package(directory: Path) -> Path:
    """A trace as another tool writes it: functions of the program, ticks of 2 ns, MPI's regions by
    Fortran's and TAU's names, a receive that is only known when it is over, two threads."""
    with otf2.writer.open(str(directory), timer_resolution=500_000_000) as archive:
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
            partner = 1 - rank
            write.enter(100, regions["solve"])
            write.enter(110, regions["MPI_Irecv"])
            write.mpi_irecv_request(111, 77)
            write.leave(120, regions["MPI_Irecv"])
            write.enter(130, regions["mpi_isend_"])
            write.mpi_isend(131, partner, world, 5, 640, 78)
            write.leave(140, regions["mpi_isend_"])
            write.enter(150, regions["MPI_Waitall()"])
            write.mpi_isend_complete(159, 78)
            write.mpi_irecv(160, partner, world, 5, 640, 77)
            write.leave(161, regions["MPI_Waitall()"])
            write.enter(170, regions["MPI_ALLREDUCE"])
            write.mpi_collective_begin(170)
            write.mpi_collective_end(180, CollectiveOp.ALLREDUCE, world, 0xFFFFFFFF, 16, 16)
            write.leave(180, regions["MPI_ALLREDUCE"])
            write.leave(200, regions["solve"])
        write = archive.event_writer_from_location(helper)
        write.enter(300, regions["MPI_Probe"])
        write.leave(310, regions["MPI_Probe"])
    return directory / "traces.otf2"


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
    keys = (*kept, "bytes", "receive_bytes", "request")
    calls = [tuple(row[key] for key in keys) for row in rows]
    world = "MPI_COMM_WORLD"
    for rank, partner in (("0", "1"), ("1", "0")):
        assert calls[:4] == [
            (rank, "0", "MPI_Irecv", world, "", "", partner, "5", "0", "640", "0"),
            (rank, "0", "MPI_Isend", world, partner, "5", "", "", "640", "0", "1"),
            (rank, "0", "MPI_Waitall", "", "", "", "", "", "0", "0", ""),
            (rank, "0", "MPI_Allreduce", world, "", "", "", "", "16", "16", ""),
        ]
        calls = calls[5 if rank == "0" else 4 :]
    assert [row["function"] for row in rows if row["thread"] == "1"] == ["MPI_Probe"]
    first = [int(rows[0][key]) for key in ("begin_ns", "end_ns")]
    assert first[1] - first[0] == 20  # ten ticks


def test_each_thread_of_a_rank_has_requests_of_its_own(tmp_path: Path) -> None:
    """Threads use the same numbers in OTF2, where requests belong to a thread."""
    with otf2.writer.open(str(tmp_path / "other"), timer_resolution=10**9) as archive:
        define = archive.definitions
        send, wait = (
            define.region(name, paradigm=Paradigm.MPI, region_role=RegionRole.POINT2POINT)
            for name in ("MPI_Isend", "MPI_Wait")
        )
        root = define.system_tree_node("cluster", "machine")
        group = define.location_group(
            "process", location_group_type=LocationGroupType.PROCESS, system_tree_parent=root
        )
        threads = [
            define.location(f"thread {thread}", type=LocationType.CPU_THREAD, group=group)
            for thread in range(20)
        ]
        define.group(
            "world",
            group_type=GroupType.COMM_LOCATIONS,
            paradigm=Paradigm.MPI,
            members=threads[:1],
        )
        ranks = define.group(
            "ranks", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=[0]
        )
        world = define.comm("MPI_COMM_WORLD", group=ranks)
        for thread in threads:
            write = archive.event_writer_from_location(thread)
            for begin, request in ((100, 7), (110, 8)):
                write.enter(begin, send)
                write.mpi_isend(begin + 1, 0, world, 5, 640, request)
                write.leave(begin + 2, send)
            for begin, request in ((120, 8), (130, 7)):
                write.enter(begin, wait)
                write.mpi_isend_complete(begin + 1, request)
                write.leave(begin + 2, wait)

    store.import_otf2(tmp_path / "other" / "traces.otf2", tmp_path / "run")

    rows = calls_of(tmp_path / "run", tmp_path)
    result = [(row["thread"], row["request"]) for row in rows if row["function"] == "MPI_Isend"]
    assert result == [(str(n // 2), str(n)) for n in range(2 * len(threads))]


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
