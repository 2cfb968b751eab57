"""How long a verb takes to start, compared with Python itself.

Every round starts a bare Python, `waywiser --help`, `waywiser --version` and `waywiser show` of a
small run, a process each. A slow moment of the machine is thus in all of them. Judged is processor
time, which other work on the machine changes less than time by the clock, in starts of bare Python.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench.common import (
    Record,
    add_output_options,
    add_program,
    at_most,
    check_program,
    raw_samples,
    report_bars,
)
from bench.scale import make_run

RANKS = 4
"""Number of ranks of the run that is shown."""

BARE = "python"
LIMITS_S = {"--help": 0.15, "--version": 0.1, "show": 0.4}
BARE_S = 0.02
"""Processor time of bare Python on the machine that the limits are for (AMD EPYC, Python 3.11)."""


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=21, help="of all four (default: 21)")
    add_program(parser, "waywiser")
    add_output_options(parser, "startup")
    args = parser.parse_args(argv)
    check_program(parser, args)
    if args.rounds < 1:
        parser.error("--rounds starts at 1")
    return args


def start(command: list[str]) -> Record:
    """Times of one process, whose output is left out."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    begin = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - begin
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"bench: {' '.join(command)} failed")
    return {"cpu_seconds": usage.ru_utime + usage.ru_stime, "seconds": seconds}


def measure(args: argparse.Namespace) -> list[dict[str, Record]]:
    """What is started -> its times, of every round; raw samples go to `--out`. A round that is not
    among them comes first, so that files are in memory."""
    rounds = []
    with tempfile.TemporaryDirectory() as name, raw_samples(args.out) as add:
        run = make_run(Path(name), RANKS)
        waywiser = str(args.program)
        commands = {
            BARE: [sys.executable, "-c", "pass"],
            "--help": [waywiser, "--help"],
            "--version": [waywiser, "--version"],
            "show": [waywiser, "show", str(run)],
        }
        for number in range(-1, args.rounds):
            found = {what: start(command) for what, command in commands.items()}
            if number >= 0:
                rounds.append(found)
                for what, record in found.items():
                    add({"round": number, "started": what, **record})
    return rounds


def median_of(rounds: list[dict[str, Record]], what: str, key: str) -> float:
    return float(statistics.median(one[what][key] for one in rounds))


def bars(rounds: list[dict[str, Record]]) -> list[Record]:
    return [
        at_most(
            limit / BARE_S,
            f"{what}, in starts of bare Python",
            "ratio",
            statistics.median(
                one[what]["cpu_seconds"] / one[BARE]["cpu_seconds"] for one in rounds
            ),
            cpu_seconds=median_of(rounds, what, "cpu_seconds"),
            bare_cpu_seconds=median_of(rounds, BARE, "cpu_seconds"),
        )
        for what, limit in LIMITS_S.items()
    ]


def main(argv: list[str] | None = None) -> int:
    args = parse(argv)
    rounds = measure(args)
    if not args.bars:
        print(f"{'':10}{'processor, s':>14}{'clock, s':>10}  medians of {len(rounds)} rounds")
        for what in (BARE, *LIMITS_S):
            cpu, clock = (median_of(rounds, what, key) for key in ("cpu_seconds", "seconds"))
            print(f"{what:10}{cpu:14.3f}{clock:10.3f}")
    return report_bars(bars(rounds), print_all=args.bars)


if __name__ == "__main__":
    sys.exit(main())
