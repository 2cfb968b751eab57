"""`waywiser machine usage`: use and waiting of made lists of jobs, in closed form."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.support import ROOT, document, printed
from tests.vega_lite import assert_page_valid
from waywiser.model.usage import Usage

HEADER = "JobIDRaw|User|Submit|Start|End|AllocNodes|ReqNodes|State"


@dataclass(frozen=True)
class Job:
    """Dates as 2020-01-31 or 2020-01-31T12:00:00; without a start, it is pending."""

    since: str
    start: str
    end: str
    nodes: int = 1


def moment(date: str) -> str:
    return str(np.datetime64(date, "s")) if date else "Unknown"


def later(date: str, seconds: int) -> str:
    return str(np.datetime64(date, "s") + seconds)


def write_accounts(path: Path, jobs: Iterable[Job]) -> Path:
    lines = [
        f"{number}|alice|{moment(job.since)}|{moment(job.start)}|{moment(job.end)}|"
        f"{job.nodes if job.start else 0}|{job.nodes}|{'COMPLETED' if job.start else 'PENDING'}"
        for number, job in enumerate(jobs, 1)
    ]
    path.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    return path


GOLDEN = ROOT / "tests" / "golden" / "accounts"


def usage_of(*words: str | Path) -> Usage:
    return Usage.model_validate(document("machine", "usage", *words, schema="machine-usage"))


def usage_output(*words: str | Path) -> str:
    return printed("machine", "usage", *words)


def test_jobs_back_to_back_use_all_of_a_machine(tmp_path: Path) -> None:
    days = [f"2020-03-{day:02}" for day in range(1, 12)]
    jobs = [Job(a, a, b, 4) for a, b in pairwise(days)]

    usage = usage_of(write_accounts(tmp_path / "jobs", jobs), "--nodes", "4")

    assert usage.use == 1
    assert usage.unit_hours == 4 * 10 * 24
    assert usage.most_at_once == 4
    assert [(month.month, month.days, month.use) for month in usage.months] == [("2020-03", 10, 1)]


def test_a_job_over_the_end_of_a_month_is_split_to_the_second(tmp_path: Path) -> None:
    job = Job("2020-02-01", "2020-02-29T23:59:57", "2020-03-01T00:00:05", 3600)

    usage = usage_of(write_accounts(tmp_path / "jobs", [job]))

    assert [(month.month, month.unit_hours) for month in usage.months] == [
        ("2020-02", 3),
        ("2020-03", 5),
    ]
    assert usage.months[0].use is None


def papers_jobs() -> list[Job]:
    """1,000 nodes; 631 of them are used in 2019, 883 in June 2020, and in the half year before
    its end as many as make 77.7 %: 0.777 * 182 days = 756 * 152 + 12 + 883 * 30 in 1,000."""
    return [
        Job("2019-01-01", "2019-01-01", "2020-01-01", 631),
        Job("2020-01-01", "2020-01-01", "2020-06-01", 756),
        Job("2020-01-01", "2020-03-07", "2020-03-08", 12),
        Job("2020-06-01", "2020-06-01", "2020-07-01", 883),
    ]


@pytest.mark.parametrize(
    ("period", "use", "jobs", "wait"),
    [
        ("2019", "63.1 %", "1 job", "0 s"),
        ("2020-01..2020-06", "77.7 %", "3 jobs", "1584 h 00 min"),
        ("2020-06", "88.3 %", "1 job", "0 s"),
    ],
)
def test_the_papers_use_of_a_synthetic_list(
    tmp_path: Path, period: str, use: str, jobs: str, wait: str
) -> None:
    accounts = write_accounts(tmp_path / "jobs", papers_jobs())

    text = usage_output(accounts, "--nodes", "1000", "--period", period)

    assert f", jobs used {use} of 1,000 nodes: " in text.splitlines()[0]
    assert f"Of {jobs}, the median wait is 0 s and the 90 % quantile is {wait}." in text
    last = next(line for line in reversed(text.splitlines()) if line.startswith("20"))
    assert last.endswith("88.3 %" if period.startswith("2020") else "63.1 %")


def test_waiting_in_a_queue_of_one_node(tmp_path: Path) -> None:
    """First come, first served: played here job by job."""
    chance = random.Random(7)
    jobs, waits, slowdowns = [], [], []
    arrived, free = 0, 0
    for _ in range(501):
        arrived += round(chance.expovariate(1 / 1000))
        took = 1 + round(chance.expovariate(1 / 800))
        start = max(arrived, free)
        free = start + took
        since, began, ended = (later("2020-01-01", at) for at in (arrived, start, free))
        jobs.append(Job(since, began, ended))
        waits.append(start - arrived)
        slowdowns.append(max(1.0, (free - arrived) / max(took, 600)))

    usage = usage_of(write_accounts(tmp_path / "jobs", jobs), "--nodes", "1")

    waits.sort()
    assert usage.all.jobs == 501
    assert usage.all.median_wait_seconds == waits[250]
    assert usage.all.high_wait_seconds == waits[450]
    assert usage.all.median_slowdown == pytest.approx(np.median(slowdowns))
    assert usage.all.mean_slowdown == pytest.approx(np.mean(slowdowns))
    assert usage.most_at_once == 1


def test_jobs_that_have_not_started_lengthen_the_median(tmp_path: Path) -> None:
    """Two of five large jobs have started, after 1 h and 2 h, one was seen for half an hour, and
    two wait until the end: by Kaplan and Meier 3/4, then 1/2 are left."""
    day = "2020-01-01T"
    small = [Job(f"{day}00:00:00", f"{day}00:00:{at:02}", f"{day}06:00:00") for at in (1, 2, 3, 4)]
    large = [
        Job(f"{day}01:00:00", f"{day}02:00:00", f"{day}03:00:00", 8),
        Job(f"{day}01:00:00", f"{day}03:00:00", f"{day}04:00:00", 9),
        Job(f"{day}05:30:00", "", "", 15),
        *[Job(f"{day}01:00:00", "", "", 8)] * 2,
    ]

    accounts = write_accounts(tmp_path / "jobs", [*small, *large])
    usage = usage_of(accounts, "--nodes", "64")

    few, many = usage.classes
    assert (few.smallest, few.largest, few.jobs, few.not_started) == (1, 1, 4, 0)
    assert few.median_wait_seconds == 2
    assert few.high_wait_seconds == 4
    assert (many.smallest, many.largest, many.jobs, many.not_started) == (8, 15, 5, 3)
    assert many.median_wait_seconds == 7200
    assert many.high_wait_seconds is None
    assert "longer than seen" in usage_output(accounts)


def two_periods(directory: Path, *, faster: float) -> Path:
    """Every four hours a job, for twelve weeks; from the seventh on each waits less."""
    chance = random.Random(3)
    jobs = []
    for number in range(12 * 7 * 6):
        since = number * 4 * 3600
        late = since >= 6 * 7 * 86400
        wait = round(chance.expovariate(1 / 7200) * (faster if late else 1)) + 60
        start, end = later("2020-01-06", since + wait), later("2020-01-06", since + wait + 3600)
        jobs.append(Job(later("2020-01-06", since), start, end, 2 + number % 2 * 2))
    return write_accounts(directory / "jobs", jobs)


PERIODS = ("2020-01-06..2020-02-16", "2020-02-17..2020-03-29")


def test_two_periods_are_distinguished_where_they_differ(tmp_path: Path) -> None:
    words = (two_periods(tmp_path, faster=0.1), "--nodes", "10", "--compare", *PERIODS)

    usage = usage_of(*words)

    assert usage.comparison is not None
    assert usage.comparison.weeks == (6, 6)
    use, whole, *classes = usage.comparison.changes
    assert (use.metric, use.decided) == ("use", False)
    assert use.first == pytest.approx(3 / 40, rel=0.02)
    assert [change.smallest for change in classes] == [2, 4]
    for change in (whole, *classes):
        assert change.decided
        assert change.low is not None
        assert change.high is not None
        assert change.first is not None
        assert change.second is not None
        assert change.low <= change.second - change.first <= change.high < 0
    text = usage_output(*words)
    assert "The use of the machine does not differ significantly: 7.5 % and 7.5 % [" in text
    assert "The median wait of jobs of all sizes fell from 1 h " in text
    assert "the intervals hold together at 95 %" in text
    assert usage_output(*words[:-2], *reversed(PERIODS)).count(" rose from ") == 3


def test_two_periods_alike_are_not_distinguished(tmp_path: Path) -> None:
    text = usage_output(two_periods(tmp_path, faster=1), "--compare", *PERIODS)

    assert text.count(" does not differ significantly: ") == 3
    assert "The use of the machine" not in text
    assert " fell from " not in text
    assert " rose from " not in text


def test_periods_of_few_weeks_are_not_compared(tmp_path: Path) -> None:
    accounts = two_periods(tmp_path, faster=0.1)

    few = usage_of(accounts, "--compare", "2020-01-06..2020-02-15", PERIODS[1]).comparison
    assert few is not None
    assert few.changes == ()
    text = usage_output(accounts, "--compare", "2020-01-06..2020-02-15", PERIODS[1])

    assert (
        "2020-01-06..2020-02-15 has 5 weeks and 2020-02-17..2020-03-29 has 6 weeks; "
        "each period needs at least 6 weeks."
    ) in text
    assert "the intervals hold together" not in text


def test_a_machine_that_is_too_small_is_reported(tmp_path: Path) -> None:
    accounts = write_accounts(tmp_path / "jobs", papers_jobs())

    assert "Jobs held 883 nodes at once, more than the" in usage_output(accounts, "--nodes", "882")
    assert "at once" not in usage_output(accounts, "--nodes", "883")


def test_without_its_size_the_hours_are_reported(tmp_path: Path) -> None:
    accounts = write_accounts(tmp_path / "jobs", papers_jobs())

    without, with_nodes = usage_output(accounts), usage_output(accounts, "--nodes", "1000")

    assert "node-hours; --nodes N adds the share of a machine." in without
    assert "adds the share" not in with_nodes


def test_cores_are_counted_where_all_jobs_tell_them() -> None:
    assert usage_of(GOLDEN / "sacct.txt").unit_hours == 8 + 8
    assert usage_of(GOLDEN / "sacct.txt", "--nodes", "2").unit_hours == 2 + 2


@pytest.mark.parametrize("name", ["sacct.txt", "sacct.json", "jobcomp.txt", "pbs.txt"])
def test_no_user_is_named(name: str, tmp_path: Path) -> None:
    page = tmp_path / "usage.html"
    printed = [
        usage_output(GOLDEN / name),
        usage_output(GOLDEN / name, "--json"),
        usage_output(GOLDEN / name, "-o", page),
        page.read_text(encoding="utf-8").partition("</main>")[0],
    ]

    for user in ("alice", "bob", "relax"):
        assert user in (GOLDEN / name).read_text(encoding="utf-8") or name == "jobcomp.txt"
        assert not any(user in text for text in printed)


def test_the_page_has_sentences_plots_and_notes(tmp_path: Path) -> None:
    page = tmp_path / "usage.html"
    words = (GOLDEN / "sacct.txt", "--cores", "16", "-o", page)

    assert usage_output(*words) == f"wrote {page}\n"

    text = page.read_text(encoding="utf-8")
    assert "<h1>2020-01-31 to 2020-02-01</h1>" in text
    for output_there in ("Use and waiting", "Size of job (cores)", "Median wait"):
        assert output_there in text
    assert "of 16 cores: 16 core-hours." in text
    for title in ("Use by month", "Waiting by size of job"):
        assert f"{title}</h2>" in text
    assert "Jobs that have ended, each in the months in which it ran." in text
    assert "From being eligible to the start." in text
    assert "1 job without an end counts in waiting" in text
    assert "Median slowdown" in text
    assert "Mean slowdown" in text
    assert_page_valid(text)


def test_a_page_without_remarks_has_no_notes(tmp_path: Path) -> None:
    page = tmp_path / "usage.html"
    usage_output(write_accounts(tmp_path / "jobs", papers_jobs()), "-o", page)

    assert 'id="notes"' not in page.read_text(encoding="utf-8")


def test_the_page_of_the_manual_shows_what_is_printed() -> None:
    page = (ROOT / "docs" / "usage.md").read_text(encoding="utf-8")
    shown = re.search(r"```console\n\$ waywiser machine usage (\S+) (.*)\n((?:.*\n)*?)```", page)
    assert shown is not None
    file, options, output = shown.groups()

    assert usage_output(ROOT / file, *options.split()) == output
