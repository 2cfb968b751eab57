"""`waywiser machine usage`: use of a machine and waiting of its jobs, from accounts."""

from __future__ import annotations

import argparse
from pathlib import Path

from waywiser.analyse.usage import usage_of
from waywiser.cli.arguments import JSON, Actions, add_action, declare
from waywiser.errors import InvalidCommand
from waywiser.machines.accounts.read import read_accounts
from waywiser.model.usage import Unit
from waywiser.progress import progress
from waywiser.report.machines.usage import usage_text
from waywiser.store.durable import STDOUT, save_output

MOST = 1 << 31
"""Largest number of nodes or cores of a machine."""


def add_usage(actions: Actions) -> None:
    usage = add_action(
        actions,
        "usage",
        run_usage,
        "report use and waiting times from a batch system's accounts",
        "files FILE  accounts to read",
        {Path: "files"},
        {"files": {"nargs": "+"}},
        description="Read accounts of a batch system: the output of `sacct -P` or `sacct --json`, "
        "files of Slurm's jobcomp/filetxt, or accounting records of PBS. Print the use by month, "
        "and waiting and bounded slowdown by size of job. No user's name is read (docs/usage.md).",
    )
    declare(
        usage.add_mutually_exclusive_group(),
        """
        --nodes N  count nodes, of which the machine has N
        --cores N  count cores, of which the machine has N
        """,
        {int: "nodes cores"},
    )
    declare(
        usage,
        f"""
        --period PERIOD  restrict to a year, month or day, or from one to another: 2020-01..2020-06
        --compare PERIOD  compare two periods, with intervals by a block bootstrap over weeks
        -o, --output PAGE  write an HTML page, PAGE.html, or '-'
        {JSON}
        """,
        {Path: "output"},
        {"compare": {"nargs": 2}},
    )


def run_usage(arguments: argparse.Namespace) -> int:
    output: Path | None = arguments.output
    if output is not None and output != STDOUT and output.suffix != ".html":
        raise InvalidCommand(f"-o {output}: expected FILE.html, or - for standard output")
    sizes: dict[Unit, int | None] = {"nodes": arguments.nodes, "cores": arguments.cores}
    unit, size = next((pair for pair in sizes.items() if pair[1] is not None), (None, None))
    if size is not None and not 1 <= size < MOST:
        raise InvalidCommand(f"--{unit} {size}: expected 1 to {MOST - 1}")
    compared = None if arguments.compare is None else tuple(arguments.compare)
    with progress("reading accounts"):
        jobs = read_accounts(arguments.files)
    with progress("counting jobs"):
        usage = usage_of(jobs, unit, size, arguments.period, compared)
    if output is not None:
        from waywiser.report.machines.usage_page import usage_page  # takes 0.5 s to import

        save_output(output, usage_page(usage))
        if output != STDOUT:
            print(f"wrote {output}")
        return 0
    print(usage.model_dump_json(indent=1) if arguments.json else usage_text(usage))
    return 0
