"""`waywiser.export`: a run for other tools, or for other people."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from waywiser.errors import InvalidCommand, InvalidRun, there_is_no
from waywiser.inputs import check_choice
from waywiser.model.export import Export
from waywiser.progress import progress
from waywiser.store.anonymise import anonymise as anonymised
from waywiser.store.directory import RunDirectory
from waywiser.store.durable import STDOUT, save_output
from waywiser.store.otf2 import export_otf2
from waywiser.store.read import read_run
from waywiser.store.trace_export import FORMATS, export_trace
from waywiser.units import nanoseconds

CALLS = "calls"
"""Name of the table of a trace."""

TO = ("json", *FORMATS, "otf2")
TABLED = ("csv", "parquet")
"""Formats of tables."""


@progress("exporting")
def export(
    run: str | os.PathLike[str],
    to: str,
    output: str | os.PathLike[str] | None = None,
    *,
    table: str | None = None,
    anonymise: bool = False,
    window: str | tuple[float, float] | None = None,
) -> tuple[str, ...]:
    """Writes a run, its trace or one of its tables in another format.

    Arguments are the options of `waywiser export`.

    Args:
        to: "json" for the run's profile, "csv" or "parquet" for a table, or a trace's format.
        output: a file, for "otf2" a directory, or "-" for standard output, the default of "json".
        table: name of the table for "csv" and "parquet"; None: the calls of the trace.
        window: begin and end, in seconds, of the exported calls.

    Returns:
        Sentences on data that is missing in the run, and so in the file.

    Raises:
        WaywiserError: as `waywiser export` reports it.
    """
    directory, file = Path(run), None if output is None else Path(output)
    part = window if window is None or isinstance(window, str) else f"{window[0]}:{window[1]}"
    check_choice("--to", to, TO)
    if table is not None and to not in TABLED:
        raise InvalidCommand(f"--table requires --to csv or parquet, not --to {to}")
    if to == "json":
        if part is not None:
            raise InvalidCommand("--window requires a format of the trace, not --to json")
        _export_profile(directory, file or STDOUT, anonymise)
        return ()
    if file is None:
        raise InvalidCommand(f"--to {to} writes a file; name it with -o FILE")
    if anonymise:
        raise InvalidCommand(f"--anonymise requires --to json, not --to {to}")
    if table not in (None, CALLS):
        if part is not None:
            raise InvalidCommand(f"--window requires --table calls, not {table}")
        return _export_table(directory, to, file, table)
    if to == "otf2":
        _export_otf2(directory, file, part)
    else:
        export_trace(directory, to, file, _window(part))
    return _losses(directory)


def _export_profile(run: Path, output: Path, anonymise: bool) -> None:
    described, summary = read_run(run)
    if anonymise:
        described, summary = anonymised(described, summary)
    text = Export.model_construct(run=described, summary=summary).model_dump_json()
    save_output(output, text + "\n")


def _export_table(directory: Path, to: str, output: Path, table: str) -> tuple[str, ...]:
    from waywiser.api.run import Run  # takes 0.4 s to import
    from waywiser.api.tables import TABLES

    if table not in TABLES:
        raise InvalidCommand(f"--table: {there_is_no(table, (*TABLES, 'calls'))}")
    run = Run(directory)
    save_output(output, run.table(table).to_bytes("csv" if to == "csv" else "parquet"))
    return run.summary.lost


def _export_otf2(run: Path, output: Path, window: str | None) -> None:
    if window is not None:
        raise InvalidCommand("--window and --to otf2, the whole trace, are mutually exclusive")
    if output == STDOUT:
        raise InvalidCommand("--to otf2 writes a directory; name it with -o DIR")
    export_otf2(run, output)


def _window(text: str | None) -> tuple[int, int] | None:
    try:
        return None if text is None else nanoseconds(text)
    except ValueError:
        raise InvalidCommand(
            f"--window {text} is not a time window; write BEGIN:END in seconds, such as 1.5:2"
        ) from None


def _losses(run: Path) -> tuple[str, ...]:
    """Sentences on data that is missing in the trace, and so in the exported file."""
    with suppress(InvalidRun):  # a trace without its run
        files = RunDirectory(run)
        trace = files.checked_trace(files.read_run())
        return tuple(f"the trace: {sentence}" for sentence in (trace.lost if trace else ()))
    return ()
