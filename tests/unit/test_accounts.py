"""Accounts in each format give the same jobs, say what they do not count, and name no user."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support import ROOT
from waywiser.errors import InvalidCommand
from waywiser.machines.accounts.read import NONE, Jobs, read_accounts

GOLDEN = ROOT / "tests" / "golden" / "accounts"
HEADER = "JobIDRaw|Submit|Start|End|ElapsedRaw|AllocNodes|ReqNodes|State|JobName"
WHOLE = "1|2020-01-01T00:00:00|2020-01-01T01:00:00|2020-01-01T02:00:00|3600|2|2|COMPLETED|a"


def seconds(date: str) -> int:
    return int(np.datetime64(f"2020-{date}", "s").astype(int))


ALL = {
    1: (seconds("01-31T08:30"), seconds("01-31T09:00"), seconds("01-31T10:00"), 2, 8),
    2: (seconds("01-31T22:00"), seconds("01-31T23:00"), seconds("02-01T01:00"), 1, 4),
    3: (seconds("01-31T22:00"), seconds("02-01T00:00"), NONE, 2, 8),
    4: (seconds("01-31T23:30"), NONE, NONE, 4, 16),
    5: (seconds("01-31T23:40"), NONE, seconds("02-01T00:40"), 2, 8),
}
"""Times [s] and sizes of each job in the files: eligible, start, end, nodes, cores."""


def rows(jobs: Jobs) -> list[tuple[int, ...]]:
    columns = (jobs.since, jobs.start, jobs.finish, jobs.nodes, jobs.cores)
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


def written(directory: Path, *lines: str, header: str = HEADER) -> Path:
    path = directory / "jobs.txt"
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sacct.txt", ALL),
        ("sacct.json", ALL),
        # No waiting job is told, and of one that was cancelled while it waited no size.
        ("jobcomp.txt", {1: ALL[1], 2: ALL[2], 5: (*ALL[5][:3], NONE, NONE)}),
        ("pbs.txt", {number: ALL[number] for number in (1, 2, 3)}),
    ],
)
def test_each_format_gives_the_same_jobs(name: str, expected: dict[int, tuple[int, ...]]) -> None:
    jobs = read_accounts([GOLDEN / name])

    assert rows(jobs) == sorted(expected.values())
    running = ("1 job without an end counts in waiting, not in use or slowdown",)
    assert jobs.remarks == (running if 3 in expected else ())
    assert "alice" in (GOLDEN / name).read_text(encoding="utf-8")
    assert "alice" not in repr(jobs)


def test_files_that_overlap_count_a_job_once(tmp_path: Path) -> None:
    """A job waits or runs in January, and has ended in February; another job is in both files."""
    waits = "2|2020-01-31T00:00:00|Unknown|Unknown|0|0|4|PENDING|a"
    runs = "3|2020-01-31T00:00:00|2020-01-31T23:00:00|Unknown|3600|4|4|RUNNING|a"
    (tmp_path / "january").mkdir()
    january = written(tmp_path / "january", WHOLE, waits, runs)
    started = waits.replace("Unknown|Unknown|0|0", "2020-02-01T00:00:00|2020-02-01T01:00:00|3600|4")
    ended = runs.replace("Unknown|3600", "2020-02-01T01:00:00|7200")
    february = written(tmp_path, WHOLE, started, ended)

    jobs = read_accounts([january, february])

    assert rows(jobs) == rows(read_accounts([february]))
    assert jobs.remarks == ("1 repeated job counts once",)


def test_jobs_of_two_clusters_with_one_number_are_two(tmp_path: Path) -> None:
    lines = [f"{WHOLE.rpartition('|')[0]}|{cluster}" for cluster in ("a", "b")]
    header = HEADER.replace("JobName", "Cluster")

    assert len(read_accounts([written(tmp_path, *lines, header=header)]).since) == 2


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("2|2020-01-01", "it has other fields than its format has"),
        (WHOLE.replace("2020-01-01T01", "01/01/20-01"), "unset SLURM_TIME_FORMAT"),
        (WHOLE.replace("2020-01-01T02", "2020-13-01T02"), "a time that is not valid"),
        (WHOLE.replace("|2|2|", "|2.1K|2|"), "use `sacct --noconvert`"),
        (WHOLE.replace("|3600|", "|long|"), "an elapsed time that is none"),
        (WHOLE.replace("1|", "1.batch|", 1), "a job's step; use `sacct -X`"),
        (WHOLE.replace("|2|2|", "|0|2|"), "a job that started on no node or core"),
        (WHOLE.replace("T01:00:00|2020-01-01T02", "T01:00:00|2020-01-01T00")
         .replace("3600", ""), "or ends before it starts"),
        (WHOLE.replace("T00:00:00", "T01:30:00"), "a job that starts before it is eligible"),
    ],
)  # fmt: skip
def test_a_line_that_is_not_whole_is_not_counted(tmp_path: Path, line: str, says: str) -> None:
    whole = WHOLE.replace("1|", "9|", 1)
    single = read_accounts([written(tmp_path, whole, line)])
    several = read_accounts([written(tmp_path, whole, line, line, line)])

    assert len(single.since) == len(several.since) == 1
    assert len(single.remarks) == len(several.remarks) == 1
    assert single.remarks[0].startswith("jobs.txt: line 3 is not counted; it has ")
    assert several.remarks[0].startswith("jobs.txt: 3 lines are not counted, line 3 the first; ")
    assert says in single.remarks[0]
    assert (
        single.remarks[0].partition(" it has ")[2] == several.remarks[0].partition(" each has ")[2]
    )


def test_columns_come_in_any_order_and_elapsed_tells_an_end(tmp_path: Path) -> None:
    """A name in Latin-1, a last separator, and Windows' line ends do no harm."""
    path = tmp_path / "jobs.txt"
    path.write_bytes(
        b"JobName|State|AllocCPUS|Elapsed|Start|Eligible|\r\n"
        b"caf\xe9|COMPLETED|8|1-01:00:01|2020-01-01T01:00:00|2020-01-01T00:00:00|\r\n"
        b"x|RUNNING|8|01:00|2020-01-01T01:00:00|2020-01-01T00:00:00|\r\n"
    )
    begin = seconds("01-01")

    assert rows(read_accounts([path])) == [
        (begin, begin + 3600, NONE, NONE, 8),
        (begin, begin + 3600, begin + 3600 + 25 * 3600 + 1, NONE, 8),
    ]


