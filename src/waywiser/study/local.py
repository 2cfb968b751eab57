"""Runs a study on this machine, one run after the other."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.model.run import Run
from waywiser.model.study import LOCAL
from waywiser.store.durable import replace_text
from waywiser.store.study import Place
from waywiser.study.campaign import Campaign
from waywiser.study.collect import collect
from waywiser.study.outlook import outlook
from waywiser.study.progress import Progress
from waywiser.study.reconcile import reconcile
from waywiser.units import counted, seconds_text, three_digits

LOOK_SECONDS = 0.05
PAGE_BYTES = 65536
"""Smallest free space with which a run can be recorded."""

PATIENCE_SECONDS = 60.0
"""Time that a run may take to save its profile after SIGTERM."""


@dataclass(frozen=True)
class Tally:
    """The number of a study's runs by outcome."""

    done: int
    failed: int
    missing: int
    why_missing: str = ""
    not_made: int = 0
    """Number of runs that were skipped, since the warm-up of their configuration failed."""


def run_study(campaign: Campaign, *, retry_failed: bool = False) -> Tally:
    """Makes the runs that are missing.

    Returns:
        The number of runs by outcome. Runs may be missing because the budget is spent.

    Raises:
        InvalidCommand: another command runs this study, or the study has changed since its start.
        KeyboardInterrupt: the user interrupted the study; the running run is repeated next time.
    """
    repeats = campaign.study.repeats
    progress = Progress(0, 0)
    with campaign.locked(progress.say) as lock, _stopped_by_signals():
        done = settle(campaign, retry_failed=retry_failed)
        done_before, reported = len(done), False
        while True:
            next_blocks = outlook(campaign, done)
            due = campaign.missing_runs(next_blocks.blocks, done)
            if not due:
                return _tally(done, 0, not_made=len(campaign.not_made(done)))
            progress.total, progress.done = len(done) + len(due), len(done)
            if done_before and not reported:
                progress.say(f"{counted(done_before, 'run')} of {progress.total} are done already")
            elif next_blocks.blocks > repeats.blocks:
                progress.say(f"one more block: {next_blocks.reason}")
            reported = True
            for place in due:
                if place.configuration in campaign.stopped(done):
                    continue
                if spent(campaign, done) >= (repeats.core_hours or float("inf")):
                    why = (
                        f"the budget of {three_digits(repeats.core_hours)} core hours is spent "
                        "(repeats.core_hours)"
                    )
                    return _tally(done, progress.total - len(done), why)
                done[place] = _make(campaign, place, lock, progress)
                if place.configuration in campaign.stopped(done):
                    rest = sum(planned.configuration == place.configuration for planned in due) - 1
                    progress.total -= rest
                    progress.say(
                        f"{place.configuration}: its warm-up failed, so that "
                        f"{counted(rest, 'run')} of it are not made; --failed makes it again"
                    )


def settle(campaign: Campaign, *, retry_failed: bool = False) -> dict[Place, Run]:
    """Reconcile a study that nobody else runs, so that none of its runs is running.

    Returns:
        The finished runs, including failed ones.
    """
    standing = reconcile(campaign, retry_failed=retry_failed)
    for place in standing.under_way:
        campaign.directory.set_run_aside(place, "lost")
    return standing.done


def spent(campaign: Campaign, done: dict[Place, Run]) -> float:
    """The core hours of the finished runs."""
    seconds = sum(
        campaign.configurations[place.configuration].cores * run.conditions.wall_seconds
        for place, run in done.items()
        if run.conditions is not None
    )
    return seconds / 3600


def _make(campaign: Campaign, place: Place, lock: int, progress: Progress) -> Run:
    """Makes one run, from its directory to its result."""
    campaign.prepare(place)
    job = campaign.job(f"{place.configuration}-{place.name}", [[place]])
    replace_text(job.script, SCHEDULERS[LOCAL].script(job, campaign.study.resources))
    began = time.monotonic()
    with job.output().open("wb") as output:
        process = subprocess.Popen(
            ["bash", str(job.script)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=output,
            pass_fds=(lock,),  # while the run lives, no other command starts one
            start_new_session=True,
        )
        try:
            while process.poll() is None:
                progress.under_way(str(place), began)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(LOOK_SECONDS if time.monotonic() - began < 5 else 1.0)
        except BaseException:
            _end(process)
            raise
    run = campaign.directory.read(place, finish=True)
    if run is None or run.status == "running" or not campaign.directory.has_results(place, run):
        raise InvalidCommand(f"{place} left no record: {_why(job.output())}")
    run = collect(campaign, place, run)
    progress.finished(str(place), _in_words(run), time.monotonic() - began)
    return run


def _why(output: Path) -> str:
    """The last message of a run's script."""
    if shutil.disk_usage(output.parent).free < PAGE_BYTES:
        return f"{output.parent}: {os.strerror(errno.ENOSPC)}"
    lines = output.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1].removeprefix("waywiser: ") if lines else "its script said nothing"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stops a run, and gives it time to save its profile."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _in_words(run: Run) -> str:
    result = run.result
    assert result is not None
    if result.failures:
        return "\n    ".join([f"FAILED: {'; '.join(result.failures)}", *result.stderr])
    metric = result.metric()
    value = "" if metric is None else f"{three_digits(metric.value)} {metric.unit}".strip()
    wall = f" in {seconds_text(run.conditions.wall_seconds)}" if run.conditions else ""
    unreliable = "; the machine was not quiet" if result.unreliable else ""
    return f"{value}{wall}{unreliable}"


def _tally(done: dict[Place, Run], missing: int, why: str = "", not_made: int = 0) -> Tally:
    failed = sum(bool(run.result and run.result.failures) for run in done.values())
    return Tally(len(done) - failed, failed, missing, why, not_made)


@contextlib.contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Makes SIGTERM end a study as Ctrl-C does."""

    def stop(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    kept = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, kept)
