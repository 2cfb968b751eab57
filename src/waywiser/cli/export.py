"""`waywiser export RUN --to FORMAT`: a run for other tools, or for other people."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from pathlib import Path

from waywiser.errors import InvalidCommand, InvalidRun, NotSaved
from waywiser.model.export import Export
from waywiser.store.anonymise import anonymise
from waywiser.store.directory import RunDirectory
from waywiser.store.durable import write_output
from waywiser.store.otf2 import export_otf2
from waywiser.store.read import read_run
from waywiser.store.trace_export import FORMATS, export_trace
from waywiser.units import nanoseconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Exports a run for other tools, or anonymised for other people."
    parser.epilog = (
        "json has the run's profile, all other formats its trace"
        " (docs/reference/exports.md says what each keeps)"
    )
    parser.add_argument("run", type=Path, metavar="RUN", help="directory of the run")
    parser.add_argument(
        "--to", choices=("json", *FORMATS, "otf2"), required=True, help="format to write"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        help="file to write, a directory for otf2; JSON goes to standard output without it",
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
    if arguments.to == "json":
        return export_profile(arguments)
    if arguments.output is None:
        raise InvalidCommand(f"--to {arguments.to} writes a file; name it with -o FILE")
    if arguments.anonymise:
        raise InvalidCommand(f"--anonymise goes with --to json, not with --to {arguments.to}")
    if arguments.to == "otf2":
        if arguments.window is not None:
            raise InvalidCommand("--window does not go with --to otf2, which holds the whole trace")
        export_otf2(arguments.run, arguments.output)
        say_losses(arguments.run)
        print(f"wrote {arguments.output / 'traces.otf2'}")
        return 0
    try:
        window = None if arguments.window is None else nanoseconds(arguments.window)
    except ValueError:
        raise InvalidCommand(
            f"--window {arguments.window} is no part of a time; write BEGIN:END in seconds,"
            " such as 1.5:2"
        ) from None
    export_trace(arguments.run, arguments.to, arguments.output, window)
    say_losses(arguments.run)
    print(f"wrote {arguments.output}")
    return 0


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
    if arguments.output is None:
        print(text)
        return 0
    try:
        write_output(arguments.output, text + "\n")
    except OSError as error:
        raise NotSaved(f"{arguments.output} cannot be written: {error.strerror}") from error
    print(f"wrote {arguments.output}")
    return 0
