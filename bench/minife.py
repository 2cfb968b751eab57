"""Measures ww-minife's assembly and iterations, compared with STREAM's triad of the same moment.

Every round runs the triad and then ww-minife, so that a slow moment of the machine affects both.
Set-up is given in microseconds per element. The first touch of its memory is printed separately, as
a virtual machine's host clears those pages at any rate between 0.5 and 10 GB/s. Conjugate gradients
are given as bandwidth over the triad's. All variants follow side by side, see
bench/solving/variants.py.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from pathlib import Path

from bench import common
from bench.common import Add, Record
from bench.solving import variants

SETUP_TARGET_US = 0.5
"""Limit: 340 B a row are written, 0.03 us at 10 GB/s, and an element takes 1966 flops, 0.04 us at
50 GFLOP/s. A core with AVX-512 reached 0.11, with AVX2 0.14, with SSE2 alone 0.36; the limit leaves
room for SSE2 on a slower core. The original miniFE took 1.9 on the machine of its metrics.
"""

RATIO_TARGET = 0.7
"""Required share of the triad. The original miniFE reached 0.82 of the roofline of one iteration
(445 B a row). A CSR product has gathers and short rows, unlike the triad. A machine whose cores
share little bandwidth has room for less than that at two ranks, hence a tenth below.
"""


def run_triad(program: Path, megabytes: int, copies: int) -> list[Record]:
    """Runs `copies` of the triad at once, one for each rank of ww-minife, and splits the bytes."""
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
    """Sum of the copies' medians [GB/s]."""
    by_copy: dict[int, list[float]] = {}
    for record in records:
        if record["loop"] == "triad":
            rate = record["bytes"] / record["seconds"] * 1e-9
            by_copy.setdefault(record["copy"], []).append(rate)
    return sum(statistics.median(rates) for rates in by_copy.values())


def first_touch_gb_per_s(records: list[Record]) -> float:
    """Bandwidth of a plain loop that is the first to write its memory [GB/s]."""
    rates = [r["bytes"] / r["seconds"] * 1e-9 for r in records if r["loop"] == "first-touch"]
    return float(sum(rates))


def run_minife(args: argparse.Namespace, ranks: int, directory: Path) -> list[Record]:
    options = (f"--nx={args.nx}", f"--iterations={args.iterations}", "--fixed-iterations")
    return variants.run_variant(args, ranks, options, directory)[1]


def metrics(samples: list[Record], triad: list[Record], elements: int) -> dict[str, float]:
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
    parser = common.options(
        __name__,
        {"nx": 10},
        nx=(100, "elements on each axis"),
        iterations=(40, "of CG a run"),
        rounds=(5, "of triad and run"),
        solution_nx=(200, "elements on each axis where whole runs are compared"),
        solution_rounds=(3, "of the peer there, of all operators and of the solution"),
    )
    common.add_program(parser, "ww-minife")
    common.add_launcher(parser)
    parser.add_argument(
        "--ranks",
        type=common.count(),
        nargs="+",
        default=[1, 2],
        help="numbers of ranks (default: 1 2)",
    )
    common.add_compiler(parser, "triad.cpp")
    common.add_peers(
        parser,
        "a miniFE.x of the original's ref/src; without it, bars against it are skipped",
        "minife",
    )
    args = parser.parse_args(argv)
    args.peer = args.peer.get("minife")
    return args


Results = tuple[dict[int, list[dict[str, float]]], variants.Measured]
"""Metrics of every round by number of ranks, and the variants' measurements."""


def measure(args: argparse.Namespace, directory: Path, add: Add) -> Results:
    elements = args.nx**3
    # The triad takes as much memory as the run: 340 B a row, and four vectors.
    megabytes = 372 * (args.nx + 1) ** 3 // 1_000_000 + 1
    measured: dict[int, list[dict[str, float]]] = {ranks: [] for ranks in args.ranks}
    triad = common.compiled(args.compiler, "triad.cpp", directory, "-O3")
    for number in range(args.rounds):
        for ranks in args.ranks:
            reference = run_triad(triad, megabytes, ranks)
            samples = run_minife(args, ranks, directory)
            for record in [*reference, *samples]:
                add({"round": number, **record})
            measured[ranks].append(metrics(samples, reference, elements))
    return measured, variants.measure(args, directory, add)


def bars(args: argparse.Namespace, results: Results) -> list[Record]:
    lines: list[Record] = []
    medians = {
        ranks: {name: statistics.median(r[name] for r in rounds) for name in rounds[0]}
        for ranks, rounds in results[0].items()
    }
    for ranks, metric in medians.items():
        if ranks == 1:
            keys = ("triad_GB_per_s", "first_touch_us_per_element", "first_touch_over_plain_loop")
            beside = {key: metric[key] for key in keys}
            name, value = (
                "minife set-up on one core, us per element",
                metric["setup_us_per_element"],
            )
            lines.append(common.at_most(SETUP_TARGET_US, name, "absolute", value, **beside))
        name, triad = f"minife CG bandwidth over triad, {ranks} rank(s)", metric["triad_GB_per_s"]
        value = metric["cg_over_triad"]
        lines.append(common.at_least(RATIO_TARGET, name, "ratio", value, triad_GB_per_s=triad))
    return lines + variants.bars(args, results[1])


def show(results: Results) -> None:
    for ranks, rounds in results[0].items():
        print(f"{ranks} rank(s), {len(rounds)} rounds: median (smallest to greatest)")
        for name in rounds[0]:
            print(f"  {name:28} {common.spread([values[name] for values in rounds], 9, 4)}")
    variants.show(results[1])


main = common.runner(parse, measure, bars, show)
