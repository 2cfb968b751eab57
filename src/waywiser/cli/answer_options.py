"""Options that `waywiser whatif` and `waywiser advise` have in common."""

from __future__ import annotations

import argparse
from pathlib import Path

from waywiser.report.answer_files import ENDINGS


def refuse_empty(parser: argparse.ArgumentParser) -> None:
    """Make options refuse empty values, as of unset shell variables: without them, another question
    would be answered."""
    parser.register("type", None, _not_empty)


def _not_empty(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("expected a value, found none")
    return text


def add_base_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--from",
        dest="machine",
        metavar="MACHINE",
        help="machine on which the run was recorded, a file or a name; messages share its links "
        "if it lists the run's hosts (default: costs of messages estimated from the trace)",
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add the options that write an answer to a file, in addition to standard output."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help=f"write a page, a plot or its data, by the file's suffix: {', '.join(ENDINGS)};"
        " '-' writes the page to standard output",
    )
