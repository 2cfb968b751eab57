"""`waywiser.write_report`: a run as one self-contained HTML page, and its plots as files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import NamedTuple

from waywiser.analyse.diagnosis import diagnosed
from waywiser.analyse.gate import read_gated
from waywiser.analyse.roofline import kernels_of
from waywiser.errors import USERS_MISTAKES, InvalidCommand, NotSaved, WaywiserError
from waywiser.model.run import Run
from waywiser.model.rupture_field import RuptureField
from waywiser.model.summary import Summary
from waywiser.model.timeline import Timeline
from waywiser.model.wave_field import WaveField
from waywiser.model.whatif import WhatIf
from waywiser.report.drawing.export_plots import export_plots
from waywiser.report.run.page import page
from waywiser.report.run.run_plots import drawn_plots
from waywiser.store.answer import read_answer
from waywiser.store.durable import write_output
from waywiser.store.ruptures import ruptures_of_run
from waywiser.store.samples import samples_of_run
from waywiser.store.timeline import Window, read_timeline
from waywiser.store.waits import after_iterations, read_waits
from waywiser.store.wave_fields import wave_fields_of_run

MOST_ADVISED_CALLS = 500_000
"""Largest number of calls in a trace for which a report computes advice, which takes seconds."""

Paths = Sequence[str | os.PathLike[str]]


def write_report(
    run: str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    *,
    plots: str | os.PathLike[str] | None = None,
    whatif: Paths = (),
    samples: Paths = (),
    window: Window | None = None,
    skip_iterations: int | None = None,
) -> Path:
    """Writes a run's report.

    Arguments are the options of `waywiser report`.

    Args:
        path: path of the page; None: report.html in the run.
        plots: directory for each plot as SVG, PNG and PDF.
        whatif: JSON files with answers of `whatif`, which the page shows, too.
        samples: files with samples of `ww-*` programs; none: those in the run.
        window: begin and end, in seconds, of the time that timeline and waits cover.
        skip_iterations: number of first iterations of the main loop that no plot shows.

    Returns:
        The page's path.

    Raises:
        WaywiserError: as `waywiser report` reports it.
    """
    contents = read_contents(Path(run), whatif, samples, window, skip_iterations)
    file = Path(run) / "report.html" if path is None else Path(path)
    write_page(contents, file, str(file) if path is None else f"-o {file}")
    if plots is not None:
        write_plots(contents, Path(plots))
    return file


class Contents(NamedTuple):
    """The contents of a report."""

    described: Run
    summary: Summary
    timeline: Timeline | None
    answers: Sequence[WhatIf]
    fields: Sequence[WaveField]
    ruptures: Sequence[RuptureField]


def read_contents(
    run: Path,
    whatif: Paths = (),
    samples: Paths = (),
    window: Window | None = None,
    skip_iterations: int | None = None,
) -> Contents:
    """
    Raises:
        InvalidRun: the run, or a file beside it, is unreadable.
        InvalidCommand: the window contains no part of the trace, or an answer is of another run.
    """
    if window is not None and skip_iterations is not None:
        raise InvalidCommand("--window and --skip-iterations are mutually exclusive")
    if window is not None and not -inf < window[0] < window[1] < inf:
        raise InvalidCommand(
            f"--window {window[0]:g}:{window[1]:g}: expected BEGIN:END in seconds, such as 1.5:2"
        )
    rest: Window | None = None
    if skip_iterations is not None:
        window = rest = after_iterations(run, skip_iterations)
    described, summary = read_gated(run, rest)
    timeline = read_timeline(run, window)
    if window is not rest:
        summary = summary.replace(waits=read_waits(run, window))
    if rest is None:
        summary = _advised(run, summary)
    files = [Path(file) for file in samples]
    if files:
        summary = summary.replace(roofline=kernels_of(samples_of_run(run, files)))
    return Contents(
        described,
        summary,
        timeline,
        [read_answer(Path(path), summary.ranks) for path in whatif],
        wave_fields_of_run(run, files),
        ruptures_of_run(run, files),
    )


def _advised(run: Path, summary: Summary) -> Summary:
    """Add the answer of `waywiser advise` if the trace is small enough."""
    trace = summary.trace
    if summary.advice is not None or trace is None or trace.calls > MOST_ADVISED_CALLS:
        return summary

    from waywiser.api.advise import advise  # needs modules that `make demo` does not build

    with suppress(WaywiserError):  # a run without a replay still has a report
        summary = summary.replace(advice=advise(run))
    return diagnosed(summary)


def write_page(contents: Contents, output: Path, named: str) -> int:
    """Writes the page and returns its size in bytes.

    Args:
        named: name of the file in an error message.
    """
    html = page(*contents).encode("utf-8")
    try:
        write_output(output, html)
    except BrokenPipeError:
        raise  # the reader has gone, which is not a failure
    except OSError as error:
        raise _page_refused(named, error) from error
    return len(html)


def write_plots(contents: Contents, directory: Path) -> list[Path]:
    """Writes each plot as SVG, PNG and PDF."""
    try:
        return export_plots(drawn_plots(*contents[1:]), directory)
    except OSError as error:
        raise _plots_refused(directory, error) from error


def _page_refused(named: str, error: OSError) -> WaywiserError:
    sentence = f"{named}: {error.strerror}; nothing was written"
    accepted = "give a file in an existing directory that you may write to, with -o FILE"
    return _refused(error, sentence, accepted)


def _plots_refused(directory: Path, error: OSError) -> WaywiserError:
    sentence = f"--plots {directory}: {error.strerror}; the page was written"
    return _refused(error, sentence, "give a directory that you may write to, or a new name")


def _refused(error: OSError, sentence: str, accepted: str) -> WaywiserError:
    if isinstance(error, USERS_MISTAKES):
        return InvalidCommand(f"{sentence}; {accepted}")
    return NotSaved(sentence)
