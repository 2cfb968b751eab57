"""A trace in Paraver's format, read by a parser of its own after the format's description."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from tests.job import Job
from tests.synthetic_jobs import mixed
from waywiser.native._native import InvalidInput, export_trace

HEADER = re.compile(
    r"#Paraver \(\d\d/\d\d/\d\d at \d\d:\d\d\):(\d+)_ns:(\d+)\(([\d,]+)\)"
    r":1:(\d+)\(([\d:,]+)\),(\d+)"
)
POINT_TO_POINT, COLLECTIVE, OTHER = 50000001, 50000002, 50000003


class Prv:
    """Records by kind. Fails on a line that is none, and where times do not rise."""

    def __init__(self, path: Path) -> None:
        lines = path.read_text().splitlines()
        header = HEADER.fullmatch(lines[0])
        assert header is not None, lines[0]
        self.end_ns = int(header[1])
        self.cpus = [int(n) for n in header[3].split(",")]
        assert len(self.cpus) == int(header[2])
        self.tasks = [tuple(map(int, task.split(":"))) for task in header[5].split(",")]
        assert len(self.tasks) == int(header[4])
        count = int(header[6])
        self.communicators = [
            [int(n) for n in line.split(":")[2:]] for line in lines[1 : 1 + count]
        ]
        records = [[int(n) for n in line.split(":")] for line in lines[1 + count :]]
        assert all(before[5] <= after[5] for before, after in pairwise(records))
        self.states = [record[1:] for record in records if record[0] == 1]
        self.events = [record[1:] for record in records if record[0] == 2]
        self.messages = [record[1:] for record in records if record[0] == 3]
        assert len(self.states) + len(self.events) + len(self.messages) == len(records)
        assert all(len(state) == 7 for state in self.states)
        assert all(len(message) == 14 for message in self.messages)
        assert all(len(event) % 2 == 1 for event in self.events)

    def values(self, kind: int) -> list[tuple[int, int, int]]:
        """Task, time and value of events of a type."""
        return [
            (event[2], event[4], value)
            for event in self.events
            for of, value in zip(event[5::2], event[6::2], strict=True)
            if of == kind
        ]


def names(path: Path) -> dict[int, dict[int, str]]:
    """Names of values in a .pcf file, by type."""
    result: dict[int, dict[int, str]] = {}
    types: list[int] = []
    for line in path.read_text().splitlines():
        match = re.match(r"(\d+)\s+(\d+\s+)?(\S.*)", line)
        if line in ("EVENT_TYPE", "STATES"):
            types, in_values = ([] if line == "EVENT_TYPE" else [-1]), line == "STATES"
        elif line == "VALUES":
            in_values = True
        elif match and not in_values:
            types.append(int(match[2]))
        elif match and in_values:
            value = re.match(r"(\d+)\s+(.*)", line)
            assert value is not None
            for number in types:
                result.setdefault(number, {})[int(value[1])] = value[2]
    return result


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("paraver")
    mixed().write(path / "trace.ww")
    export_trace(str(path / "trace.ww"), "paraver", str(path / "job.prv"))
    return path


def test_the_header_has_nodes_tasks_and_communicators(directory: Path) -> None:
    job = Prv(directory / "job.prv")

    assert job.end_ns == 9100
    assert job.cpus == [2, 1]
    assert job.tasks == [(1, 1), (2, 1), (1, 2)]
    assert job.communicators == [[1, 3, 1, 2, 3], [2, 2, 3, 1]]


def test_calls_are_events_with_the_numbers_of_extrae(directory: Path) -> None:
    job = Prv(directory / "job.prv")
    named = names(directory / "job.pcf")

    begins = Counter(
        (named[kind][value], value)
        for kind in (POINT_TO_POINT, COLLECTIVE, OTHER)
        for _, _, value in job.values(kind)
        if value
    )

    assert begins == {
        ("MPI_Init", 31): 3,
        ("MPI_Finalize", 32): 3,
        ("MPI_Comm_rank", 19): 1,
        ("MPI_Isend", 3): 2,
        ("MPI_Send", 1): 1,
        ("MPI_Recv", 2): 1,
        ("MPI_Irecv", 4): 2,
        ("MPI_Test", 39): 1,
        ("MPI_Wait", 5): 2,
        ("MPI_Waitall", 6): 1,
        ("MPI_Sendrecv", 41): 2,
        ("MPI_Bcast", 7): 2,
        ("MPI_Allreduce", 10): 3,
    }
    ends = [value for kind in (POINT_TO_POINT, COLLECTIVE, OTHER) for *_, value in job.values(kind)]
    assert ends.count(0) == begins.total()
    assert {value for *_, value in job.values(50100003)} == {3}  # the root, as a task of the world
    assert Counter(value for *_, value in job.values(50100004)) == {1: 3, 2: 2}
    assert named[70000001][1] == 'solve, "fast" at cg.c:131'


def test_messages_are_communications(directory: Path) -> None:
    job = Prv(directory / "job.prv")

    communications = {
        (message[2], message[4], message[8], message[10], message[11], message[12], message[13])
        for message in job.messages  # from, sent, to, posted, received, bytes, tag
    }

    assert communications == {
        (1, 1000, 2, 500, 2400, 64, 7),
        (1, 1200, 2, 530, 2300, 128, 7),
        (3, 900, 2, 2500, 2600, 16, 9),
        (1, 3600, 3, 3500, 3900, 8, 5),
        (3, 3500, 1, 3600, 3900, 8, 5),
    }
    assert len(job.messages) == 5


def test_states_follow_each_other(directory: Path) -> None:
    job = Prv(directory / "job.prv")
    named = names(directory / "job.pcf")[-1]

    first = [
        (begin, end, named[state]) for _, _, task, _, begin, end, state in job.states if task == 1
    ]

    assert all(before[1] == after[0] for before, after in pairwise(first))
    assert (1300, 2500, "Wait/WaitAll") in first
    assert (3000, 3500, "Group Communication") in first
    assert (2500, 3000, "Running") in first


def test_rows_name_the_threads(directory: Path) -> None:
    rows = (directory / "job.row").read_text()

    assert "LEVEL THREAD SIZE 4\nTHREAD 1.1.1\nTHREAD 1.2.1\nTHREAD 1.2.2\nTHREAD 1.3.1\n" in rows
    assert "LEVEL NODE SIZE 2\nnode0\nnode1\n" in rows


@pytest.mark.long
def test_more_than_fits_into_memory_is_in_order(tmp_path: Path) -> None:
    rounds = 250_000
    job = Job(2)
    for rank, function in enumerate(("Isend", "Irecv")):
        peer = {"peer": 1, "tag": 1, "bytes": 1} if rank == 0 else {"source": 0, "source_tag": 1}
        for _ in range(rounds):
            job.then(rank, function, 10, lasts_ns=100, **peer, request=0)
            job.then(rank, "Wait", 10, lasts_ns=100, requests=[0], completed=[(0,)])
    job.write(tmp_path / "trace.ww")

    export_trace(str(tmp_path / "trace.ww"), "paraver", str(tmp_path / "job.prv"))

    last, kinds = 0, Counter[str]()
    with (tmp_path / "job.prv").open() as file:
        for line in list(file)[2:]:
            fields = line.split(":", 6)
            kinds[fields[0]] += 1
            assert int(fields[5]) >= last
            last = int(fields[5])
    assert (tmp_path / "job.prv").stat().st_size > 1.5 * 2**26
    assert kinds == {"1": 8 * rounds, "2": 8 * rounds, "3": rounds}
    assert not list(tmp_path.glob("*.part"))


def test_the_name_has_to_end_in_prv(directory: Path) -> None:
    with pytest.raises(InvalidInput, match=r"job\.txt does not end in \.prv"):
        export_trace(str(directory / "trace.ww"), "paraver", str(directory / "job.txt"))
