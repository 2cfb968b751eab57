"""Compares ww-memory and ww-grid with the memory bandwidth of the same run, and with hpcscan.

Every round runs ww-memory, hpcscan's case Memory, ww-grid and hpcscan's case Grid, so that a slow
moment of the machine affects all of them. Both count by their best try, since hpcscan prints no
other. GB/s are counted as in hpcscan, without write-allocates.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

from bench import common
from bench.common import Add, Record

MEMORY = ("fill", "copy", "add", "multiply", "add-update")
GRID = ("fill", "max-error", "l1-error", "sum-abs", "sum-abs-difference", "max", "min")
REDUCTIONS = GRID[1:]
FIRST_COLUMN = 12
"""First column of hpcscan.perf.CASE.log after the case's name: GB/s and GPoint/s by kernel."""

OF_READ_TARGET = 0.7
"""Required share of the read bandwidth for reductions, which read their arrays once and do little
else. hpcscan's reductions reach a quarter."""

OF_HPCSCAN_TARGET = 1.0


def ours(args: argparse.Namespace, name: str, directory: Path) -> list[Record]:
    command = [args.programs / f"ww-{name}", f"--n1={args.n}", f"--tries={args.tries}"]
    return common.samples_of(command, directory, OMP_NUM_THREADS=str(args.threads))


def hpcscan(args: argparse.Namespace, case: str, names: tuple[str, ...], directory: Path) -> Record:
    """GB/s by kernel."""
    log = directory / f"hpcscan.perf.{case}.log"
    log.unlink(missing_ok=True)
    n = [word for axis in (1, 2, 3) for word in (f"-n{axis}", str(args.n))]
    command = [args.peer["hpcscan"], "-testCase", case, *n, "-ntry", str(args.tries)]
    common.run(command, directory, OMP_NUM_THREADS=str(args.threads))
    words = log.read_text(encoding="utf-8").split()
    columns = words[words.index(case) + FIRST_COLUMN :: 2]
    return {name: float(word) for name, word in zip(names, columns, strict=False)}


def best_gb_per_s(samples: list[Record]) -> dict[str, float]:
    """GB/s of the fastest try of any variant, by phase."""
    best: dict[str, float] = {}
    for sample in samples:
        rate = sample["bytes"] / min(sample["details"]["tries_s"]) * 1e-9
        best[sample["phase"]] = max(rate, best.get(sample["phase"], 0))
    return best


def share_of_read(samples: list[Record]) -> dict[str, float]:
    """Speed of each reduction, as the median of its tries over the best of reading alone."""
    return {
        sample["phase"]: sample["details"]["roofline"]["fraction"]
        for sample in samples
        if sample["phase"] in REDUCTIONS and sample["variant"] == "vectorised"
    }


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = common.options(
        __name__,
        n=(400, "points on each axis"),
        threads=(2, "of each program"),
        tries=(5, "of each kernel"),
        rounds=(9, "of all programs"),
    )
    common.add_programs(parser, "ww-memory", "ww-grid")
    common.add_peers(
        parser,
        "its program, for the same MPI library; without it those bars are skipped",
        "hpcscan",
    )
    args = parser.parse_args(argv)
    if not args.peer:
        print("bench: bars against hpcscan are skipped: no --peer hpcscan=PATH", file=sys.stderr)
    return args


Rounds = dict[str, list[dict[str, float]]]


def measure(args: argparse.Namespace, directory: Path, add: Add) -> Rounds:
    """The results of each round, by name of the measurement."""
    results: Rounds = {"memory": [], "grid": [], "of read": [], "read": []}
    for number in range(args.rounds):
        for case, names in (("Memory", MEMORY), ("Grid", GRID)):
            samples = ours(args, case.lower(), directory)
            for sample in samples:
                add({"round": number, **sample})
            results[case.lower()].append(best_gb_per_s(samples))
            if args.peer:
                rates = hpcscan(args, case, names, directory)
                labels = {"peer": "hpcscan", "case": case, **common.build_of(args.peer["hpcscan"])}
                add({"round": number, **labels, "GB_per_s": rates})
                results.setdefault(f"hpcscan {case}", []).append(rates)
        results["of read"].append(share_of_read(samples))
        limits = samples[0]["details"]["roofline"]
        results["read"].append({"read_GB_per_s": limits["read_Bps"] * 1e-9})
    return results


def median_of(rounds: list[dict[str, float]], name: str) -> float:
    return statistics.median(values[name] for values in rounds)


def bars(_: argparse.Namespace, results: Rounds) -> list[Record]:
    read = median_of(results["read"], "read_GB_per_s")
    lines = [
        common.at_least(
            OF_READ_TARGET,
            f"ww-grid {name} over reading alone",
            "ratio",
            median_of(results["of read"], name),
            read_GB_per_s=read,
        )
        for name in REDUCTIONS
    ]
    for case, names in (("Memory", MEMORY), ("Grid", GRID)):
        theirs = results.get(f"hpcscan {case}")
        if theirs is None:
            continue
        for name in names:
            mine = results[case.lower()]
            ratio = statistics.median(a[name] / b[name] for a, b in zip(mine, theirs, strict=True))
            lines.append(
                common.at_least(
                    OF_HPCSCAN_TARGET,
                    f"ww-{case.lower()} {name} over hpcscan",
                    "ratio",
                    ratio,
                    GB_per_s=median_of(mine, name),
                    hpcscan_GB_per_s=median_of(theirs, name),
                )
            )
    return lines


def show(results: Rounds) -> None:
    for measurement, rounds in results.items():
        print(f"{measurement}, {len(rounds)} rounds: median (smallest to greatest)")
        for name in rounds[0]:
            print(f"  {name:20} {common.spread([values[name] for values in rounds], 9, 2)}")


main = common.runner(parse, measure, bars, show)
