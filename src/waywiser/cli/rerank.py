"""`waywiser rerank FILE -- mpirun -n 4 ./app`: gives a program's ranks another order."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.launch.check import check_program
from waywiser.launch.command import parse_command
from waywiser.launch.rank_order import check_rank_order
from waywiser.native import rerank_shim


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run an MPI program, not recompiled and not relinked, with its ranks in the order of "
        "FILE. Line r of FILE, counted from 0, is the launcher's rank of the process that becomes "
        "rank r. Processes stay where the launcher puts them. With FILE.places, which `waywiser "
        "machine places` writes, only the communicators that the program makes with a topology "
        "and reorder = true get another order: the best one on that machine. To profile it as "
        "well, give FILE to `waywiser profile --rerank`."
    )
    parser.usage = "waywiser rerank FILE -- LAUNCHER [options] PROGRAM [arguments]"
    parser.add_argument(
        "order", type=Path, metavar="FILE", help="order of the ranks, or machine for topologies"
    )
    parser.add_argument(
        "command",
        nargs=argparse.REMAINDER,
        help="command to run, as without Waywiser, after '--'",
    )


def run(arguments: argparse.Namespace) -> int:
    words = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    command = parse_command(words)
    for index in range(len(command.programs)):
        check_program(command, index)
    if arguments.order.suffix == ".toml":
        raise InvalidCommand(
            f"{arguments.order} is a machine file, which ranks cannot read; give what `waywiser "
            f"machine places {arguments.order} -o {arguments.order.stem}.places` writes"
        )
    _, sentence = check_rank_order(arguments.order, command)
    print(f"waywiser: {sentence}", file=sys.stderr)
    line = command.before_each_program([*rerank_shim(arguments.order), "--"])
    # exec: the launcher then gets signals, input and output directly.
    try:
        os.execvp(line[0], line)
    except OSError as error:
        raise InvalidCommand(f"{line[0]} cannot be started: {error.strerror}") from error
