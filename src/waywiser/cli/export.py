"""`waywiser export RUN --to FORMAT`: a run for other tools, or for other people."""

from __future__ import annotations

import argparse
from pathlib import Path

from waywiser.errors import NotSaved
from waywiser.model.export import Export
from waywiser.store import read_run
from waywiser.store.anonymise import anonymise

FORMATS = ("json",)


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser("export", help="a run for others", description=__doc__)
    parser.add_argument("run", type=Path, metavar="RUN", help="directory of the run")
    parser.add_argument("--to", choices=FORMATS, required=True, help="format to write")
    parser.add_argument("-o", "--output", type=Path, help="file to write; without it, stdout")
    parser.add_argument(
        "--anonymise", action="store_true", help="leave out user, host and path names"
    )
    parser.set_defaults(action=run)


def run(arguments: argparse.Namespace) -> int:
    described, summary = read_run(arguments.run)
    if arguments.anonymise:
        described, summary = anonymise(described, summary)
    text = Export.model_construct(run=described, summary=summary).model_dump_json()
    if arguments.output is None:
        print(text)
        return 0
    try:
        with arguments.output.open("w", encoding="utf-8") as file:
            print(text, file=file)
    except OSError as error:
        raise NotSaved(f"{arguments.output} cannot be written: {error.strerror}") from error
    print(f"wrote {arguments.output}")
    return 0
