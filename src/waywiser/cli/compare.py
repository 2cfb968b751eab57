"""`waywiser compare A B`: which of two sets of runs is faster, by how much, and is that so?"""

from __future__ import annotations

import argparse
from pathlib import Path

from waywiser.cli.arguments import REPEATED, declare
from waywiser.cli.refusals import of_verdicts
from waywiser.report.answers.comparison import comparison_text
from waywiser.study.compared import compared


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Compare two sets of runs, configuration by configuration, also from different systems. A "
        "set is a study's directory, one of its configurations (STUDY.study/runs/CONFIGURATION), a "
        "run, or a directory of runs."
    )
    declare(
        parser,
        """
        a A  baseline: a run, a study or a directory of runs
        b B  candidate to compare with the baseline
        --metric NAME  compare this metric instead of the headline, e.g. run_time or
            mpi_share; may be repeated
        --ignore VALUE  match configurations without this value, e.g. mpi, because it differs on
            purpose; may be repeated
        --json  print one JSON document
        """,
        {Path: "a b"},
        {"metric": REPEATED, "ignore": REPEATED},
    )
    parser.add_argument(
        "--figure",  # old name, until 1.0
        dest="metric",
        action="append",
        default=[],
        help=argparse.SUPPRESS,
    )


def run(arguments: argparse.Namespace) -> int:
    set_comparison = compared(arguments.a, arguments.b, arguments.metric, arguments.ignore)
    print(
        set_comparison.model_dump_json(indent=1)
        if arguments.json
        else comparison_text(set_comparison)
    )
    return of_verdicts(
        set_comparison.gate,
        sum(comparison.kind != "refused" for comparison in set_comparison.comparisons),
    )
