"""Measures the speed of ww-propa and ww-fd, compared with the copy of the same run, and with peers.

Every round runs all variants and the given peers one after the other, so that a slow moment of the
machine affects all of them. A peer is built or installed outside the repository and named with
`--peer NAME=PATH`: hpcscan's program, YASK's program for iso3dfd of radius 4, the Python with
Devito. The bars of a missing peer are skipped, and their names printed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

from bench import common
from bench.common import Add, Record
from bench.propagating.peers import OPERATORS, PEERS, Job, hpcscan

OVER_PEER = {
    ("hpcscan", "blocked", 4): 1.6,
    ("hpcscan", "blocked", 8): 1.7,
    ("hpcscan", "blocked", 12): 2.5,
    ("hpcscan", "temporal", 8): 2.9,
    ("yask", "temporal", 8): 1.2,
}
"""Required speed of ww-propa's variants by order, over the peer's best mode."""

OF_COPY = {"blocked": 0.5, "temporal": 0.8}
"""Required share of a copy's speed at order 8. The copy is a pass of leapfrog without neighbours,
which moves the same 16 bytes a point."""

TWO_RANKS = 0.95
"""Required speed of two ranks with one thread over one rank with two threads."""

PROPAGATED = (4, 8, 12)
"""Orders of ww-propa and its peers; ww-fd supports every order."""

Rates = dict[str, list[float]]


def over_hpcscan_in_fd(order: int) -> float:
    return 2.0 if order >= 12 else 1.3


def samples(args: argparse.Namespace, job: Job, ranks: int, program: str) -> list[Record]:
    """Samples of a run of our program with all variants in turn."""
    command = [*common.launch(args, ranks), args.programs / program, f"--n1={job.points}"]
    command += [f"--order={job.order}", "--variant=all"]
    command += ["--tries=1", f"--steps={job.steps}"] if program == "ww-propa" else ["--tries=2"]
    return common.samples_of(command, job.directory, **job.variables)


def jobs(args: argparse.Namespace, job: Job) -> Iterator[tuple[Job, int, str]]:
    """Our runs of a round at an order: job, number of ranks, and program."""
    if job.order in PROPAGATED:
        yield job, 1, "ww-propa"
    if job.order == 8 and args.threads > 1:
        yield replace(job, threads=args.threads // 2), 2, "ww-propa"
    if not args.only_waves:
        yield job, 1, "ww-fd"


def rates_of(sample: Record, ranks: int) -> dict[str, float]:
    order = sample["parameters"]["order"]
    where = sample["parameters"].get("operator", "propa")
    name = f"{where} {sample['variant']} order {order}" + (" 2 ranks" if ranks > 1 else "")
    copied = sample["details"]["fraction_of_copy"]
    return {name: sample["points"] / sample["seconds"] * 1e-9, f"{name} of copy": copied}


def peers(args: argparse.Namespace, job: Job) -> Iterator[tuple[str, list[Record]]]:
    for name, path in args.peer.items():
        if job.order in PROPAGATED:
            yield name, PEERS[name](str(path), job)
        if name == "hpcscan" and not args.only_waves:
            yield name, hpcscan(str(path), job, "FD_D2")


def measure(args: argparse.Namespace, directory: Path, add: Add) -> Rates:
    """GPoint/s of every round, by name of the measurement."""
    rates: Rates = {}
    for number, order in product(range(args.rounds), args.orders):
        whole = Job(args.n, args.steps, args.threads, order, directory)
        for job, ranks, program in jobs(args, whole):
            for sample in samples(args, job, ranks, program):
                add({"round": number, **sample})
                for name, rate in rates_of(sample, ranks).items():
                    rates.setdefault(name, []).append(rate)
        for peer, records in peers(args, whole):
            add_best(rates, peer, order, records)
            for record in records:
                build = common.build_of(args.peer[peer])
                add({"round": number, "peer": peer, "order": order, **build, **record})
    return rates


def add_best(rates: Rates, peer: str, order: int, records: list[Record]) -> None:
    """Add the rates of a peer's best mode in a round."""
    for name in records[0]["GPoint_per_s"] if records else ():
        best = max(record["GPoint_per_s"][name] for record in records)
        rates.setdefault(f"{name} {peer} order {order}", []).append(best)


def bars(args: argparse.Namespace, rates: Rates) -> list[Record]:
    median = {name: statistics.median(values) for name, values in rates.items()}
    lines = []
    if 8 in args.orders:
        for variant, target in OF_COPY.items():
            name = f"propa {variant} order 8 of copy"
            lines.append(common.at_least(target, name, "ratio", median[name]))
    for variant in ("blocked", "temporal"):
        case = f"propa {variant} order 8"
        if f"{case} 2 ranks" in median:
            ratio = median[f"{case} 2 ranks"] / median[case]
            lines.append(
                common.at_least(TWO_RANKS, f"{case}, 2 ranks over 2 threads", "ratio", ratio)
            )
    for (peer, variant, order), target in OVER_PEER.items():
        if f"propa {peer} order {order}" in median:
            rate = median[f"propa {variant} order {order}"]
            ratio = rate / median[f"propa {peer} order {order}"]
            name = f"propa {variant} order {order} over {peer}"
            lines.append(common.at_least(target, name, "ratio", ratio, GPoint_per_s=rate))
    for operation in OPERATORS:
        for order in args.orders:
            if f"{operation} hpcscan order {order}" in median:
                best = max(
                    median[f"{operation} {variant} order {order}"]
                    for variant in ("blocked", "nontemporal")
                )
                ratio = best / median[f"{operation} hpcscan order {order}"]
                name = f"{operation} order {order} over hpcscan"
                target = over_hpcscan_in_fd(order)
                lines.append(common.at_least(target, name, "ratio", ratio, GPoint_per_s=best))
    return lines


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = common.options(
        __name__,
        {"n": 32},
        n=(500, "points on each axis"),
        steps=(8, "of propagation"),
        threads=(2, "of one rank"),
        rounds=(3, "of everything"),
    )
    common.add_programs(parser, "ww-propa", "ww-fd")
    common.add_launcher(parser)
    parser.add_argument(
        "--orders",
        type=common.count(),
        nargs="+",
        default=[8, 4, 12, 16],
        help="of differences (default: 8 4 12 16)",
    )
    parser.add_argument(
        "--only-waves", action="store_true", help="ww-propa and its peers alone, without ww-fd"
    )
    common.add_peers(parser, "to compare with", *PEERS)
    args = parser.parse_args(argv)
    for name in PEERS.keys() - args.peer.keys():
        print(f"skipped: {name}, for --peer {name}=PATH is not given", file=sys.stderr)
    return args


def show(rates: Rates) -> None:
    for name, values in rates.items():
        unit = "" if name.endswith("of copy") else " GPoint/s"
        print(f"{name:44} {common.spread(values, 8, 3, unit)}")


main = common.runner(parse, measure, bars, show)
