"""Speed of ww-shallow's time steps on one core, and its share of the bound by bytes.

Every round runs each size of blocks, and each run measures what memory gives beside it, so that
ratios are of the same moment. The bound is that of the run's own roofline: what four stages must
read and write of each cell and level, and of the mesh once for all levels.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.common import (
    Record,
    add_output_options,
    add_program,
    at_least,
    check_program,
    in_rounds,
    json_lines,
    run,
)

BOUND_WANTED = 0.5
"""The best block size is timed, with 55 levels."""

Rounds = dict[int, list[Record]]
"""Samples, by cells of a block."""


def run_block(args: argparse.Namespace, block: int, directory: Path) -> Record:
    file = directory / "samples.jsonl"
    size = [f"--grid={args.grid}", f"--levels={args.levels}", f"--steps={args.steps}"]
    run([args.program, *size, f"--block={block}", f"--tries={args.tries}", f"--json={file}"])
    [sample] = json_lines(file.read_text(encoding="utf-8"))
    return sample


def measure(args: argparse.Namespace, directory: Path, add: Callable[[Record], None]) -> Rounds:
    """Raw samples go to `add`."""
    rounds: Rounds = {}
    for number in range(args.rounds):
        for block in args.blocks:
            sample = run_block(args, block, directory)
            add({"round": number, **sample})
            rounds.setdefault(block, []).append(sample)
    return rounds


def fraction(samples: list[Record]) -> float:
    """Share of the bound; median of the rounds."""
    return statistics.median(float(one["details"]["roofline"]["fraction"]) for one in samples)


def bars(args: argparse.Namespace, rounds: Rounds) -> list[Record]:
    title = f"ww-shallow with {args.levels} levels over the bound of its bytes, fp64, one core"
    best = max(fraction(samples) for samples in rounds.values())
    return [at_least(BOUND_WANTED, title, "ratio", best)]


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_program(parser, "ww-shallow")
    parser.add_argument("--grid", type=int, default=6, help="bisections (default: 6)")
    parser.add_argument("--levels", type=int, default=55, help="of water (default: 55)")
    parser.add_argument("--steps", type=int, default=5, help="of a try (default: 5)")
    parser.add_argument(
        "--blocks",
        type=int,
        nargs="+",
        default=[32, 64, 128],
        metavar="CELLS",
        help="cells of a block (default: 32 64 128)",
    )
    parser.add_argument("--rounds", type=int, default=5, help="of everything (default: 5)")
    parser.add_argument("--tries", type=int, default=3, help="of a round (default: 3)")
    add_output_options(parser, "shallow")
    args = parser.parse_args(argv)
    check_program(parser, args)
    if min(args.grid, args.levels, args.steps, args.rounds, args.tries, *args.blocks) < 1:
        parser.error("--grid, --levels, --steps, --blocks, --rounds and --tries start at 1")
    return args


def show(rounds: Rounds) -> None:
    for block, samples in rounds.items():
        rate = statistics.median(one["details"]["cell_levels_per_s"] for one in samples)
        print(
            f"blocks of {block:3} cells: {1e-6 * rate:8.3f} Mcell-levels/s, "
            f"{fraction(samples):.2f} of their bound"
        )


def main(argv: list[str] | None = None) -> int:
    args = parse(argv)
    return in_rounds(args, measure, show, partial(bars, args))


if __name__ == "__main__":
    sys.exit(main())
