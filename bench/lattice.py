"""Measures the speed of hops in ww-lattice on one core, and its share of the bound by bytes.

Every round runs both variants with registers, and each run also measures the memory bandwidth, so
that ratios are of the same moment. The bound is that of the run's own roofline: links, and spinors
that are read once and written past the caches, at the bandwidth of reading.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from bench.common import Add, Record, add_program, at_least, count, options, runner, samples_of

BOUND_WANTED = 0.8
"""Required share of the bound for `vector`, which reads full links: 1536 bytes a site."""

TWO_ROW_WANTED = 1.3
"""Required gain of `two-row`, which moves 1152 bytes a site, over `vector` with 1536."""

Rounds = dict[str, list[Record]]
"""Samples of hops, by variant."""


VARIANTS = ("vector", "two-row")


def run_variant(args: argparse.Namespace, variant: str, directory: Path) -> list[Record]:
    size = [f"--{axis}={args.size[number]}" for number, axis in enumerate("xyzt")]
    timed = [f"--variant={variant}", f"--tries={args.tries}", "--tolerance=0.1"]
    return samples_of([args.program, *size, *timed], directory)


def measure(args: argparse.Namespace, directory: Path, add: Add) -> Rounds:
    rounds: Rounds = {}
    for number in range(args.rounds):
        for variant in VARIANTS:
            for sample in run_variant(args, variant, directory):
                add({"round": number, **sample})
                if sample["phase"] == "hop":
                    rounds.setdefault(variant, []).append(sample)
    return rounds


def fraction(samples: list[Record]) -> float:
    """Share of the bound; median of the rounds."""
    return statistics.median(float(one["details"]["roofline"]["fraction"]) for one in samples)


def gain(rounds: Rounds, variant: str) -> float:
    """Gain of a variant over `vector`: the median of the rounds' ratios of times."""
    pairs = zip(rounds[variant], rounds["vector"], strict=True)
    return statistics.median(float(vector["seconds"] / one["seconds"]) for one, vector in pairs)


def bars(_: argparse.Namespace, rounds: Rounds) -> list[Record]:
    case = "fp64, one core"
    title = f"ww-lattice vector over the bound of its bytes, {case}"
    over = f"ww-lattice two-row over vector, {case}"
    return [
        at_least(BOUND_WANTED, title, "ratio", fraction(rounds["vector"])),
        at_least(TWO_ROW_WANTED, over, "ratio", gain(rounds, "two-row")),
    ]


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
    return parser.parse_args(argv)


def show(rounds: Rounds) -> None:
    for variant, samples in rounds.items():
        sites = statistics.median(one["details"]["sites_per_s"] for one in samples)
        print(
            f"{variant:10} {1e-6 * sites:8.3f} Msite/s, {fraction(samples):.2f} of its bound, "
            f"{gain(rounds, variant):.2f} times as fast as vector"
        )


main = runner(parse, measure, bars, show)
