"""The options of `waywiser whatif` that change conditions of the recorded run."""

from __future__ import annotations

import argparse

from waywiser.cli.arguments import REPEATED, declare


def add_question(parser: argparse.ArgumentParser) -> None:
    declare(
        parser,
        """
        --topology MACHINE  let messages share the links of this machine's interconnect
        --latency TIME|xFACTOR  latency of short messages; that of longer ones changes in proportion
        --bandwidth RATE|xFACTOR  bandwidth of long messages; that of shorter ones changes in
            proportion
        --ideal-network  let messages take no time
        --eager-limit SIZE|unlimited  size of the longest message that is sent before its receive is
            posted
        --placement FILE|best|random|round-robin  put ranks on hosts as a file of `waywiser place`
            says, or on the same nodes in another order
        --ranks-per-node N  put N consecutive ranks on each node
        --collective NAME=ALGORITHM  use this algorithm for a collective, e.g. allreduce=ring; may
            be repeated
        --cpu FACTOR  speed computation up by FACTOR (2 = twice as fast)
        --noise PERCENT  delay each computation interval by PERCENT on average
        --early-sends  post each send before the computation that precedes it
        --join-messages  join consecutive messages of a rank to the same rank
        --no-noise  shorten each computation interval to the median of its repetitions, except where
            all ranks are slow
        --balanced  distribute computation evenly
        --progress  let long messages progress while ranks compute, or only within calls
        --seed N  random seed (default: 1)
        """,
        settings={"collective": REPEATED, "progress": {"choices": ("in-calls", "asynchronous")}},
    )
