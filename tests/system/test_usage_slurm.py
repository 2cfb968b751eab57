"""Use and waiting from what a real Slurm writes of jobs that wait for each other."""

from __future__ import annotations

import json
import re
import time

from tests.rigs import slurm as rig
from tests.support import Waywiser

JOBS = 4
SECONDS = 2
PATIENCE_SECONDS = 300


def test_what_slurm_writes_of_jobs_is_reported(waywiser: Waywiser) -> None:
    """Each job takes the whole node, so that one runs at a time."""
    with rig.started(1, jobcomp=True) as slurm:
        for number in range(JOBS):
            done = slurm.run(
                *("sbatch", "--parsable", "--exclusive", f"--job-name=a job {number}"),
                *("--output=/dev/null", f"--wrap=sleep {SECONDS}"),
            )
            assert done.returncode == 0, done.stderr
        accounts = slurm.directory / rig.JOBCOMP
        end = time.monotonic() + PATIENCE_SECONDS
        while not accounts.exists() or len(accounts.read_text().splitlines()) < JOBS:
            assert time.monotonic() < end, slurm.run("squeue").stdout
            time.sleep(0.5)
        text = accounts.read_text(encoding="utf-8")
        shown = waywiser.here("machine", "usage", accounts, "--nodes", "1", "--json")

    assert shown.returncode == 0, shown.stderr
    assert text.count(" JobState=COMPLETED ") == JOBS
    assert text.count("UserId=root") == JOBS
    assert "root" not in shown.stdout
    usage = json.loads(shown.stdout)
    assert usage["remarks"] == []
    assert usage["all"]["jobs"] == JOBS
    assert usage["most_at_once"] == 1
    runs = [
        _moment(ended) - _moment(started)
        for started, ended in re.findall(r"StartTime=(\S+) EndTime=(\S+)", text)
    ]
    waits = sorted(
        _moment(started) - _moment(eligible)
        for started, eligible in re.findall(r"StartTime=(\S+) .*EligibleTime=(\S+)", text)
    )
    assert min(runs) >= SECONDS - 1
    assert usage["unit_hours"] * 3600 == sum(runs)
    assert usage["all"]["median_wait_seconds"] == waits[JOBS // 2 - 1]
    assert waits[-1] >= (JOBS - 1) * (SECONDS - 1)


def _moment(text: str) -> int:
    return round(time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%S")))
