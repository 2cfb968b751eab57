"""Measures ww-rupture's updates of cells, compared with SeisSol's share of the peak.

SeisSol's speed is given as its share of the peak of multiply-adds. That share of the present run's
peak, over the operations of SeisSol's kernels for an update, gives its updates on this machine.
Every round runs all orders, and one core, two threads and two ranks, one after the other. Then it
runs TPV5 at order 4 on a mesh of about the size of SeisSol's, with local and with global steps.
"""

from __future__ import annotations

import argparse
import statistics
from itertools import product
from pathlib import Path

from bench import common
from bench.common import Add, Record

SEISSOL_OF_PEAK = {4: 0.37, 5: 0.48, 6: 0.61}
"""SeisSol's share of the peak by order, on one Zen 5 core in double precision, including operations
on padding."""

OF_SEISSOL = 0.8
TWO_THREADS = 1.8
TWO_RANKS = 0.9
"""Required speed of two ranks over two threads."""

OF_POSSIBLE_GAIN = 0.8
"""Required gain of local over global steps, as a share of the limit by the clusters' histogram."""

TPV5_S = 25
"""Largest time of TPV5 up to 2 s [s], with two threads; SeisSol takes 13 s on two cores with twice
the peak."""

MOST_BYTES = 15_000
"""Largest memory of an element at order 4."""

END_S = {2: 0.1, 3: 0.1, 4: 0.05, 5: 0.03, 6: 0.02}
TPV5 = ["--case=tpv5", "--order=4"]
GAIN_END = ["--end=0.25", "--every=0.25"]

Rates = dict[str, list[float]]


def run_rupture(
    args: argparse.Namespace, directory: Path, options: list[str], ranks: int, threads: int
) -> Record:
    command = [*common.launch(args, ranks), args.programs / "ww-rupture", *options]
    command.append(f"--precision={args.precision}")
    settings = {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true"}
    [sample] = common.samples_of(command, directory, **settings)
    return sample


def measure(args: argparse.Namespace, directory: Path, add: Add) -> tuple[Rates, list[Record]]:
    """Updates per second of every round, by name of the measurement; and the bars of TPV5."""
    rates: Rates = {}
    layouts = {"1 core": (1, 1), "2 threads": (1, 2), "2 ranks": (2, 1)}
    for number, order in product(range(args.rounds), args.orders):
        arguments = [f"--order={order}", f"--cells={args.cells}", f"--end={END_S[order]}"]
        for layout, (ranks, threads) in layouts.items():
            sample = run_rupture(args, directory, arguments, ranks, threads)
            add({"round": number, **sample})
            details = sample["details"]
            where = f"order {order} {layout}"
            results = {where: details["updates_per_s"]}
            if layout == "1 core":
                hardware = details["updates_per_s"] * details["seissol_flops_per_update"]
                results[f"{where} of peak"] = details["fraction_of_peak"]
                results[f"{where} as SeisSol counts"] = hardware / details["peak_flops_per_s"]
            for name, value in results.items():
                rates.setdefault(name, []).append(value)
    return rates, measure_tpv5(args, directory)


def make_mesh(directory: Path) -> Path:
    """Makes the mesh of TPV5 with about 19,800 tetrahedra, in one part."""
    mesh = directory / "tpv5.wwmesh"
    common.run_waywiser("mesh", "tpv5", "--scale", "5", "-o", directory / "tpv5")
    options = ["--ranks", "1", "--order", "4", "-o", str(mesh)]
    common.run_waywiser("mesh", "import", directory / "tpv5.h5", *options)
    return mesh


def measure_tpv5(args: argparse.Namespace, directory: Path) -> list[Record]:
    """Bars of local steps and of a whole rupture; raw samples are written beside `--out`."""
    gains: list[float] = []
    seconds: list[float] = []
    out = args.out.with_name(f"{args.out.stem}-tpv5.jsonl")
    with common.raw_samples(out) as add:
        case = [*TPV5, f"--mesh={make_mesh(directory)}"]
        for number in range(args.rounds):
            local = run_rupture(args, directory, [*case, *GAIN_END], 1, 1)
            off = run_rupture(args, directory, [*case, *GAIN_END, "--lts=off"], 1, 1)
            whole = run_rupture(args, directory, [*case, "--end=2"], 1, 2)
            for sample in (local, off, whole):
                add({"round": number, **sample})
            gains.append(off["seconds"] / local["seconds"])
            seconds.append(whole["seconds"])
    possible = off["points"] / local["points"]
    gain = statistics.median(gains)
    held = local["details"]["bytes_per_cell"]
    peak = whole["details"]["peak_flops_per_s"]
    return [
        common.at_least(
            OF_POSSIBLE_GAIN,
            "local steps, gain over that which their clusters allow",
            "ratio",
            gain / possible,
            gain=gain,
            possible=possible,
        ),
        common.at_most(
            TPV5_S,
            "TPV5 at order 4 to 2 s, 2 threads",
            "absolute",
            statistics.median(seconds),
            multiply_adds_flops_per_s=peak,
        ),
        common.at_most(MOST_BYTES, "bytes of an element at order 4", "size", held),
    ]


def bars(args: argparse.Namespace, results: tuple[Rates, list[Record]]) -> list[Record]:
    rates, of_tpv5 = results
    median = {name: statistics.median(values) for name, values in rates.items()}
    lines = []
    for order in args.orders:
        alone = median[f"order {order} 1 core"]
        two = median[f"order {order} 2 threads"]
        if order in SEISSOL_OF_PEAK and args.precision == "fp64":
            share = median[f"order {order} 1 core as SeisSol counts"] / SEISSOL_OF_PEAK[order]
            name = f"order {order} over SeisSol's fraction of peak"
            of_peak = median[f"order {order} 1 core of peak"]
            beside = {"updates_per_s": alone, "fraction_of_peak": of_peak}
            lines.append(common.at_least(OF_SEISSOL, name, "ratio", share, **beside))
        lines.append(common.at_least(TWO_THREADS, f"order {order}, 2 cores", "ratio", two / alone))
        ranks = median[f"order {order} 2 ranks"]
        name = f"order {order}, 2 ranks over 2 threads"
        lines.append(common.at_least(TWO_RANKS, name, "ratio", ranks / two))
    return [*lines, *of_tpv5]


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = common.options(
        __name__, cells=(16, "cubes along the box, six cells each"), rounds=(3, "of everything")
    )
    common.add_programs(parser, "ww-rupture")
    common.add_launcher(parser)
    parser.add_argument("--precision", default="fp64", choices=["fp32", "fp64"])
    parser.add_argument(
        "--orders",
        type=int,
        nargs="+",
        choices=END_S,
        default=[4, 5, 6],
        help="of the scheme (default: 4 5 6)",
    )
    return parser.parse_args(argv)


def show(results: tuple[Rates, list[Record]]) -> None:
    for name, values in results[0].items():
        print(f"{name:40} {statistics.median(values):12.4g}")


main = common.runner(parse, measure, bars, show)
