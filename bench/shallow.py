"""Measures the speed of ww-shallow's time steps on one core, and its share of the bound by bytes.

Every round runs each size of blocks, and each run also measures the memory bandwidth, so that
ratios are of the same moment. The bound is that of the run's own roofline. Its bytes are those that
four stages must read and write of each cell and level, and of the mesh once for all levels.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from bench.common import Add, Record, add_program, at_least, count, options, runner, samples_of

BOUND_TARGET = 0.5
"""Required share of the bound, for the best block size and 55 levels."""

Rounds = dict[int, list[Record]]
"""Samples by number of cells in a block."""


def run_block(args: argparse.Namespace, block: int, directory: Path) -> Record:
    size = [f"--grid={args.grid}", f"--levels={args.levels}", f"--steps={args.steps}"]
    timed = [f"--block={block}", f"--tries={args.tries}"]
    [sample] = samples_of([args.program, *size, *timed], directory)
    return sample


def measure(args: argparse.Namespace, directory: Path, add: Add) -> Rounds:
    rounds: Rounds = {}
    for number in range(args.rounds):
        for block in args.blocks:
            sample = run_block(args, block, directory)
            add({"round": number, **sample})
            rounds.setdefault(block, []).append(sample)
    return rounds


def fraction(samples: list[Record]) -> float:
    """Share of the bound; median of the rounds."""
    return statistics.median(float(sample["details"]["roofline"]["fraction"]) for sample in samples)


def bars(args: argparse.Namespace, rounds: Rounds) -> list[Record]:
    title = f"ww-shallow with {args.levels} levels over the bound of its bytes, fp64, one core"
    best = max(fraction(samples) for samples in rounds.values())
    return [at_least(BOUND_TARGET, title, "ratio", best)]


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = options(
        __name__,
        grid=(6, "bisections"),
        levels=(55, "of water"),
        steps=(5, "of a try"),
        rounds=(5, "of everything"),
        tries=(3, "of a round"),
    )
    add_program(parser, "ww-shallow")
    parser.add_argument(
        "--blocks",
        type=count(),
        nargs="+",
        default=[128, 1024, 8192],
        metavar="CELLS",
        help="cells of a block (default: 128 1024 8192)",
    )
    return parser.parse_args(argv)


def show(rounds: Rounds) -> None:
    for block, samples in rounds.items():
        rate = statistics.median(sample["details"]["cell_levels_per_s"] for sample in samples)
        print(
            f"blocks of {block:3} cells: {1e-6 * rate:8.3f} Mcell-levels/s, "
            f"{fraction(samples):.2f} of their bound"
        )


main = runner(parse, measure, bars, show)
