"""`waywiser profile -- mpirun -n 4 ./app`: runs an unmodified program under the profiler."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from waywiser.errors import InvalidCommand
from waywiser.measure import COPY_EVERY_S, OPTIONS, Outcome, TraceOptions, profile_program
from waywiser.model.run import Run
from waywiser.units import nanoseconds

if TYPE_CHECKING:
    from waywiser.model.virtual_settings import VirtualSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Runs an MPI program, not recompiled and not relinked, under the profiler. "
        "Its output passes through unchanged, and its exit code becomes this command's."
    )
    parser.usage = (
        "waywiser profile [-o RUN] [--split-sync] [--callsites] [--posix-io] [--sharing] "
        "[--trace] [--trace-limit SIZE] [--trace-phase N] [--trace-window BEGIN:END] "
        "[--copy-every SECONDS] [--rerank FILE] "
        "[--virtual MACHINE] [--cpu FACTOR] [--ranks-per-node N] [--bare] -- "
        "LAUNCHER [options] PROGRAM [arguments]"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="RUN",
        help="directory for the run, new or empty (default: PROGRAM-TIME.ww in the working "
        "directory)",
    )
    for option, what in OPTIONS.items():
        parser.add_argument(
            f"--{option}", dest="options", action="append_const", const=option, help=what
        )
    parser.add_argument(
        "--trace-limit",
        type=_size,
        metavar="SIZE",
        help="limit the trace of each process to SIZE, such as 500M or 2G; later calls are "
        "dropped and counted (default: 1 GiB)",
    )
    parser.add_argument(
        "--trace-phase",
        type=_phase,
        metavar="N",
        help="trace only phase N of the program (MPI_Pcontrol)",
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
        help="reorder the ranks as `waywiser rerank FILE` does, or, with a machine (FILE.toml, "
        "FILE.places), those of topologies; the profile shows the new order",
    )
    parser.add_argument(
        "--virtual",
        metavar="MACHINE",
        help="follow the run on the clocks of MACHINE, without a trace, to predict its time "
        "there (sends a message of 40 bytes beside each of the program's)",
    )
    parser.add_argument(
        "--cpu",
        type=_factor,
        metavar="FACTOR",
        help="with --virtual: speed computation up by FACTOR (default: 1)",
    )
    parser.add_argument(
        "--ranks-per-node",
        type=_count,
        metavar="N",
        help="with --virtual: put N consecutive ranks on each node (default: as in this run)",
    )
    parser.add_argument(
        "--bare",
        action="store_true",
        help="run without the profiler, but record output, provenance and wall time",
    )
    parser.add_argument(
        "--copy-every",
        type=_seconds,
        default=COPY_EVERY_S,
        metavar="SECONDS",
        help="copy the state of each node's ranks into RUN every SECONDS; the last copy is "
        "what remains of a lost node (default: %(default)g)",
    )
    parser.add_argument(
        "command",
        nargs=argparse.REMAINDER,
        help="command to run, as without Waywiser, after '--'",
    )
    parser.set_defaults(action=run)


def run(arguments: argparse.Namespace) -> int:
    words = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    if arguments.bare and arguments.options:
        raise InvalidCommand(f"--bare and --{arguments.options[0]} are mutually exclusive")
    trace = TraceOptions(arguments.trace_limit, arguments.trace_phase, arguments.trace_window)
    if trace != TraceOptions() and "trace" not in (arguments.options or ()):
        raise InvalidCommand(
            "--trace-limit, --trace-phase and --trace-window say what is traced; add --trace"
        )
    clocks = _clocks(arguments)
    outcome = profile_program(
        words,
        arguments.output,
        arguments.options or (),
        arguments.copy_every,
        bare=arguments.bare,
        trace=trace,
        rank_order=arguments.rerank,
        rank_places=_places(arguments.rerank),
        clocks=clocks,
    )
    if outcome.mid_line:
        print(file=sys.stderr)
    for sentence in [*outcome.notes, *_lost(outcome), *_where(outcome)]:
        print(f"waywiser: {sentence}", file=sys.stderr)
    if outcome.run.virtual is not None:
        from waywiser.report.virtual import virtual_lines

        print(*virtual_lines(outcome.run.virtual), sep="\n", file=sys.stderr)
    return outcome.exit_code or int(outcome.moved)


def _places(order: Path | None) -> str:
    """What ranks read of the machine that --rerank names; nothing where it names no machine."""
    if order is None or order.suffix != ".toml":
        return ""
    from waywiser.machines.library import read_machine
    from waywiser.machines.places import places_text

    return places_text(read_machine(str(order)), str(order))


def _clocks(arguments: argparse.Namespace) -> VirtualSettings | None:
    """What --virtual asks for."""
    if arguments.virtual is None:
        for option in ("cpu", "ranks_per_node"):
            if getattr(arguments, option) is not None:
                raise InvalidCommand(
                    f"--{option.replace('_', '-')} is of the machine that --virtual names; add "
                    "--virtual MACHINE"
                )
        return None
    if arguments.bare:
        raise InvalidCommand("--bare and --virtual are mutually exclusive")
    # Every profile would start later by a seventh with the models of machines.
    from waywiser.machines.library import read_machine
    from waywiser.model.virtual_settings import virtual_settings

    cpu = 1.0 if arguments.cpu is None else arguments.cpu
    machine = read_machine(arguments.virtual)
    return virtual_settings(arguments.virtual, machine, cpu, arguments.ranks_per_node)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.1 <= seconds <= 300:
        raise argparse.ArgumentTypeError(f"expected 0.1 to 300 seconds, got {text}")
    return seconds


def _factor(text: str) -> float:
    try:
        factor = float(text)
    except ValueError:
        factor = 0.0
    if not 0 < factor < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number more than 0, got {text}")
    return factor


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number of 1 or more, got {text}")
    return int(text)


def _phase(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected the number of a phase, 0 or more, got {text}")
    return int(text)


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kMGT]?)B?", text)
    size = int(float(match[1]) * 1000 ** " kMGT".index(match[2] or " ")) if match else 0
    if size < 1:
        raise argparse.ArgumentTypeError(f"expected a size such as 500M or 2G, got {text}")
    return size


def _window(text: str) -> tuple[int, int]:
    try:
        return nanoseconds(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected BEGIN:END in seconds, such as 1.5:2, got {text}"
        ) from None


def _lost(outcome: Outcome) -> list[str]:
    """What the trace has not."""
    return (
        [f"the trace: {sentence}" for sentence in outcome.run.trace.lost]
        if outcome.run.trace
        else []
    )


def _where(outcome: Outcome) -> list[str]:
    """How to go on from here."""
    if outcome.directory is None or not outcome.ranks:
        return []
    place = shlex.quote(os.path.relpath(outcome.directory))
    ranks = "1 rank" if outcome.ranks == 1 else f"{outcome.ranks} ranks"
    return [f"profiled {ranks}{_state(outcome.run)}; see `waywiser show {place}`"]


def _state(run: Run) -> str:
    """Of the data, and of a program that failed; nothing where both are as they should be."""
    if run.status == "complete":
        return ""
    data = "partial" if run.status == "partial" else "complete"
    return f" ({data}, failed with exit code {run.exit_code})" if run.exit_code else f" ({data})"
