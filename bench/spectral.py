"""Share of dgemm's speed that the Legendre transforms of ww-spectral reach on one core.

Every round is a run that measures both, by the same library: dgemm with square matrices, and the
products of round trips with the sums of hemispheres and the copies into messages around them.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.common import (
    Record,
    add_output_options,
    add_program,
    at_least,
    check_program,
    json_lines,
    raw_samples,
    report_bars,
    run,
)

FRACTION_WANTED = 0.6
"""With 32 fields or more, so that Legendre functions are read once for many columns."""

Rounds = list[Record]
"""Samples of round trips."""


def run_once(args: argparse.Namespace, folder: Path) -> list[Record]:
    file = folder / "samples.jsonl"
    size = [f"--truncation={args.truncation}", f"--levels={args.levels}"]
    run([args.program, *size, f"--tries={args.tries}", "--steps=1", f"--json={file}"])
    return json_lines(file.read_text(encoding="utf-8"))


def measure(args: argparse.Namespace, folder: Path, add: Callable[[Record], None]) -> Rounds:
    """Raw samples go to `add`."""
    rounds: Rounds = []
    for number in range(args.rounds):
        for sample in run_once(args, folder):
            add({"round": number, **sample})
            if sample["phase"] == "round-trip":
                rounds.append(sample)
    return rounds


def fraction(rounds: Rounds) -> float:
    """Of dgemm; median of the rounds."""
    return statistics.median(float(one["details"]["legendre"]["fraction"]) for one in rounds)


def bars(rounds: Rounds) -> list[Record]:
    title = "Legendre transforms of ww-spectral over dgemm, one core"
    return [at_least(FRACTION_WANTED, title, "ratio", fraction(rounds))]


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_program(parser, "ww-spectral")
    parser.add_argument(
        "--truncation", type=int, default=159, help="greatest degree (default: 159)"
    )
    parser.add_argument("--levels", type=int, default=32, help="fields (default: 32)")
    parser.add_argument("--rounds", type=int, default=5, help="of everything (default: 5)")
    parser.add_argument("--tries", type=int, default=5, help="round trips a round (default: 5)")
    add_output_options(parser, "spectral")
    args = parser.parse_args(argv)
    check_program(parser, args)
    if min(args.rounds, args.tries, args.levels) < 1 or args.truncation < 5:
        parser.error("--rounds, --tries and --levels start at 1, and --truncation at 5")
    return args


def show(rounds: Rounds) -> None:
    points = statistics.median(float(one["details"]["points_per_s"]) for one in rounds)
    print(
        f"round trips {1e-6 * points:8.3f} Mpoint/s, "
        f"Legendre transforms {fraction(rounds):.2f} of dgemm"
    )


def main(argv: list[str] | None = None) -> int:
    args = parse(argv)
    with tempfile.TemporaryDirectory() as name, raw_samples(args.out) as add:
        rounds = measure(args, Path(name), add)
    if not args.bars:
        show(rounds)
    return report_bars(bars(rounds), print_all=args.bars)


if __name__ == "__main__":
    sys.exit(main())
