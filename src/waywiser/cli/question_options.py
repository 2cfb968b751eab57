"""The options of `waywiser whatif` that say what is other than in the recorded run."""

from __future__ import annotations

import argparse

from waywiser.analyse.whatif.collectives import collective_choices
from waywiser.analyse.whatif.quantity import (
    bandwidth_of,
    factor_of,
    latency_of,
    noise_of,
    size_of,
    whole_of,
)
from waywiser.analyse.whatif.question import Question


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


def question_of(arguments: argparse.Namespace) -> Question:
    """What the options ask, but for the machine.

    Raises:
        InvalidCommand: a value is none that its option takes.
    """
    given = vars(arguments)
    return Question(
        topology=given["topology"] or "",
        latency=given["latency"] and latency_of("--latency", given["latency"]),
        bandwidth=given["bandwidth"] and bandwidth_of("--bandwidth", given["bandwidth"]),
        eager_limit_bytes=given["eager_limit"] and size_of("--eager-limit", given["eager_limit"]),
        placement=given["placement"] or "",
        ranks_per_node=given["ranks_per_node"]
        and whole_of("--ranks-per-node", given["ranks_per_node"]),
        collectives=collective_choices(given["collective"]),
        cpu=factor_of("--cpu", given["cpu"]) if given["cpu"] else 1.0,
        noise=noise_of("--noise", given["noise"]) if given["noise"] else 0.0,
        ideal_network=given["ideal_network"],
        balanced=given["balanced"],
        early_sends=given["early_sends"],
        join_messages=given["join_messages"],
        no_noise=given["no_noise"],
        progress=given["progress"],
        seed=whole_of("--seed", given["seed"], least=0) if given["seed"] else 1,
    )
