"""Options that `waywiser whatif` and `waywiser advise` have in common."""

from __future__ import annotations

import argparse
from pathlib import Path

from waywiser.cli.arguments import JSON, declare
from waywiser.report.answers.files import ENDINGS


def add_answer_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options, and refuses empty values, as from unset shell variables: without the value,
    the answer would be to another question."""
    parser.register("type", None, _not_empty)
    declare(
        parser,
        f"""
        --from MACHINE  machine on which the run was recorded, a file or a name; messages share its
            links if it lists the run's hosts (default: costs of messages estimated from the trace)
        -o, --output FILE  write a page, a plot or its data, by the file's suffix:
            {", ".join(ENDINGS)}; '-' writes the page to standard output
        {JSON}
        """,
        {Path: "output"},
        {"from": {"dest": "machine"}},
    )


def _not_empty(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("expected a value, found none")
    return text
