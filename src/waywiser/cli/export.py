"""`waywiser export RUN --to FORMAT`: a run for other tools, or for other people."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from waywiser.api.export import TO, export
from waywiser.cli.arguments import declare
from waywiser.store.durable import STDOUT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Export a run for other tools, or anonymised for other people."
    parser.epilog = (
        "formats:\n"
        "  json          the run's profile\n"
        "  csv, parquet  one of its tables (docs/reference/tables.md)\n"
        "  others        its trace; docs/reference/exports.md says what each keeps"
    )
    declare(
        parser,
        """
        run RUN  directory of the run
        --to  format to write
        --table TABLE  with csv and parquet: write this table, e.g. functions, ranks or matrix
            (default: calls, the calls of the trace)
        -o, --output FILE  file to write, a directory for otf2, '-' for standard output; JSON goes
            there without it
        --anonymise  remove everything that names a user, host, path or account (json only; see
            SECURITY.md)
        --window BEGIN:END  export only the calls in this part of the trace, in seconds since its
            start
        """,
        {Path: "run output"},
        {"to": {"choices": TO, "required": True}},
    )


def run(arguments: argparse.Namespace) -> int:
    output: Path | None = arguments.output
    losses = export(
        arguments.run,
        arguments.to,
        output,
        table=arguments.table,
        anonymise=arguments.anonymise,
        window=arguments.window,
    )
    for sentence in losses:
        print(f"waywiser: {sentence}", file=sys.stderr)
    if output is not None and output != STDOUT:
        print(f"wrote {output / 'traces.otf2' if arguments.to == 'otf2' else output}")
    return 0
