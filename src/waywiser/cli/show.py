"""`waywiser show RUN`: the summary of a run, as a screen of text or as JSON."""

from __future__ import annotations

import argparse
from pathlib import Path

from waywiser.analyse.gate import read_gated
from waywiser.cli.arguments import declare
from waywiser.report.run.terminal import summary_text
from waywiser.store.waits import after_iterations


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print the summary of a run, as a screen of text or as JSON."
    declare(
        parser,
        """
        run RUN  directory of the run
        --json  print one JSON document
        --per-rank  add the values of each rank to the JSON document
        --skip-iterations N  exclude the first N iterations of the trace's main loop from all values
        """,
        {Path: "run", int: "skip-iterations"},
    )


def run(arguments: argparse.Namespace) -> int:
    skipped: int | None = arguments.skip_iterations
    window = None if skipped is None else after_iterations(arguments.run, skipped)
    _, summary = read_gated(arguments.run, window)
    if arguments.json:
        print(summary.model_dump_json(exclude=None if arguments.per_rank else {"per_rank"}))
    else:
        print(summary_text(summary, per_rank=arguments.per_rank), end="")
    return 0
