"""Traces for simulators, replayed on a network that costs nothing: the local time is left."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.job import MS
from tests.simgrid import needs_simgrid, replayed_seconds
from tests.synthetic_jobs import replayable
from waywiser.native._native import InvalidInput, export_trace

JOB_NS = 9 * MS


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replay") / "trace.ww"
    replayable().write(path)
    return path


class Task(NamedTuple):
    kind: str
    amount: int
    """Bytes, or ns."""
    peer: int
    tag: int
    requires: list[int]
    starts_after: list[int]


GOAL_LINE = re.compile(
    r"l(\d+): (?:(calc) (\d+)|(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+))$"
    r"|l(\d+) (i?requires) l(\d+)$"
)


def goal(text: str) -> list[dict[int, Task]]:
    """Tasks of each rank, by label. Fails where a line is no GOAL, or names an absent label."""
    lines = iter(text.splitlines())
    count = re.fullmatch(r"num_ranks (\d+)", next(lines))
    assert count is not None
    ranks: list[dict[int, Task]] = [{} for _ in range(int(count[1]))]
    for line in lines:
        head = re.fullmatch(r"rank (\d+) \{", line)
        assert head is not None
        tasks = ranks[int(head[1])]
        for inner in _until_brace(lines):
            match = GOAL_LINE.match(inner)
            assert match is not None, inner
            label, calc, ns, kind, size, peer, tag, after, how, before = match.groups()
            if label:
                assert int(label) not in tasks
                tasks[int(label)] = Task(
                    calc or kind, int(ns or size), int(peer or -1), int(tag or 0), [], []
                )
            else:
                task = tasks[int(after)]
                assert int(before) in tasks
                (task.requires if how == "requires" else task.starts_after).append(int(before))
    return ranks


def _until_brace(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if line == "}":
            return
        yield line
    raise AssertionError("a rank is not closed")


def ends_ns(ranks: list[dict[int, Task]]) -> list[dict[int, int]]:
    """When each task ends, if messages take no time. Fails if some never do."""
    starts: list[dict[int, int]] = [{} for _ in ranks]
    ends: list[dict[int, int]] = [{} for _ in ranks]
    sent: dict[tuple[int, int, int], deque[int]] = defaultdict(deque)
    waiting = [dict(tasks) for tasks in ranks]
    progress = True
    while progress:
        progress = False
        for rank, tasks in enumerate(waiting):
            for label, task in list(tasks.items()):
                ready = [ends[rank].get(required) for required in task.requires]
                ready += [starts[rank].get(earlier) for earlier in task.starts_after]
                if None in ready:
                    continue
                start = max((time for time in ready if time is not None), default=0)
                starts[rank].setdefault(label, start)
                end = start
                if task.kind == "calc":
                    end += task.amount
                elif task.kind == "send":
                    sent[rank, task.peer, task.tag].append(start)
                elif messages := sent[task.peer, rank, task.tag]:
                    end = max(start, messages.popleft())
                else:
                    continue
                ends[rank][label] = end
                del tasks[label]
                progress = True
    assert not any(waiting), waiting
    assert not any(sent.values())
    return ends


def test_goal_runs_to_its_end_in_the_local_time(trace: Path) -> None:
    output = trace.with_suffix(".goal")
    export_trace(str(trace), "goal", str(output))

    ranks = goal(output.read_text())

    last = [max(ends.values()) for ends in ends_ns(ranks)]
    assert last == [JOB_NS, 8 * MS, 8 * MS, JOB_NS]


def test_goal_has_each_message_with_its_bytes(trace: Path) -> None:
    output = trace.with_suffix(".goal")
    export_trace(str(trace), "goal", str(output))

    plain = [
        Counter((task.kind, task.amount, task.peer) for task in tasks.values() if task.tag < 2**30)
        for tasks in goal(output.read_text())
    ]

    assert plain[0] == {
        ("send", 64, 1): 1,
        ("send", 32, 1): 1,
        ("send", 7, 1): 2,
        ("send", 5, 2): 1,
        ("recv", 999, 3): 1,
        ("recv", 99, 3): 1,
        ("recv", 7, 3): 2,
        ("recv", 5, 2): 1,
        ("recv", 1, 3): 1,
        **{key: n for key, n in plain[0].items() if key[0] == "calc"},
    }


@needs_simgrid
def test_simgrid_replays_the_local_time(trace: Path, tmp_path: Path) -> None:
    export_trace(str(trace), "simgrid-ti", str(tmp_path / "job.txt"))

    seconds = replayed_seconds(tmp_path / "job.txt", 4, bandwidth="1000000GBps", latency="1ns")

    assert seconds == pytest.approx(JOB_NS / 1e9, rel=2e-3)


def test_simgrid_gets_collectives_over_the_world_as_such(trace: Path, tmp_path: Path) -> None:
    export_trace(str(trace), "simgrid-ti", str(tmp_path / "job.txt"))

    first = (tmp_path / "job.txt").read_text().splitlines()[0]
    actions = Counter(line.split()[1] for line in Path(first).read_text().splitlines())

    assert Path(first) == tmp_path / "job.txt_files" / "rank-0.txt"
    assert actions["barrier"] == 3  # one of them makes a communicator, one is nonblocking
    assert all(actions[name] == 1 for name in ("allreduce", "alltoall", "bcast", "gather", "init"))


@pytest.mark.parametrize("form", ["goal", "simgrid-ti"])
def test_a_replay_takes_no_window(trace: Path, tmp_path: Path, form: str) -> None:
    with pytest.raises(InvalidInput, match=f"{form} takes no window"):
        export_trace(str(trace), form, str(tmp_path / "part"), 0, 100)
