"""Whether the verdicts of studies hold their error rate, and find what is there to be found.

Simulated with the noise of `tests/noise.py`, whose truth is known. Every study and comparison goes
through the same functions as a user's, and is one line of the raw samples.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.common import machine, report_bars
from tests import noise
from tests.noise import Noise
from waywiser.stats.compare import compare_paired, compare_sweep

Record = dict[str, Any]

STUDIES, POINTS, BLOCKS = 1000, 40, 10
FALSE_WANTED = 0.05
COMPARISONS, GAIN = 1000, 1.03
POWER_WANTED: dict[Noise, float] = {noise.normal: 0.9, noise.skewed: 0.6, noise.drifting: 0.9}
SEED = 40


def equal_points(make: Noise) -> Iterator[Record]:
    """Studies in which no point differs: the verdicts on each, counted by their kind."""
    rng = np.random.default_rng(SEED)
    for number in range(STUDIES):
        times = make(rng, (POINTS, BLOCKS, 2))
        verdicts = compare_sweep(list(zip(times[:, :, 0], times[:, :, 1], strict=True)))
        kinds = Counter(verdict.kind for verdict in verdicts)
        yield {"sample": "study", "noise": make.__name__, "number": number, "verdicts": kinds}


def true_gains(make: Noise) -> Iterator[Record]:
    """Comparisons of one point with a true gain."""
    rng = np.random.default_rng(SEED)
    for number, (slow, fast) in enumerate(make(rng, (COMPARISONS, BLOCKS, 2)).swapaxes(1, 2)):
        verdict = compare_paired(GAIN * slow, fast)
        found = {"kind": verdict.kind, "low": verdict.low, "high": verdict.high}
        yield {"sample": "comparison", "noise": make.__name__, "number": number, **found}


def statistics(record: Callable[[Record], None]) -> list[Record]:
    """Bars of the error rate and of the power under each noise."""
    bars = []
    for make, power_wanted in POWER_WANTED.items():
        false = found = 0
        for sample in equal_points(make):
            record(sample)
            false += any(kind in sample["verdicts"] for kind in ("faster", "slower"))
        for sample in true_gains(make):
            record(sample)
            found += sample["kind"] == "faster"
        share, power = false / STUDIES, found / COMPARISONS
        bars += [
            {
                "bar": f"studies of {POINTS} equal points with a false verdict, {make.__name__}",
                "kind": "absolute",
                "value": share,
                "wanted": f"<= {FALSE_WANTED}",
                "holds": share <= FALSE_WANTED,
            },
            {
                "bar": f"a gain of 3 % found with {BLOCKS} blocks, {make.__name__}",
                "kind": "absolute",
                "value": power,
                "wanted": f">= {power_wanted}",
                "holds": power >= power_wanted,
            },
        ]
    return bars


GROUPS = {"statistics": statistics}
"""Groups of bars by name; each writes its raw samples through the function that it is given."""


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bars", action="store_true", help="print one line for every bar")
    parser.add_argument("--group", choices=GROUPS, help="run only these bars")
    parser.add_argument(
        "--out", type=Path, default=Path("bench/results/study.jsonl"), help="raw samples"
    )
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    args = parse(argv)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    bars = []
    with args.out.open("w", encoding="utf-8") as out:

        def record(sample: Record) -> None:
            out.write(json.dumps(sample) + "\n")

        record(machine())
        for name, group in GROUPS.items():
            if args.group in (None, name):
                begin = time.perf_counter()
                bars += group(record)
                print(f"{name}: {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    return report_bars(bars, print_all=args.bars)


if __name__ == "__main__":
    sys.exit(main())
