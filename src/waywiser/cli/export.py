"""`waywiser export RUN --to FORMAT`: a run for other tools, or for other people."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from pathlib import Path

from waywiser.errors import InvalidCommand, InvalidRun
from waywiser.model.export import Export
from waywiser.store.anonymise import anonymise
from waywiser.store.directory import RunDirectory
from waywiser.store.durable import STDOUT, save_output
from waywiser.store.otf2 import export_otf2
from waywiser.store.read import read_run
from waywiser.store.trace_export import FORMATS, export_trace
from waywiser.units import nanoseconds

CALLS = "calls"
"""The table that a trace has."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Exports a run for other tools, or anonymised for other people."
    parser.epilog = (
        "json has the run's profile, csv and parquet one of its tables (docs/reference/tables.md), "
        "all other formats its trace (docs/reference/exports.md says what each keeps)"
    )
    parser.add_argument("run", type=Path, metavar="RUN", help="directory of the run")
    parser.add_argument(
        "--to", choices=("json", *FORMATS, "otf2"), required=True, help="format to write"
    )
    parser.add_argument(
        "--table",
        metavar="TABLE",
        help="with csv and parquet: write this table, e.g. functions, ranks or matrix "
        "(default: calls, the calls of the trace)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="file to write, a directory for otf2, '-' for standard output; JSON goes there "
        "without it",
    )
    parser.add_argument(
        "--anonymise",
        action="store_true",
        help="remove everything that names a user, host, path or account (json only; see "
        "SECURITY.md)",
    )
    parser.add_argument(
        "--window",
        metavar="BEGIN:END",
        help="export only the calls in this part of the trace, in seconds since its start",
    )
    parser.set_defaults(action=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.table is not None and arguments.to not in ("csv", "parquet"):
        raise InvalidCommand(f"--table requires --to csv or parquet, not --to {arguments.to}")
    if arguments.to == "json":
        return export_profile(arguments)
    if arguments.output is None:
        raise InvalidCommand(f"--to {arguments.to} writes a file; name it with -o FILE")
    if arguments.anonymise:
        raise InvalidCommand(f"--anonymise goes with --to json, not with --to {arguments.to}")
    if arguments.table not in (None, CALLS):
        return export_table(arguments)
    return export_calls(arguments)


def export_calls(arguments: argparse.Namespace) -> int:
    if arguments.to == "otf2":
        if arguments.window is not None:
            raise InvalidCommand("--window does not go with --to otf2, which holds the whole trace")
        if arguments.output == STDOUT:
            raise InvalidCommand("--to otf2 writes a directory; name it with -o DIR")
        export_otf2(arguments.run, arguments.output)
        say_losses(arguments.run)
        print(f"wrote {arguments.output / 'traces.otf2'}")
        return 0
    try:
        window = None if arguments.window is None else nanoseconds(arguments.window)
    except ValueError:
        raise InvalidCommand(
            f"--window {arguments.window} is not a time window; write BEGIN:END in seconds,"
            " such as 1.5:2"
        ) from None
    export_trace(arguments.run, arguments.to, arguments.output, window)
    say_losses(arguments.run)
    say_written(arguments.output)
    return 0


def export_table(arguments: argparse.Namespace) -> int:
    if arguments.window is not None:
        raise InvalidCommand(f"--window goes with --table calls, not with {arguments.table}")
    from waywiser.api.run import Run  # what makes tables takes 0.4 s to import
    from waywiser.api.tables import TABLES

    if arguments.table not in TABLES:
        raise InvalidCommand(
            f"--table {arguments.table}: no such table; expected one of {', '.join(TABLES)}, calls"
        )
    opened = Run(arguments.run)
    save_output(arguments.output, opened.table(arguments.table).to_bytes(arguments.to))
    for sentence in opened.summary.lost:
        print(f"waywiser: {sentence}", file=sys.stderr)
    say_written(arguments.output)
    return 0


def say_written(output: Path) -> None:
    if output != STDOUT:
        print(f"wrote {output}")


def say_losses(run: Path) -> None:
    """What is missing in the trace is missing in the other format, too."""
    with suppress(InvalidRun):  # a trace without its run
        for sentence in _lost(RunDirectory(run)):
            print(f"waywiser: the trace: {sentence}", file=sys.stderr)


def _lost(files: RunDirectory) -> tuple[str, ...]:
    trace = files.checked_trace(files.read_run())
    return trace.lost if trace else ()


def export_profile(arguments: argparse.Namespace) -> int:
    if arguments.window is not None:
        raise InvalidCommand("--window goes with a trace's formats, not with --to json")
    described, summary = read_run(arguments.run)
    if arguments.anonymise:
        described, summary = anonymise(described, summary)
    text = Export.model_construct(run=described, summary=summary).model_dump_json()
    output = arguments.output or STDOUT
    save_output(output, text + "\n")
    say_written(output)
    return 0
