"""How fast ww-minife assembles and iterates, compared with STREAM's triad of the same moment.

Every round runs the triad and then ww-minife, so that a slow moment of the machine is in both.
Set-up is given in microseconds per element. The first touch of its memory is printed separately, as
a virtual machine's host clears those pages at any rate between 0.5 and 10 GB/s. Conjugate gradients
are given as bandwidth over the triad's. Then come all variants side by side, see
bench/solving/variants.py.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.common import (
    Record,
    add_compiler,
    add_launcher,
    add_output_options,
    add_program,
    at_least,
    at_most,
    check_launcher,
    check_program,
    compiled,
    raw_samples,
    report_bars,
)
from bench.solving import variants

SETUP_WANTED_US = 0.5
"""Limit: 340 B a row are written, 0.03 us at 10 GB/s, and an element takes 1966 flops, 0.04 us at
50 GFLOP/s. A core with AVX-512 reached 0.11, with AVX2 0.14, with SSE2 alone 0.36; this keeps the
slowest of them safe on a slower core. The original miniFE takes 1.9 where its figures were
measured.
"""

RATIO_WANTED = 0.7
"""The original miniFE reaches 0.82 of the roofline of one iteration (445 B a row) where it was
measured. A CSR product has gathers and short rows, which the triad has not. A machine whose cores
share little bandwidth has room for less than that at two ranks, hence a tenth below.
"""


def run_triad(program: Path, megabytes: int, copies: int) -> list[Record]:
    """`copies` at once, as many as ww-minife has ranks; each has its part of the bytes."""
    command = [str(program), str(max(1, megabytes // copies)), "10"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(copies)]
    outputs = [process.communicate()[0] for process in running]
    if any(process.returncode != 0 for process in running):
        raise SystemExit(f"bench: {' '.join(command)} failed")
    return [
        {**json.loads(line), "copy": copy, "copies": copies}
        for copy, output in enumerate(outputs)
        for line in output.splitlines()
    ]


def triad_gb_per_s(records: list[Record]) -> float:
    """Sum over the copies of each one's median."""
    by_copy: dict[int, list[float]] = {}
    for record in records:
        if record["loop"] == "triad":
            rate = record["bytes"] / record["seconds"] * 1e-9
            by_copy.setdefault(record["copy"], []).append(rate)
    return sum(statistics.median(rates) for rates in by_copy.values())


def first_touch_gb_per_s(records: list[Record]) -> float:
    """What a plain loop reaches on memory that it is the first to write."""
    rates = [r["bytes"] / r["seconds"] * 1e-9 for r in records if r["loop"] == "first-touch"]
    return float(sum(rates))


def run_minife(args: argparse.Namespace, ranks: int, directory: Path) -> list[Record]:
    options = (f"--nx={args.nx}", f"--iterations={args.iterations}", "--fixed-iterations")
    return variants.run_variant(args, ranks, options, directory)[1]


