"""Measures ww-npb on one core: its variants compared with each other and with NPB itself.

Every round runs, for each benchmark, the peers' programs and then all variants of ww-npb, so that
ratios are of the same moment. A peer is an executable of NPB 3.4 for the same class, built outside
this repository, e.g. bt.A.x; without it, bars against it are skipped.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from bench import common
from bench.common import Add, Record
from waywiser.apps import nas
from waywiser.apps.application import NoResult, Output

PEER_TARGET = {"bt": 3.0, "sp": 2.0, "lu": 1.5}
"""Required gain of `vector` over NPB's own programs. These reach a twentieth of a core's peak,
since their innermost loops run along the 5 x 5 blocks."""

BASELINE_TARGET = {"bt": 4.0, "sp": 2.5, "lu": 5.0}
"""Required gain of `vector` over `baseline`, which is written for readability. A core with AVX2
reached 8.5, 4.4 and 8.9; the limits leave room for registers of two numbers."""

Rates = dict[str, dict[str, list[float]]]
"""Mop/s of every round, by benchmark and variant; the peer's by "npb"."""

Shares = dict[str, list[float]]
"""Share of the bound by memory and multiply-adds that `vector` reaches, by benchmark."""


def run_variants(args: argparse.Namespace, benchmark: str, directory: Path) -> list[Record]:
    arguments = [f"--benchmark={benchmark}", f"--class={args.problem_class}", "--roofline"]
    arguments += [f"--variant={args.variant}", f"--tries={args.tries}"]
    return common.samples_of([args.program, *arguments], directory)


def run_peer(program: Path, problem_class: str, directory: Path) -> float:
    """Mop/s of a peer, by its own clock and count.

    Raises:
        SystemExit: the peer's result is not verified, or of another class.
    """
    text = common.run([program], directory)
    try:
        reading = nas.read(Output(stdout=text, stderr="", directory=directory))
    except NoResult as why:
        raise SystemExit(f"bench: {program}: {why}") from None
    if not any(f"class {problem_class}," in remark for remark in reading.remarks):
        raise SystemExit(f"bench: {program} is not of class {problem_class}")
    return next(metric.value for metric in reading.metrics if metric.name == "performance")


def measure(args: argparse.Namespace, directory: Path, add: Add) -> tuple[Rates, Shares]:
    rates: Rates = {benchmark: {} for benchmark in args.benchmarks}
    shares: Shares = {benchmark: [] for benchmark in args.benchmarks}
    for number in range(args.rounds):
        for benchmark in args.benchmarks:
            of = rates[benchmark]
            peer = args.peer.get(benchmark)
            if peer is not None:
                mops = run_peer(peer, args.problem_class, directory)
                of.setdefault("npb", []).append(mops)
                labels = {"round": number, "phase": benchmark, "peer": "npb"}
                add({**labels, "mops": mops})
                add({**labels, **common.build_of(peer)})
            for sample in run_variants(args, benchmark, directory):
                of.setdefault(sample["variant"], []).append(sample["details"]["mops"])
                if sample["variant"] == "vector":
                    shares[benchmark].append(sample["details"]["roofline"]["fraction"])
                add({"round": number, **sample})
    return rates, shares


def gain(of: dict[str, list[float]], over: str) -> float:
    """Gain of `vector` over another variant: the median of the rounds' ratios."""
    return statistics.median(v / o for v, o in zip(of["vector"], of[over], strict=True))


def bars(args: argparse.Namespace, results: tuple[Rates, Shares]) -> list[Record]:
    rates, lines = results[0], []
    for benchmark, of in rates.items():
        mops = statistics.median(of["vector"])
        case = f"{benchmark}, class {args.problem_class}, one core"
        title = f"ww-npb vector over baseline, {case}"
        target = BASELINE_TARGET[benchmark]
        if "baseline" in of:
            lines.append(common.at_least(target, title, "ratio", gain(of, "baseline"), mops=mops))
        if "npb" not in of:
            print(f"bench: no --peer {benchmark}=PATH, its bar against NPB is skipped")
            continue
        title = f"ww-npb vector over NPB, {case}"
        target = PEER_TARGET[benchmark]
        lines.append(common.at_least(target, title, "ratio", gain(of, "npb"), mops=mops))
    return lines


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = common.options(__name__, rounds=(3, "of everything"), tries=(1, "timed runs a round"))
    common.add_program(parser, "ww-npb")
    common.add_peers(parser, "an NPB executable of that benchmark and class", *PEER_TARGET)
    parser.add_argument(
        "--benchmarks", nargs="+", default=list(PEER_TARGET), choices=list(PEER_TARGET)
    )
    parser.add_argument(
        "--class",
        dest="problem_class",
        default="A",
        choices=["S", "W", "A", "B", "C"],
        help="of all benchmarks (default: A)",
    )
    parser.add_argument(
        "--variant",
        choices=["all", "vector"],
        default="all",
        help="of ww-npb: baseline takes most of the time (default: all)",
    )
    return parser.parse_args(argv)


def show(results: tuple[Rates, Shares]) -> None:
    rates, shares = results
    for benchmark, of in rates.items():
        share = statistics.median(shares[benchmark])
        print(f"{benchmark} vector reaches {share:.3f} of what memory and multiply-adds allow")
        for variant, mops in of.items():
            rate, ratio = common.spread(mops, 10, 1, " Mop/s"), gain(of, variant)
            print(f"{benchmark} {variant:10} {rate}, vector is {ratio:.2f} times as fast")


main = common.runner(parse, measure, bars, show)
