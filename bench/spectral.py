"""Measures ww-spectral's Legendre transforms on one core, as a share of dgemm's speed.

Every round is a run that measures both. One is dgemm of a BLAS library with square matrices. The
other is the products of round trips, including sums of hemispheres and copies into messages.

A peer is ectrans-benchmark-cpu-dp of ecTrans (https://github.com/ecmwf-ifs/ectrans), built outside
this repository. Each round also runs the peer, with as many fields on the same octahedral grid, so
that the ratio of the fastest round trips is of the same moment.
"""

from __future__ import annotations

import argparse
import re
import statistics
from pathlib import Path

from bench import common
from bench.common import Add, Record

FRACTION_TARGET = 0.6
"""Required share of dgemm's speed. It takes 32 fields or more, so that the Legendre functions are
read once for many columns."""

PEER_TARGET = 1.0
"""Largest ratio of the time of a round trip to that of ecTrans."""

Rounds = list[Record]
"""Samples of round trips; `peer_s` is the peer's fastest round trip of the same round."""


def run_once(args: argparse.Namespace, directory: Path) -> list[Record]:
    size = [f"--truncation={args.truncation}", f"--levels={args.levels}"]
    words = [args.program, *size, f"--tries={args.tries}", "--steps=1"]
    return common.samples_of(words, directory, OMP_NUM_THREADS="1")


def run_peer(args: argparse.Namespace, directory: Path) -> float:
    """Time of the peer's fastest round trip, by its own clock [s]."""
    size = ["-t", str(args.truncation), "-g", f"O{args.truncation + 1}", "-l", str(args.levels)]
    words = [args.peer, *size, "-f", "1", "-n", str(args.tries)]
    return peer_seconds(common.run(words, directory, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"))


def peer_seconds(text: str) -> float:
    """
    Raises:
        SystemExit: ecTrans has not printed the time.
    """
    match = re.search(
        r"^Inverse-direct transforms\n-+\n(?:\w+ +\(s\): .*\n)*?min +\(s\): +(\S+)", text, re.M
    )
    if match is None:
        raise SystemExit(
            "bench: the peer printed no times of inverse-direct transforms; is it ecTrans?"
        )
    return float(match[1])


def measure(args: argparse.Namespace, directory: Path, add: Add) -> Rounds:
    rounds: Rounds = []
    for number in range(args.rounds):
        peer: Record = {"peer_s": run_peer(args, directory)} if args.peer else {}
        if peer:
            add({"round": number, "name": "ectrans", **peer, **common.build_of(args.peer)})
        for sample in run_once(args, directory):
            add({"round": number, **sample})
            if sample["phase"] == "round-trip":
                rounds.append({**sample, **peer})
    return rounds


def fraction(rounds: Rounds) -> float:
    """Speed of the Legendre transforms as a share of dgemm's: the median of the rounds."""
    return statistics.median(float(sample["details"]["legendre"]["fraction"]) for sample in rounds)


def over_peer(rounds: Rounds) -> list[float]:
    """Ratios of the fastest round trips to those of the peer, by round; empty without a peer."""
    return [
        min(sample["details"]["tries_s"]) / sample["peer_s"]
        for sample in rounds
        if "peer_s" in sample
    ]


def bars(_: argparse.Namespace, rounds: Rounds) -> list[Record]:
    title = "Legendre transforms of ww-spectral over dgemm, one core"
    lines = [common.at_least(FRACTION_TARGET, title, "ratio", fraction(rounds))]
    if ratios := over_peer(rounds):
        title = "round trip of ww-spectral over ecTrans, one core"
        lines.append(common.at_most(PEER_TARGET, title, "ratio", statistics.median(ratios)))
    return lines


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = common.options(
        __name__,
        {"truncation": 5},
        truncation=(159, "greatest degree"),
        levels=(32, "fields"),
        rounds=(5, "of everything"),
        tries=(5, "round trips a round"),
    )
    common.add_program(parser, "ww-spectral")
    common.add_peer(parser, "an ectrans-benchmark-cpu-dp")
    return parser.parse_args(argv)


def show(rounds: Rounds) -> None:
    points = statistics.median(float(sample["details"]["points_per_s"]) for sample in rounds)
    print(
        f"round trips {1e-6 * points:8.3f} Mpoint/s, "
        f"Legendre transforms {fraction(rounds):.2f} of dgemm"
    )
    if ratios := over_peer(rounds):
        print(f"time over ecTrans {common.spread(ratios, 0, 2)}")


main = common.runner(parse, measure, bars, show)
