"""What recording a trace adds to an MPI call beyond the profile, and what a minimal wrapper adds.

Every round runs the same calls four ways, one process each and one after the other. The calls run
alone, under a minimal wrapper (two time stamps, six counters), under the profile, and under the
profile with a trace. What recording adds is the median of its blocks over that of the profile, of
the same round.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from bench.common import Record, add_output_options, at_most, raw_samples, report_bars
from bench.profiler import (
    ALONE,
    MINIMAL,
    Round,
    add_call_options,
    added,
    check_call_options,
    compile_with,
    median_added,
    ns_per_call,
    run_calls,
    show,
)
from waywiser.native import PROFILER, SHIM

ADDED_OVER_MINIMAL = 1.0
"""Limit of what recording adds to the profile, in what the minimal wrapper adds to the program."""

SPIN = 1.5
"""A loop on a pending MPI_Test may take this much longer than alone."""

PROFILE, TRACE = "profile", "trace"


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_call_options(parser, blocks=50, calls=4000)
    add_output_options(parser, "trace")
    args = parser.parse_args(argv)
    check_call_options(parser, args)
    return args


def commands(args: argparse.Namespace, directory: Path) -> dict[str, list[str]]:
    """Tool -> command line."""
    (directory / "run" / "parts").mkdir(parents=True)
    wrapper = compile_with(
        args.mpicc, "minimal_wrapper.c", directory / "minimal.so", "-fPIC", "-shared"
    )
    program = compile_with(args.mpicc, "calls.c", directory / "calls")
    calls = [str(program), str(args.blocks), str(args.calls)]
    shim = [str(SHIM), str(PROFILER), str(directory / "run"), str(directory / "state")]
    return {
        ALONE: calls,
        MINIMAL: ["env", f"LD_PRELOAD={wrapper}", *calls],
        PROFILE: [*shim, "", *calls],
        TRACE: [*shim, "trace", *calls],
    }


def measure(args: argparse.Namespace) -> list[Round]:
    rounds: list[Round] = []
    with tempfile.TemporaryDirectory() as name, raw_samples(args.out) as add:
        directory = Path(name)
        tools = commands(args, directory)
        for number in range(args.rounds):
            of_round: Round = {}
            for tool, command in tools.items():
                records = run_calls(command, args.cpu, directory)
                for record in records:
                    add({"round": number, "tool": tool, **record})
                of_round[tool] = ns_per_call(records)
            rounds.append(of_round)
    return rounds


def bars(rounds: list[Round]) -> list[Record]:
    own = statistics.median(added(r, TRACE) - added(r, PROFILE) for r in rounds)
    return [
        at_most(
            ADDED_OVER_MINIMAL,
            "what recording five calls adds to the profile over the minimal wrapper's",
            "ratio",
            statistics.median(
                (added(r, TRACE) - added(r, PROFILE)) / added(r, MINIMAL) for r in rounds
            ),
            trace_ns=own,
            minimal_ns=median_added(rounds, MINIMAL),
        ),
        at_most(
            SPIN,
            "a recorded loop on a pending MPI_Test over the same alone",
            "ratio",
            statistics.median(r[TRACE]["Test"] / r[ALONE]["Test"] for r in rounds),
            profile=statistics.median(r[PROFILE]["Test"] / r[ALONE]["Test"] for r in rounds),
        ),
    ]


def main(argv: list[str] | None = None) -> int:
    args = parse(argv)
    rounds = measure(args)
    if not args.bars:
        show(rounds)
    return report_bars(bars(rounds), print_all=args.bars)


if __name__ == "__main__":
    sys.exit(main())
