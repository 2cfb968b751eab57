"""`waywiser profile -- mpirun -n 4 ./app`: runs an unmodified program under the profiler."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.measure import OPTIONS, Outcome, TraceOptions, profile_program
from waywiser.store.trace_export import nanoseconds


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "profile",
        help="run a program under the profiler",
        description="Runs an MPI program, not recompiled and not relinked, under the profiler. "
        "Its output passes through unchanged, and its exit code becomes this command's.",
        usage="waywiser profile [-o RUN] [--split-sync] [--callsites] [--posix-io] "
        "[--trace] [--trace-limit SIZE] [--trace-phase N] [--trace-window BEGIN:END] "
        "[--copy-every SECONDS] [--rerank FILE] [--bare] -- LAUNCHER [options] PROGRAM [arguments]",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="RUN",
        help="directory for the run, which must not exist or be empty; "
        "PROGRAM-TIME.ww in the working folder if not given",
    )
    for option, what in OPTIONS.items():
        parser.add_argument(
            f"--{option}", dest="options", action="append_const", const=option, help=what
        )
    parser.add_argument(
        "--trace-limit",
        type=_size,
        metavar="SIZE",
        help="how much each process may write of its trace, such as 500M or 2G; what comes after "
        "is dropped, and counted (default: 1 GiB)",
    )
    parser.add_argument(
        "--trace-phase",
        type=int,
        metavar="N",
        help="trace only what the program does in phase N (MPI_Pcontrol)",
    )
    parser.add_argument(
        "--trace-window",
        type=_window,
        metavar="BEGIN:END",
        help="trace only this time, in seconds since the run's start",
    )
    parser.add_argument(
        "--rerank",
        type=Path,
        metavar="FILE",
        help="give the ranks another order, as `waywiser rerank FILE` does; the profile shows it",
    )
    parser.add_argument(
        "--bare",
        action="store_true",
        help="leave the profiler away and keep the rest, its output, provenance and times: what "
        "the program does alone",
    )
    parser.add_argument(
        "--copy-every",
        type=_seconds,
        default=30.0,
        metavar="SECONDS",
        help="how often each node copies its ranks' state into RUN, which is what remains of a "
        "node that is lost (default: 30)",
    )
    parser.add_argument(
        "command",
        nargs=argparse.REMAINDER,
        help="what you would type without Waywiser, after '--'",
    )
    parser.set_defaults(action=run)


def run(arguments: argparse.Namespace) -> int:
    words = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    if arguments.bare and arguments.options:
        raise InvalidCommand(
            f"--bare leaves the profiler away, without which there is no --{arguments.options[0]}"
        )
    trace = TraceOptions(arguments.trace_limit, arguments.trace_phase, arguments.trace_window)
    if trace != TraceOptions() and "trace" not in (arguments.options or ()):
        raise InvalidCommand(
            "--trace-limit, --trace-phase and --trace-window say what is traced; add --trace"
        )
    outcome = profile_program(
        words,
        arguments.output,
        arguments.options or (),
        arguments.copy_every,
        bare=arguments.bare,
        trace=trace,
        rank_order=arguments.rerank,
    )
    if outcome.mid_line:
        print(file=sys.stderr)
    for sentence in [*outcome.notes, *_where(outcome)]:
        print(f"waywiser: {sentence}", file=sys.stderr)
    return outcome.exit_code or int(outcome.moved)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.1 <= seconds <= 300:
        raise argparse.ArgumentTypeError(f"expected 0.1 to 300 seconds, got {text}")
    return seconds


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kMGT]?)B?", text)
    if not match:
        raise argparse.ArgumentTypeError(f"expected a size such as 500M or 2G, got {text}")
    return int(float(match[1]) * 1000 ** " kMGT".index(match[2] or " "))


def _window(text: str) -> tuple[int, int]:
    try:
        return nanoseconds(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected BEGIN:END in seconds, such as 1.5:2, got {text}"
        ) from None


def _where(outcome: Outcome) -> list[str]:
    """How to go on from here."""
    if outcome.directory is None or not outcome.ranks:
        return []
    place = shlex.quote(os.path.relpath(outcome.directory))
    ranks = "1 rank" if outcome.ranks == 1 else f"{outcome.ranks} ranks"
    state = "" if outcome.run.status == "complete" else f" ({outcome.run.status})"
    return [f"profiled {ranks}{state}; see `waywiser show {place}`"]
