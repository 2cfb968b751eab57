"""How fast ww-rupture updates cells, compared with multiply-adds and SeisSol's share of them.

SeisSol's speed is taken as its fraction of the peak of multiply-adds. What its kernels execute for
an update, over the peak of the run at hand, gives the updates that it would do here. Every round
runs all orders, and one core, two threads and two ranks, one after the other. Then it runs TPV5 at
order 4 on a mesh of about the size of SeisSol's, with local and with global steps.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

from bench.common import (
    Record,
    add_launcher,
    add_output_options,
    add_programs,
    at_least,
    at_most,
    check_launcher,
    check_programs,
    launch,
    raw_samples,
    report_bars,
    run,
    run_waywiser,
)

SEISSOL_OF_PEAK = {4: 0.37, 5: 0.48, 6: 0.61}
"""Share of the peak that SeisSol reaches by order, on one Zen 5 core in double precision,
operations on padding included."""

OF_SEISSOL = 0.8
TWO_THREADS = 1.8
TWO_RANKS = 0.9
"""Two ranks over two threads."""

OF_POSSIBLE_GAIN = 0.8
"""Time with global over that with local steps, of what the clusters' histogram allows."""

TPV5_S = 25
"""Most time of TPV5 up to 2 s [s], with two threads; SeisSol takes 13 s on two cores with twice
the peak."""

MOST_BYTES = 15_000
"""Most memory of an element at order 4."""

END_S = {2: 0.1, 3: 0.1, 4: 0.05, 5: 0.03, 6: 0.02}
TPV5 = ["--case=tpv5", "--order=4"]
GAIN_END = ["--end=0.25", "--every=0.25"]

Rates = dict[str, list[float]]


def run_rupture(
    args: argparse.Namespace, directory: Path, options: list[str], ranks: int, threads: int
) -> Record:
    file = directory / "samples.jsonl"
    program = [*launch(args, ranks), args.programs / "ww-rupture"]
    command = [*program, *options, f"--precision={args.precision}", f"--json={file}"]
    run(command, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="true")
    sample: Record = json.loads(file.read_text(encoding="utf-8"))
    return sample


def measure(args: argparse.Namespace) -> Rates:
    """Updates per second of every round, by what was measured; raw samples go to `--out`."""
    rates: Rates = {}
    ways = {"1 core": (1, 1), "2 threads": (1, 2), "2 ranks": (2, 1)}
    with tempfile.TemporaryDirectory() as name, raw_samples(args.out) as add:
        for number in range(args.rounds):
            for order in args.orders:
                options = [f"--order={order}", f"--cells={args.cells}", f"--end={END_S[order]}"]
                for way, (ranks, threads) in ways.items():
                    sample = run_rupture(args, Path(name), options, ranks, threads)
                    add({"round": number, **sample})
                    details = sample["details"]
                    where = f"order {order} {way}"
                    rates.setdefault(where, []).append(details["updates_per_s"])
                    if way == "1 core":
                        of_peak = details["fraction_of_peak"]
                        rates.setdefault(f"{where} of peak", []).append(of_peak)
                        hardware = details["updates_per_s"] * details["seissol_flops_per_update"]
                        share = hardware / details["peak_flops_per_s"]
                        rates.setdefault(f"{where} as SeisSol counts", []).append(share)
    return rates


def make_mesh(directory: Path) -> Path:
    """TPV5 in about 19,800 tetrahedra, in one part."""
    made = directory / "tpv5.wwmesh"
    run_waywiser("mesh", "tpv5", "--scale", "5", "-o", directory / "tpv5")
    options = ["--ranks", "1", "--order", "4", "-o", str(made)]
    run_waywiser("mesh", "import", directory / "tpv5.h5", *options)
    return made


def measure_tpv5(args: argparse.Namespace) -> list[Record]:
    """Bars of local steps and of a whole rupture; raw samples go beside those of `--out`."""
    gains: list[float] = []
    seconds: list[float] = []
    out = args.out.with_name(f"{args.out.stem}-tpv5.jsonl")
    with tempfile.TemporaryDirectory() as name, raw_samples(out) as add:
        directory = Path(name)
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
        at_least(
            OF_POSSIBLE_GAIN,
            "local steps, gain over that which their clusters allow",
            "ratio",
            gain / possible,
            gain=gain,
            possible=possible,
        ),
        at_most(
            TPV5_S,
            "TPV5 at order 4 to 2 s, 2 threads",
            "absolute",
            statistics.median(seconds),
            multiply_adds_flops_per_s=peak,
        ),
        at_most(MOST_BYTES, "bytes of an element at order 4", "size", held),
    ]


def bars(rates: Rates, orders: list[int], precision: str) -> list[Record]:
    median = {name: statistics.median(values) for name, values in rates.items()}
    lines = []
    for order in orders:
        alone = median[f"order {order} 1 core"]
        two = median[f"order {order} 2 threads"]
        if order in SEISSOL_OF_PEAK and precision == "fp64":
            share = median[f"order {order} 1 core as SeisSol counts"] / SEISSOL_OF_PEAK[order]
            name = f"order {order} over SeisSol's fraction of peak"
            of_peak = median[f"order {order} 1 core of peak"]
            beside = {"updates_per_s": alone, "fraction_of_peak": of_peak}
            lines.append(at_least(OF_SEISSOL, name, "ratio", share, **beside))
        lines.append(at_least(TWO_THREADS, f"order {order}, 2 cores", "ratio", two / alone))
        ranks = median[f"order {order} 2 ranks"]
        name = f"order {order}, 2 ranks over 2 threads"
        lines.append(at_least(TWO_RANKS, name, "ratio", ranks / two))
    return lines


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_programs(parser, "ww-rupture")
    add_launcher(parser)
    parser.add_argument(
        "--cells", type=int, default=16, help="cubes along the box, six cells each (default: 16)"
    )
    parser.add_argument("--precision", default="fp64", choices=["fp32", "fp64"])
    parser.add_argument(
        "--orders", type=int, nargs="+", default=[4, 5, 6], help="of the scheme (default: 4 5 6)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of everything (default: 3)")
    add_output_options(parser, "rupture")
    args = parser.parse_args(argv)
    if args.rounds < 1 or not set(args.orders) <= set(END_S):
        parser.error("--rounds starts at 1, and --orders are from 2 to 6")
    check_programs(parser, args, "ww-rupture")
    check_launcher(parser, args)
    return args


def main(argv: list[str] | None = None) -> int:
    args = parse(argv)
    rates = measure(args)
    if not args.bars:
        for name, values in rates.items():
            print(f"{name:40} {statistics.median(values):12.4g}")
    lines = [*bars(rates, args.orders, args.precision), *measure_tpv5(args)]
    return report_bars(lines, print_all=args.bars)


if __name__ == "__main__":
    sys.exit(main())
