"""`waywiser advise RUN`: what would make a run faster, and by how much."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from waywiser.analyse.advice.advice import advice
from waywiser.analyse.whatif.recorded import read_base
from waywiser.cli.answer_options import add_base_options, add_output, refuse_empty
from waywiser.report.advice import advice_text
from waywiser.report.answer_files import check_output, document_text, write_advice
from waywiser.store.advice import keep_advice
from waywiser.store.durable import beside


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Computes the POP efficiencies of a traced run, and ranks what would make it faster by "
        "replays in which one thing is changed at a time."
    )
    refuse_empty(parser)
    parser.add_argument("run", type=Path, metavar="RUN", help="directory of a traced run")
    add_base_options(parser)
    add_output(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(action=run)


def run(arguments: argparse.Namespace) -> int:
    options = shlex.join(["--from", arguments.machine]) if arguments.machine else ""
    if arguments.output is not None:
        check_output(arguments.output)
    base = read_base(arguments.run, arguments.machine)
    found = advice(base, options)
    keep_advice(arguments.run, found)
    if arguments.output is not None:
        write_advice(found, arguments.output)
    text = document_text(found) if arguments.json else advice_text(found)
    print(text, end="", file=beside(arguments.output))
    return 0
