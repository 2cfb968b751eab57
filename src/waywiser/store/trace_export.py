"""A run's trace in other tools' formats."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from waywiser.errors import InvalidCommand, InvalidRun, NotSaved
from waywiser.native._native import InvalidInput, NativeError, trace_formats
from waywiser.native._native import export_trace as native_export
from waywiser.store.directory import RunDirectory
from waywiser.store.durable import sync_file
from waywiser.store.parquet import write_parquet


class Format(NamedTuple):
    """What one is, and what it has of a trace."""

    takes_window: bool
    file: str
    keeps: str
    loses: str


FORMATS = {
    form.name: Format(form.takes_window, form.file, form.keeps, form.loses)
    for form in trace_formats()
}
FORMATS["parquet"] = FORMATS["csv"]._replace(file="Parquet, compressed with zstd: the rows of csv")


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
        window: begin and end of what is wanted, in ns since the trace's begin.

    Raises:
        InvalidRun: it has no trace, or that cannot be read.
        InvalidCommand: the format takes no window.
        NotSaved: `output` cannot be written.
    """
    trace = trace_file(run)
    if window and not FORMATS[form].takes_window:
        raise InvalidCommand(
            f"--window does not go with --to {form}: a replay of a part would wait for messages"
            " that are not in it"
        )
    try:
        if form == "parquet":
            write_parquet(
                lambda pipe: native_export(str(trace), "csv", pipe, *(window or ())), output
            )
            sync_file(output)
        else:
            native_export(str(trace), form, str(output), *(window or ()))
    except InvalidInput as error:
        raise InvalidRun(str(error)) from error
    except NativeError as error:
        raise NotSaved(str(error)) from error
