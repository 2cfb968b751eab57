"""Measures the start time of verbs, compared with Python itself.

Every round starts a bare Python, `waywiser --help`, `waywiser --version` and `waywiser show` of a
small run, a process each. A slow moment of the machine thus affects all of them. The limits are on
processor time in starts of bare Python, as other work on the machine changes wall time more.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

from bench.common import Add, Record, add_program, at_most, options, runner, spawned
from bench.scale import make_run

RANKS = 4
"""Number of ranks of the run that is shown."""

BARE = "python"
LIMITS_S = {"--help": 0.15, "--version": 0.1, "show": 0.4}
BARE_S = 0.02
"""Processor time of bare Python on the machine of the limits (AMD EPYC, Python 3.11)."""


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = options(__name__, rounds=(21, "of all four"))
    add_program(parser, "waywiser")
    return parser.parse_args(argv)


Rounds = list[dict[str, Record]]
"""Started command -> its times, for every round."""


def measure(args: argparse.Namespace, directory: Path, add: Add) -> Rounds:
    """Times of the rounds, after an extra round that loads files into memory."""
    rounds = []
    waywiser = args.program
    commands = {
        BARE: [sys.executable, "-c", "pass"],
        "--help": [waywiser, "--help"],
        "--version": [waywiser, "--version"],
        "show": [waywiser, "show", make_run(directory, RANKS)],
    }
    for number in range(-1, args.rounds):
        results = {name: spawned(command) for name, command in commands.items()}
        if number >= 0:
            rounds.append(results)
            for name, record in results.items():
                add({"round": number, "started": name, **record})
    return rounds


def median_of(rounds: Rounds, name: str, key: str) -> float:
    return float(statistics.median(results[name][key] for results in rounds))


def bars(_: argparse.Namespace, rounds: Rounds) -> list[Record]:
    return [
        at_most(
            limit / BARE_S,
            f"{name}, in starts of bare Python",
            "ratio",
            statistics.median(
                results[name]["cpu_seconds"] / results[BARE]["cpu_seconds"] for results in rounds
            ),
            cpu_seconds=median_of(rounds, name, "cpu_seconds"),
            bare_cpu_seconds=median_of(rounds, BARE, "cpu_seconds"),
        )
        for name, limit in LIMITS_S.items()
    ]


def show(rounds: Rounds) -> None:
    print(f"{'':10}{'processor, s':>14}{'clock, s':>10}  medians of {len(rounds)} rounds")
    for name in (BARE, *LIMITS_S):
        cpu, clock = (median_of(rounds, name, key) for key in ("cpu_seconds", "seconds"))
        print(f"{name:10}{cpu:14.3f}{clock:10.3f}")


main = runner(parse, measure, bars, show)
