"""Measures the speed of hops in ww-lattice on one core and on all, and its share of the bound by
bytes.

Every round runs both variants with registers, and each run also measures the memory bandwidth, so
that ratios are of the same moment. The bound is that of the run's own roofline: links, and spinors
that are read once and written past the caches, at the bandwidth of reading.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
from pathlib import Path

from bench.common import Add, Record, add_program, at_least, count, options, runner, samples_of

BOUND_TARGET = 0.8
"""Required share of the bound for `vector`, which reads full links: 1536 bytes a site."""

TWO_ROW_TARGET = 1.3
"""Required gain of `two-row`, which moves 1152 bytes a site, over `vector` with 1536."""

Rounds = dict[tuple[int, str], list[Record]]
"""Samples of hops, by number of threads and variant."""


VARIANTS = ("vector", "two-row")


def run_variant(
    args: argparse.Namespace, variant: str, threads: int, directory: Path
) -> list[Record]:
    size = [f"--{axis}={args.size[number]}" for number, axis in enumerate("xyzt")]
    timed = [f"--variant={variant}", f"--tries={args.tries}", "--tolerance=0.1"]
    settings = {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true"}
    return samples_of([args.program, *size, *timed], directory, **settings)


def measure(args: argparse.Namespace, directory: Path, add: Add) -> Rounds:
    rounds: Rounds = {}
    for number in range(args.rounds):
        for threads, variant in itertools.product(args.threads, VARIANTS):
            for sample in run_variant(args, variant, threads, directory):
                add({"round": number, **sample})
                if sample["phase"] == "hop":
                    rounds.setdefault((threads, variant), []).append(sample)
    return rounds


def fraction(samples: list[Record]) -> float:
    """Share of the bound; median of the rounds."""
    return statistics.median(float(sample["details"]["roofline"]["fraction"]) for sample in samples)


def gain(rounds: Rounds, threads: int, variant: str) -> float:
    """Gain of a variant over `vector`: the median of the rounds' ratios of times."""
    pairs = zip(rounds[threads, variant], rounds[threads, "vector"], strict=True)
    return statistics.median(
        float(vector["seconds"] / sample["seconds"]) for sample, vector in pairs
    )


def bars(args: argparse.Namespace, rounds: Rounds) -> list[Record]:
    results = []
    for threads in args.threads:
        case = f"fp64, {threads} core(s)"
        title = f"ww-lattice vector over the bound of its bytes, {case}"
        over = f"ww-lattice two-row over vector, {case}"
        results += [
            at_least(BOUND_TARGET, title, "ratio", fraction(rounds[threads, "vector"])),
            at_least(TWO_ROW_TARGET, over, "ratio", gain(rounds, threads, "two-row")),
        ]
    return results


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = options(__name__, rounds=(5, "of everything"), tries=(5, "timed hops a round"))
    add_program(parser, "ww-lattice")
    parser.add_argument(
        "--size",
        type=count(),
        nargs=4,
        default=[16, 16, 16, 32],
        metavar=("X", "Y", "Z", "T"),
        help="sites on each axis (default: 16 16 16 32)",
    )
    parser.add_argument(
        "--threads",
        type=count(),
        nargs="+",
        default=sorted({1, len(os.sched_getaffinity(0))}),
        metavar="N",
        help="threads of the runs (default: one, and as many as there are cores)",
    )
    return parser.parse_args(argv)


def show(rounds: Rounds) -> None:
    for (threads, variant), samples in rounds.items():
        sites = statistics.median(sample["details"]["sites_per_s"] for sample in samples)
        print(
            f"{threads:3} core(s), {variant:10} {1e-6 * sites:8.3f} Msite/s, "
            f"{fraction(samples):.2f} of its bound, "
            f"{gain(rounds, threads, variant):.2f} times as fast as vector"
        )


main = runner(parse, measure, bars, show)
