"""How fast ww-propa and ww-fd are, compared with the copy of the same run, and with peers.

Every round runs all variants, and the peers where they are given, one after the other, so that a
slow moment of the machine is in all of them. A peer is built or installed outside the repository
and named with `--peer NAME=PATH`: hpcscan's program, that of YASK for iso3dfd of radius 4, the
Python that has Devito. Without it, its bars are skipped, by name.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

from bench.common import (
    Record,
    add_launcher,
    add_output_options,
    add_programs,
    at_least,
    build_of,
    check_launcher,
    check_programs,
    json_lines,
    launch,
    raw_samples,
    report_bars,
)
from bench.propagating.peers import OPERATORS, PEERS, Job, call, hpcscan

OVER_PEER = {
    ("hpcscan", "blocked", 4): 1.6,
    ("hpcscan", "blocked", 8): 1.7,
    ("hpcscan", "blocked", 12): 2.5,
    ("hpcscan", "temporal", 8): 2.9,
    ("yask", "temporal", 8): 1.2,
}
"""Speed that is wanted of ww-propa's variants by order, over the peer's best mode."""

OF_COPY = {"blocked": 0.5, "temporal": 0.8}
"""Share of a copy's speed wanted at order 8. The copy is a pass of leapfrog without neighbours,
which moves the same 16 bytes a point."""

TWO_RANKS = 0.95
"""Two ranks of one thread over one rank of two."""

PROGRAMS = ("ww-propa", "ww-fd")

PROPAGATED = (4, 8, 12)
"""Orders of ww-propa and its peers; ww-fd has every order that is asked for."""

Rates = dict[str, list[float]]


def over_hpcscan_in_fd(order: int) -> float:
    return 2.0 if order >= 12 else 1.3


def samples(args: argparse.Namespace, job: Job, ranks: int, program: str) -> list[Record]:
    """Samples of one run of ours, all variants in turn."""
    file = job.directory / "samples.jsonl"
    command = [*launch(args, ranks), str(args.programs / program), f"--n1={job.points}"]
    command += [f"--order={job.order}", f"--json={file}", "--variant=all"]
    command += ["--tries=1", f"--steps={job.steps}"] if program == "ww-propa" else ["--tries=2"]
    call(command, job)
    return json_lines(file.read_text(encoding="utf-8"))


def jobs(args: argparse.Namespace, job: Job) -> Iterator[tuple[Job, int, str]]:
    """What a round runs of ours at an order: a job, on how many ranks, and the program."""
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
            yield name, PEERS[name](path, job)
        if name == "hpcscan" and not args.only_waves:
            yield name, hpcscan(path, job, "FD_D2")


def measure(args: argparse.Namespace) -> Rates:
    """GPoint/s of every round, by what was measured; raw samples go to `--out`."""
    rates: Rates = {}
    with tempfile.TemporaryDirectory() as name, raw_samples(args.out) as add:
        for number, order in product(range(args.rounds), args.orders):
            whole = Job(args.n, args.steps, args.threads, order, Path(name))
            for job, ranks, program in jobs(args, whole):
                for sample in samples(args, job, ranks, program):
                    add({"round": number, **sample})
                    for what, rate in rates_of(sample, ranks).items():
                        rates.setdefault(what, []).append(rate)
            for peer, records in peers(args, whole):
                add_peer(rates, peer, order, records)
                for record in records:
                    build = build_of(Path(args.peer[peer]))
                    add({"round": number, "peer": peer, "order": order, **build, **record})
    return rates


def add_peer(rates: Rates, peer: str, order: int, records: list[Record]) -> None:
    """The best mode of a round."""
    for what in records[0]["GPoint_per_s"] if records else ():
        best = max(record["GPoint_per_s"][what] for record in records)
        rates.setdefault(f"{what} {peer} order {order}", []).append(best)


def bars(rates: Rates, orders: list[int]) -> list[Record]:
    median = {name: statistics.median(values) for name, values in rates.items()}
    lines = []
    if 8 in orders:
        for variant, wanted in OF_COPY.items():
            name = f"propa {variant} order 8 of copy"
            lines.append(at_least(wanted, name, "ratio", median[name]))
    for variant in ("blocked", "temporal"):
        one = f"propa {variant} order 8"
        if f"{one} 2 ranks" in median:
            ratio = median[f"{one} 2 ranks"] / median[one]
            lines.append(at_least(TWO_RANKS, f"{one}, 2 ranks over 2 threads", "ratio", ratio))
    for (peer, variant, order), wanted in OVER_PEER.items():
        if f"propa {peer} order {order}" in median:
            rate = median[f"propa {variant} order {order}"]
            ratio = rate / median[f"propa {peer} order {order}"]
            name = f"propa {variant} order {order} over {peer}"
            lines.append(at_least(wanted, name, "ratio", ratio, GPoint_per_s=rate))
    for operation in OPERATORS:
        for order in orders:
            if f"{operation} hpcscan order {order}" in median:
                best = max(
                    median[f"{operation} {variant} order {order}"]
                    for variant in ("blocked", "nontemporal")
                )
                ratio = best / median[f"{operation} hpcscan order {order}"]
                name = f"{operation} order {order} over hpcscan"
                wanted = over_hpcscan_in_fd(order)
                lines.append(at_least(wanted, name, "ratio", ratio, GPoint_per_s=best))
    return lines


def peer(text: str) -> tuple[str, str]:
    name, _, path = text.partition("=")
    if name not in PEERS or not Path(path).is_file():
        raise argparse.ArgumentTypeError(
            f"'{text}' is not NAME=PATH of a program there is, NAME one of {', '.join(PEERS)}"
        )
    return name, str(Path(path).absolute())


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_programs(parser, *PROGRAMS)
    add_launcher(parser)
    parser.add_argument("--n", type=int, default=500, help="points on each axis (default: 500)")
    parser.add_argument("--steps", type=int, default=8, help="of propagation (default: 8)")
    parser.add_argument("--threads", type=int, default=2, help="of one rank (default: 2)")
    parser.add_argument(
        "--orders",
        type=int,
        nargs="+",
        default=[8, 4, 12, 16],
        help="of differences (default: 8 4 12 16)",
    )
    parser.add_argument(
        "--only-waves", action="store_true", help="ww-propa and its peers alone, without ww-fd"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of everything (default: 3)")
    parser.add_argument(
        "--peer",
        type=peer,
        action="append",
        default=[],
        metavar="NAME=PATH",
        help=f"to compare with; may be repeated; NAME is one of {', '.join(PEERS)}",
    )
    add_output_options(parser, "kernels")
    args = parser.parse_args(argv)
    args.peer = dict(args.peer)
    if args.rounds < 1 or args.n < 32 or args.steps < 1 or args.threads < 1:
        parser.error("--rounds, --steps and --threads start at 1, --n at 32")
    check_programs(parser, args, *PROGRAMS)
    check_launcher(parser, args)
    return args


def main(argv: list[str] | None = None) -> int:
    args = parse(argv)
    rates = measure(args)
    if not args.bars:
        for name, values in rates.items():
            unit = "" if name.endswith("of copy") else " GPoint/s"
            middle = statistics.median(values)
            print(f"{name:44} {middle:8.3f}{unit} ({min(values):.3f} to {max(values):.3f})")
    for name in PEERS:
        if name not in args.peer:
            print(f"skipped: {name}, for --peer {name}=PATH is not given", file=sys.stderr)
    return report_bars(bars(rates, args.orders), print_all=args.bars)


if __name__ == "__main__":
    sys.exit(main())
