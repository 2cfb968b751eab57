"""The options of `waywiser whatif` that say what is other than in the recorded run."""

from __future__ import annotations

import argparse


def add_question(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--topology",
        metavar="MACHINE",
        help="let messages share the links of this machine's interconnect",
    )
    parser.add_argument(
        "--latency",
        metavar="TIME|xFACTOR",
        help="latency of short messages; that of longer ones changes in proportion",
    )
    parser.add_argument(
        "--bandwidth",
        metavar="RATE|xFACTOR",
        help="bandwidth of long messages; that of shorter ones changes in proportion",
    )
    parser.add_argument("--ideal-network", action="store_true", help="let messages take no time")
    parser.add_argument(
        "--eager-limit",
        metavar="SIZE|unlimited",
        help="size of the longest message that is sent before its receive is posted",
    )
    parser.add_argument(
        "--placement",
        metavar="FILE|best|random|round-robin",
        help="put ranks on hosts as a file of `waywiser place` says, or on the same nodes in"
        " another order",
    )
    parser.add_argument(
        "--ranks-per-node", metavar="N", help="put N consecutive ranks on each node"
    )
    parser.add_argument(
        "--collective",
        action="append",
        default=[],
        metavar="NAME=ALGORITHM",
        help="use this algorithm for a collective, e.g. allreduce=ring; may be repeated",
    )
    parser.add_argument(
        "--cpu", metavar="FACTOR", help="speed computation up by FACTOR (2 = twice as fast)"
    )
    parser.add_argument(
        "--noise", metavar="PERCENT", help="delay each computation interval by PERCENT on average"
    )
    parser.add_argument(
        "--early-sends",
        action="store_true",
        help="post each send before the computation that precedes it",
    )
    parser.add_argument(
        "--join-messages",
        action="store_true",
        help="join consecutive messages of a rank to the same rank",
    )
    parser.add_argument(
        "--no-noise",
        action="store_true",
        help="shorten each computation interval to the median of its repetitions, except "
        "where all ranks are slow",
    )
    parser.add_argument("--balanced", action="store_true", help="distribute computation evenly")
    parser.add_argument(
        "--progress",
        choices=("in-calls", "asynchronous"),
        help="let long messages progress while ranks compute, or only within calls",
    )
    parser.add_argument("--seed", metavar="N", help="random seed (default: 1)")
