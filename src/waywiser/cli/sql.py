"""`waywiser sql QUERY RUN…`: queries the tables of runs in SQL."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from waywiser.cli.arguments import declare
from waywiser.errors import InvalidCommand
from waywiser.progress import progress
from waywiser.store.durable import STDOUT, save_output

if TYPE_CHECKING:
    from waywiser.api.frame import Frame


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Answer a query over the tables of runs, in DuckDB's SQL."
    parser.epilog = (
        "The tables are runs, functions, ranks, matrix, calls and others; docs/reference/tables.md "
        "lists them. Each has a column `run` with the run's directory."
    )
    declare(
        parser,
        """
        query QUERY  query, as 'SELECT * FROM runs'
        runs RUN  directory of a run, or a directory of which all runs are taken
        --to  format of the answer (default: %(default)s)
        -o, --output FILE  file to write (default: '-', standard output)
        """,
        {Path: "runs output"},
        {
            "runs": {"nargs": "+"},
            "to": {"choices": ("table", "csv", "parquet"), "default": "table"},
            "output": STDOUT,
        },
    )


def run(arguments: argparse.Namespace) -> int:
    import duckdb

    from waywiser.api.sql import one_line, sql  # takes 0.4 s to import

    answer = sql(arguments.query, *arguments.runs)
    try:
        with progress("answering"):
            content = _table(answer) if arguments.to == "table" else answer.to_bytes(arguments.to)
    except duckdb.Error as error:  # a query may fail at a row of its answer
        raise InvalidCommand(one_line(error)) from error
    save_output(arguments.output, content)
    return 0


def _table(answer: Frame) -> str:
    from waywiser.api.frame import aligned

    return aligned([*answer.columns], (row.values() for row in answer)) + "\n"
