"""Exports a run's trace to other tools' formats."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from waywiser.errors import InvalidCommand, InvalidRun, NotSaved
from waywiser.native._native import InvalidInput, NativeError, Progress, trace_formats
from waywiser.native._native import export_trace as native_export
from waywiser.progress import progress
from waywiser.store.directory import RunDirectory
from waywiser.store.durable import STDOUT, sync_file
from waywiser.store.parquet import write_parquet


class Format(NamedTuple):
    """A format, and the parts of a trace that it stores."""

    takes_window: bool
    file: str
    keeps: str
    loses: str


FORMATS = {
    form.name: Format(form.takes_window, form.file, form.keeps, form.loses)
    for form in trace_formats()
}
FORMATS["parquet"] = FORMATS["csv"]._replace(file="Parquet, compressed with zstd: the rows of csv")


SEVERAL_FILES = ("paraver", "simgrid-ti")
"""Formats of several files, which cannot be written to standard output."""

WHOLE = (0, 2**64 - 1)
"""Begin and end of a window that all calls of a trace are in."""


def trace_file(run: Path) -> Path:
    """
    Raises:
        InvalidRun: the run has no trace.
    """
    trace = RunDirectory(run).trace
    if not trace.exists():
        raise InvalidRun(f"{run} has no trace; record one with waywiser profile --trace")
    return trace


def export_trace(run: Path, form: str, output: Path, window: tuple[int, int] | None = None) -> None:
    """Writes the trace of a run.

    Args:
        output: a file, or `STDOUT`.
        window: begin and end of the exported part, in ns since the trace's start.

    Raises:
        InvalidRun: the run has no trace, or the trace cannot be read.
        InvalidCommand: the format takes no window, or has several files for standard output.
        NotSaved: `output` cannot be written.
    """
    trace = trace_file(run)
    if window and not FORMATS[form].takes_window:
        raise InvalidCommand(
            f"--window and --to {form} are mutually exclusive: a replay of a part would wait for "
            "messages that are not in it"
        )
    if output == STDOUT:
        if form in SEVERAL_FILES:
            raise InvalidCommand(f"--to {form} writes several files; name the first with -o FILE")
        with _pipe_to_stdout() as pipe:
            return export_trace(run, form, pipe, window)
    try:
        if form == "parquet":
            write_parquet(lambda pipe: _write(trace, "csv", pipe, window), output)
            if output.is_file():
                sync_file(output)
        else:
            _write(trace, form, str(output), window)
    except InvalidInput as error:
        raise InvalidRun(str(error)) from error
    except NativeError as error:
        raise NotSaved(str(error)) from error


def _write(trace: Path, form: str, output: str, window: tuple[int, int] | None) -> None:
    so_far = Progress()
    with progress("exporting calls", so_far):
        native_export(str(trace), form, output, *(window or WHOLE), so_far)


@contextmanager
def _pipe_to_stdout() -> Iterator[Path]:
    """A file name for writers that need one: its contents go to standard output, which is neither
    truncated nor opened again."""
    source, target = os.pipe()

    def forward() -> None:
        with open(source, "rb") as read:
            shutil.copyfileobj(read, sys.stdout.buffer)

    sys.stdout.flush()
    with ThreadPoolExecutor(1) as pool:
        forwarded = pool.submit(forward)
        try:
            yield Path(f"/dev/fd/{target}")
        finally:
            os.close(target)
            forwarded.result()
    sys.stdout.buffer.flush()
