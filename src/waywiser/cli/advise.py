"""`waywiser advise RUN`: what would make a run faster, and by how much."""

from __future__ import annotations

import argparse
from pathlib import Path

from waywiser.api.advise import advise
from waywiser.cli.answer_options import add_answer_options
from waywiser.cli.refusals import of_predictions
from waywiser.report.answers.advice import advice_text
from waywiser.report.answers.files import document_text
from waywiser.store.durable import beside


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Compute the POP efficiencies of a traced run, and rank what would make it faster by "
        "replays in which one thing is changed at a time."
    )
    parser.add_argument("run", type=Path, metavar="RUN", help="directory of a traced run")
    add_answer_options(parser)


def run(arguments: argparse.Namespace) -> int:
    advice = advise(arguments.run, from_=arguments.machine, output=arguments.output)
    text = document_text(advice) if arguments.json else advice_text(advice)
    print(text, end="", file=beside(arguments.output))
    return of_predictions(advice.gate)
