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
        help="messages share the links of this machine's interconnect",
    )
    parser.add_argument(
        "--latency",
        metavar="TIME|xFACTOR",
        help="of short messages; that of longer ones changes in proportion",
    )
    parser.add_argument(
        "--bandwidth",
        metavar="RATE|xFACTOR",
        help="of long messages; that of shorter ones changes in proportion",
    )
    parser.add_argument("--ideal-network", action="store_true", help="messages take no time")
    parser.add_argument(
        "--eager-limit",
        metavar="SIZE|unlimited",
        help="the longest message that is sent before its receive is posted",
    )
    parser.add_argument(
        "--placement",
        metavar="FILE|best|random|round-robin",
        help="ranks on the hosts where a file of `waywiser place` has them, or on the same nodes "
        "in another order",
    )
    parser.add_argument("--ranks-per-node", metavar="N", help="ranks in their order")
    parser.add_argument(
        "--collective",
        action="append",
        default=[],
        metavar="NAME=ALGORITHM",
        help="e.g. allreduce=ring; may be repeated",
    )
    parser.add_argument("--cpu", metavar="FACTOR", help="computing so many times as fast")
    parser.add_argument(
        "--noise", metavar="PERCENT", help="mean delay of each stretch of computing"
    )
    parser.add_argument(
        "--early-sends",
        action="store_true",
        help="post each send before the computing that precedes it",
    )
    parser.add_argument(
        "--join-messages",
        action="store_true",
        help="join the messages that a rank sends right after each other to the same rank",
    )
    parser.add_argument(
        "--no-noise",
        action="store_true",
        help="let no rank compute longer than the median of its repetitions, except where all do",
    )
    parser.add_argument("--balanced", action="store_true", help="computing shared evenly")
    parser.add_argument(
        "--progress",
        choices=("in-calls", "asynchronous"),
        help="whether long messages progress while ranks compute",
    )
    parser.add_argument("--seed", metavar="N", help="of chance; default: 1")


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
