"""`waywiser import FILE --from FORMAT -o RUN`: a trace of another tool as a run."""

from __future__ import annotations

import argparse
from pathlib import Path

from waywiser.cli.arguments import REQUIRED, declare, named
from waywiser.progress import progress
from waywiser.store.otf2 import import_otf2

FORMATS = {"otf2": import_otf2}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Import a trace of another tool as a run."
    parser.epilog = "docs/reference/otf2.md describes which records of a trace are read."
    declare(
        parser,
        """
        file FILE  trace to import; for OTF2 the file NAME.otf2
        --from  format of the trace
        -o, --output RUN  directory for the run
        """,
        {Path: "file", named: "output"},
        {"from": {"dest": "form", "choices": FORMATS, "required": True}, "output": REQUIRED},
    )


def run(arguments: argparse.Namespace) -> int:
    with progress("importing"):
        imported = FORMATS[arguments.form](arguments.file, arguments.output)
    print(f"wrote {arguments.output}: {imported.calls} MPI calls of {imported.ranks} ranks")
    return 0