def figures(samples: list[Record], triad: list[Record], elements: int) -> dict[str, float]:
    by_phase = {sample["phase"]: sample for sample in samples}
    seconds = {phase: sample["seconds"] for phase, sample in by_phase.items()}
    cg = by_phase["cg"]
    bandwidth = cg["bytes"] / cg["seconds"] * 1e-9
    triad_bandwidth = triad_gb_per_s(triad)
    setup_s = seconds["structure"] + seconds["assembly"] + seconds["boundary"]
    return {
        "triad_GB_per_s": triad_bandwidth,
        "first_touch_us_per_element": 1e6 * seconds["memory"] / elements,
        "first_touch_over_plain_loop": by_phase["memory"]["bytes"]
        / seconds["memory"]
        * 1e-9
        / first_touch_gb_per_s(triad),
        "setup_us_per_element": 1e6 * setup_s / elements,
        "structure_us_per_element": 1e6 * seconds["structure"] / elements,
        "assembly_us_per_element": 1e6 * seconds["assembly"] / elements,
        "boundary_us_per_element": 1e6 * seconds["boundary"] / elements,
        "cg_ns_per_row_and_iteration": 1e9
        * cg["seconds"]
        / (cg["points"] * cg["parameters"]["iterations"]),
        "cg_GB_per_s": bandwidth,
        "cg_over_triad": bandwidth / triad_bandwidth,
    }


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_program(parser, "ww-minife")
    add_launcher(parser)
    parser.add_argument(
        "--ranks", type=int, nargs="+", default=[1, 2], help="numbers of ranks (default: 1 2)"
    )
    parser.add_argument("--nx", type=int, default=100, help="elements on each axis (default: 100)")
    parser.add_argument("--iterations", type=int, default=40, help="of CG a run (default: 40)")
    parser.add_argument("--rounds", type=int, default=5, help="of triad and run (default: 5)")
    add_compiler(parser, "triad.cpp")
    variants.add_options(parser)
    add_output_options(parser, "minife")
    args = parser.parse_args(argv)
    variants.check_options(parser, args)
    check_program(parser, args)
    if args.rounds < 1 or args.nx < 10 or args.iterations < 1 or min(args.ranks) < 1:
        parser.error("--rounds, --iterations and --ranks start at 1, --nx at 10")
    if max(args.ranks) > 1:
        check_launcher(parser, args)
    return args


def measure(
    args: argparse.Namespace, directory: Path, add: Callable[[Record], None]
) -> dict[int, list[dict[str, float]]]:
    """Figures of every round, by number of ranks; raw samples go to `add`."""
    elements = args.nx**3
    # The triad takes as much memory as the run: 340 B a row, and four vectors.
    megabytes = 372 * (args.nx + 1) ** 3 // 1_000_000 + 1
    measured: dict[int, list[dict[str, float]]] = {ranks: [] for ranks in args.ranks}
    triad = compiled(args.compiler, "triad.cpp", directory, "-O3")
    for number in range(args.rounds):
        for ranks in args.ranks:
            reference = run_triad(triad, megabytes, ranks)
            samples = run_minife(args, ranks, directory)
            for record in [*reference, *samples]:
                add({"round": number, **record})
            measured[ranks].append(figures(samples, reference, elements))
    return measured


def bars(medians: dict[int, dict[str, float]]) -> list[Record]:
    lines: list[Record] = []
    for ranks, figure in medians.items():
        if ranks == 1:
            lines.append(
                at_most(
                    SETUP_WANTED_US,
                    "minife set-up on one core, us per element",
                    "absolute",
                    figure["setup_us_per_element"],
                    triad_GB_per_s=figure["triad_GB_per_s"],
                    first_touch_us_per_element=figure["first_touch_us_per_element"],
                    first_touch_over_plain_loop=figure["first_touch_over_plain_loop"],
                )
            )
        lines.append(
            at_least(
                RATIO_WANTED,
                f"minife CG bandwidth over triad, {ranks} rank(s)",
                "ratio",
                figure["cg_over_triad"],
                triad_GB_per_s=figure["triad_GB_per_s"],
            )
        )
    return lines


def main(argv: list[str] | None = None) -> int:
    args = parse(argv)
    with tempfile.TemporaryDirectory() as name, raw_samples(args.out) as add:
        directory = Path(name)
        measured = measure(args, directory, add)
        by_variant = variants.measure(args, directory, add)
    medians = {
        ranks: {name: statistics.median(r[name] for r in rounds) for name in rounds[0]}
        for ranks, rounds in measured.items()
    }
    verdicts = bars(medians) + variants.bars(args, by_variant)
    if not args.bars:
        for ranks, rounds in measured.items():
            print(f"{ranks} rank(s), {len(rounds)} rounds: median (smallest to greatest)")
            for name, median in medians[ranks].items():
                values = [round_[name] for round_ in rounds]
                print(f"  {name:28} {median:9.4f} ({min(values):.4f} to {max(values):.4f})")
        variants.show(args, by_variant)
    return report_bars(verdicts, print_all=args.bars)


if __name__ == "__main__":
    sys.exit(main())