def test_elapsed_is_believed_where_clocks_were_changed(tmp_path: Path) -> None:
    """A job of two hours at the end of summer time seems to have had one."""
    line = WHOLE.replace("|3600|", "|7200|")

    jobs = read_accounts([written(tmp_path, line)])

    assert (jobs.finish - jobs.start).tolist() == [7200]


def test_a_name_of_a_file_is_no_pattern(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    written(tmp_path / "b", WHOLE.replace("1|", "2|", 1))
    path = written(tmp_path, WHOLE).rename(tmp_path / "[ab]'*.txt")

    assert len(read_accounts([path]).since) == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "not an account; accepted are the output of `sacct -P`"),
        ("title = 'a machine'\n", "not an account"),
        (
            "JobID|Start|End|State\n",
            "columns are missing; needed are Start, End or ElapsedRaw, and",
        ),
        ("JobID|Submit|AllocNodes|State\n", "columns are missing"),
        (f"{HEADER}\n", "no job is counted"),
        (f"{HEADER}\n1|2\n", "no job is counted; jobs.txt: line 2 is not counted"),
        (f"{HEADER}\n{'x' * 2_000_000}\n", "not an account: "),
        ("{}", 'it has no "jobs": […]'),
        ('{"jobs": [{"job_id": 1', "a job of its JSON is not valid"),
        ('{"jobs": [1]}', "a job in its JSON is not an object"),
        ('{"jobs": [' + "[" * 100_000, "a job of its JSON is not valid"),
        ('{"jobs": []}', "no job is counted"),
        ('{"jobs": [{"job_id": 1, "time": {"end": "\\ud800"}}]}', "no job is counted"),
    ],
)
def test_what_is_no_account_is_refused(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "jobs.txt"
    path.write_text(content, encoding="utf-8")

    with pytest.raises(InvalidCommand) as refused:
        read_accounts([path])

    assert str(refused.value).startswith(f"{path}: ")
    assert says in str(refused.value)


def test_a_directory_and_a_file_that_is_missing_are_refused(tmp_path: Path) -> None:
    for path, says in ((tmp_path, "Is a directory"), (tmp_path / "x", "No such file")):
        with pytest.raises(InvalidCommand, match=says):
            read_accounts([path])
