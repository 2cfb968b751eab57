"""Measures the overhead per MPI call of recording a trace, compared with that of a minimal wrapper.

Every round runs the same calls four ways, one process each and one after the other. The calls run
alone, under a minimal wrapper (two time stamps, six counters), under the profile, and under the
profile with a trace. The overhead of recording is the median of its blocks minus that of the
profile, of the same round.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from bench.common import Add, Record, at_most, runner
from bench.profiler import (
    MINIMAL,
    SPIN,
    Round,
    added,
    call_options,
    commands,
    in_rounds,
    median_added,
    medians,
    show,
    spin_of,
)

ADDED_OVER_MINIMAL = 1.0
"""Largest ratio of the recording's overhead over the profile to the minimal wrapper's overhead."""

PROFILE, TRACE = "profile", "trace"


def parse(argv: list[str] | None) -> argparse.Namespace:
    return call_options(__name__, blocks=50, calls=4000).parse_args(argv)


def measure(args: argparse.Namespace, directory: Path, add: Add) -> list[Round]:
    tools = commands(args, directory, {PROFILE: "", TRACE: "trace"})
    return [medians(result) for result in in_rounds(args, directory, add, tools)]


def bars(_: argparse.Namespace, rounds: list[Round]) -> list[Record]:
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
            spin_of(rounds, TRACE),
            profile=spin_of(rounds, PROFILE),
        ),
    ]


main = runner(parse, measure, bars, show)
