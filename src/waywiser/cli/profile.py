"""`waywiser profile -- mpirun -n 4 ./app`: runs an unmodified program under the profiler."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from waywiser.api.profile import run_profiled
from waywiser.cli.arguments import declare, named
from waywiser.measure import COPY_EVERY_S, OPTIONS, Outcome, TraceOptions
from waywiser.measure.values import count_of, factor_of, phase_of, seconds_of, size_of, window_of
from waywiser.model.run import Run

T = TypeVar("T")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run an MPI program, not recompiled and not relinked, under the profiler. "
        "Its output passes through unchanged, and its exit code becomes this command's."
    )
    parser.usage = "waywiser profile [OPTION ...] -- LAUNCHER [options] PROGRAM [arguments]"
    declare(
        parser,
        """
        -o, --output RUN  directory for the run, new or empty (default: PROGRAM-TIME.ww in the
            working directory)
        """,
        {named: "output"},
    )
    for option, help_text in OPTIONS.items():
        parser.add_argument(
            f"--{option}", dest="options", action="append_const", const=option, help=help_text
        )
    declare(
        parser,
        """
        --trace-limit SIZE  limit the trace of each process to SIZE, such as 500M or 2G; later calls
            are dropped and counted (default: 1 GiB)
        --trace-phase N  trace only phase N of the program (MPI_Pcontrol)
        --trace-window BEGIN:END  trace only this time, in seconds since the run's start
        --rerank FILE  reorder the ranks as `waywiser rerank FILE` does, or, with a machine
            (FILE.toml, FILE.places), those of topologies; the profile shows the new order
        --virtual MACHINE  follow the run on the clocks of MACHINE, without a trace, to predict its
            time there (sends a message of 40 bytes beside each of the program's)
        --cpu FACTOR  with --virtual: speed computation up by FACTOR (default: 1)
        --ranks-per-node N  with --virtual: put N consecutive ranks on each node (default: as in
            this run)
        --bare  run without the profiler, but record output, provenance and wall time
        --copy-every SECONDS  copy the state of each node's ranks into RUN every SECONDS; the last
            copy is what remains of a lost node (default: %(default)g)
        command  command to run, as without Waywiser, after '--'
        """,
        {
            _argument(size_of): "trace-limit",
            _argument(phase_of): "trace-phase",
            _argument(window_of): "trace-window",
            Path: "rerank",
            _argument(factor_of): "cpu",
            _argument(count_of): "ranks-per-node",
            _argument(seconds_of): "copy-every",
        },
        {"copy-every": COPY_EVERY_S, "command": {"nargs": argparse.REMAINDER}},
    )


def run(arguments: argparse.Namespace) -> int:
    words = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    outcome = run_profiled(
        words,
        arguments.output,
        arguments.options or (),
        copy_every=arguments.copy_every,
        bare=arguments.bare,
        trace=TraceOptions(arguments.trace_limit, arguments.trace_phase, arguments.trace_window),
        rerank=arguments.rerank,
        virtual=arguments.virtual,
        cpu=arguments.cpu,
        ranks_per_node=arguments.ranks_per_node,
    )
    if outcome.mid_line:
        print(file=sys.stderr)
    for sentence in [*outcome.notes, *_lost(outcome), *_where(outcome)]:
        print(f"waywiser: {sentence}", file=sys.stderr)
    if outcome.run.virtual is not None:
        from waywiser.report.run.virtual import virtual_lines

        print(*virtual_lines(outcome.run.virtual), sep="\n", file=sys.stderr)
    return outcome.exit_code or int(outcome.moved)


def _argument(parse: Callable[[str], T]) -> Callable[[str], T]:
    """Make a type for argparse whose error message is that of `parse`."""

    def parsed(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parsed


def _lost(outcome: Outcome) -> list[str]:
    """Sentences on calls that the trace lost."""
    return (
        [f"the trace: {sentence}" for sentence in outcome.run.trace.lost]
        if outcome.run.trace
        else []
    )


def _where(outcome: Outcome) -> list[str]:
    """A sentence with the command that shows the run; empty if nothing was profiled."""
    if outcome.directory is None or not outcome.ranks:
        return []
    place = shlex.quote(os.path.relpath(outcome.directory))
    ranks = "1 rank" if outcome.ranks == 1 else f"{outcome.ranks} ranks"
    return [f"profiled {ranks}{_state(outcome.run)}; see `waywiser show {place}`"]


def _state(run: Run) -> str:
    """The state of the data, with the exit code of a failed program; "" for a complete run of a
    program that succeeded."""
    if run.status == "complete":
        return ""
    data = "partial" if run.status == "partial" else "complete"
    return f" ({data}, failed with exit code {run.exit_code})" if run.exit_code else f" ({data})"
