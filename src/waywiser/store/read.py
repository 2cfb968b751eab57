"""Reads a run with its summary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from waywiser.errors import InvalidRun, not_found
from waywiser.model.run import Run
from waywiser.model.summary import Summary
from waywiser.native import _native as native
from waywiser.store.advice import read_advice
from waywiser.store.directory import RunDirectory
from waywiser.store.finish import finish_if_abandoned
from waywiser.store.summary import summarise
from waywiser.store.waits import read_waits

if TYPE_CHECKING:
    from waywiser.store.timeline import Window


def summary_of(directory: Path, run: Run) -> Summary:
    """The summary of an ended run's profile, without waits and advice; nothing is written.

    Raises:
        InvalidRun: the run's files are unreadable.
    """
    files = RunDirectory(directory)
    run = run.replace(trace=files.checked_trace(run))
    return summarise(run, files.read_profile(run))


def read_run(directory: Path, window: Window | None = None) -> tuple[Run, Summary]:
    """Reads a run directory; nothing in it is executed.

    Args:
        window: begin and end [s] of the trace's calls that count; None: the whole profile.

    Raises:
        InvalidRun: the directory is not a run, or its files are unreadable.
    """
    files = RunDirectory(directory)
    if not directory.is_dir():
        raise InvalidRun(
            f"{not_found(directory, 'directory')}; give one that `waywiser profile -o RUN` has made"
        )
    run = finish_if_abandoned(files, files.read_run())
    run = run.replace(trace=files.checked_trace(run))
    profile = files.read_profile(run)
    waits = read_waits(directory, window)
    if window is None:
        update = {"waits": waits, "advice": read_advice(directory)}
        return run, summarise(run, profile).replace(**update)
    begin, end = (round(seconds * 1e9) for seconds in window)
    try:
        summary = summarise(run, native.profile_of_trace(str(files.trace), begin, end, profile))
    except native.NativeError as error:
        raise InvalidRun(str(error)) from error
    sentence = (
        f"all metrics are of calls that begin between {window[0]:.6g} s and {window[1]:.6g} s of "
        "the trace; CPU time, switches and counters are the whole run's in proportion"
    )
    return run, summary.replace(waits=waits, lost=(sentence, *summary.lost))
