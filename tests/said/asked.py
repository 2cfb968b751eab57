"""What `whatif` says of questions: their changes in words, and what is wrong with their values."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.closed_form_replay import MS, Program, base_on_paper
from tests.made_placements import placement
from tests.said import Cases, Said
from tests.said.studies import answered
from waywiser.analyse.whatif.answer import answers
from waywiser.analyse.whatif.collectives import collective_choices
from waywiser.analyse.whatif.nodes import nodes_of_file, placed
from waywiser.analyse.whatif.quantity import (
    UNLIMITED,
    bandwidth_of,
    factor_of,
    latency_of,
    noise_of,
    size_of,
    whole_of,
)
from waywiser.analyse.whatif.question import Question
from waywiser.analyse.whatif.sweep import (
    joined,
    part_of,
    range_of,
    ranges_of,
    size_of_sweep,
    swept,
)
from waywiser.machines.library import read_machine
from waywiser.model.whatif import WhatIf

Parse = Callable[..., Any]
RUN = Program((1 * MS,) * 4, 6, 1_000_000, 7.009 * MS, {})


def parsed(parse: Parse, *given: object) -> Said:
    """What is said of a value."""
    return answered(lambda: f"{parse(*given)}")


def pair(parse: Parse, wrong: object, right: object) -> tuple[Said, Said]:
    return parsed(parse, wrong), parsed(parse, right)


def option(parse: Parse) -> Parse:
    return partial(parse, "--option")


QUANTITY: dict[str, tuple[Said, Said]] = {
    "such as 1.5us": pair(option(latency_of), "1.5", "1.5us"),
    "such as 12.5GB/s or 100Gbit/s": pair(option(bandwidth_of), "0GB/s", "12.5GB/s"),
    "{} {}: expected a value {}, or a factor of what there is, such as x0.5": pair(
        option(latency_of), "0.5x", "x0.5"
    ),
    "{} {}: expected a factor from 1e-6 to 1e6, such as 1.5": pair(
        option(factor_of), "1.1e6", "1e6"
    ),
    "{} {}: expected percent of computing, such as 5 (at most 1e6)": pair(
        option(noise_of), "1.1e6", "1e6"
    ),
    "{} {}: expected a whole number of {} or more, with 9 digits at most": pair(
        option(whole_of), "1000000000", "999999999"
    ),
    "{} {}: expected a size such as 64KiB, or `unlimited`": pair(option(size_of), "64Kib", "64KiB"),
}


def changes(**asked: Any) -> tuple[Said, Said]:
    return (lambda: "; ".join(Question(**asked).changes)), lambda: "; ".join(Question().changes)


QUESTION: dict[str, tuple[Said, Said]] = {
    "computing balanced over the ranks": changes(balanced=True),
    "computing {} times as fast": changes(cpu=2.0),
    "eager limit {}": changes(eager_limit_bytes=UNLIMITED),
    "messages progress in MPI calls only": changes(progress="in-calls"),
    "messages progress while ranks compute": changes(progress="asynchronous"),
    "messages share the links of {}": changes(topology="rig-3"),
    "messages take no time": changes(ideal_network=True),
    "consecutive messages to the same rank joined": changes(join_messages=True),
    "no rank computes longer than the median of its repetitions, except where all do": changes(
        no_noise=True
    ),
    "noise {} of computing": changes(noise=0.05),
    "sends posted before the computing that precedes them": changes(early_sends=True),
    "{} on each node": changes(ranks_per_node=2),
}
COLLECTIVES: dict[str, tuple[Said, Said]] = {
    "--collective {}: expected NAME=ALGORITHM, such as allreduce=ring; NAME is one of {}": pair(
        collective_choices, ["send=ring"], ["allreduce=ring"]
    ),
    "--collective {}: {} has the algorithms {}": pair(
        collective_choices, ["allreduce=rnig"], ["allreduce=ring"]
    ),
    "--collective {}: {} already has an algorithm; give each only one": pair(
        collective_choices, ["allreduce=ring", "allreduce=linear"], ["allreduce=ring"]
    ),
}


def nodes(name: str, of_ranks: tuple[int, ...] = (0, 0, 1, 1), machine: str = "") -> Said:
    """Ranks that are to be placed elsewhere."""
    summary = base_on_paper(RUN, of_ranks).recorded.summary
    on = read_machine(machine) if machine else None
    return answered(lambda: f"{placed(of_ranks, name, summary, on, 1)}")


def nodes_of_placement(ranks: int) -> Said:
    """Where a file of `waywiser place` has so many ranks, and the run has four."""

    def text() -> str:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "placed"
            document = placement(*["n0", "n1"] * (ranks // 2)).model_dump_json()
            file.with_suffix(".json").write_text(document, encoding="utf-8")
            return f"{nodes_of_file(str(file), 4)}"

    return answered(text)


NODES: dict[str, tuple[Said, Said]] = {
    "--placement {}: all ranks are on one node; --ranks-per-node N spreads them over several": (
        nodes("random", (0,) * 4),
        nodes("random"),
    ),
    "--placement best: {} has {} nodes for the {} of the run; --ranks-per-node N puts more ranks "
    "on each": (nodes("best", (0, 1, 2, 3), "rig-3"), nodes("best", (0, 1, 2, 2), "rig-3")),
    "--placement {}: {} not found; expected one of {}, or a file of `waywiser place`": (
        parsed(nodes_of_file, "bets", 4),
        nodes_of_placement(4),
    ),
    "--placement {}: it places {} ranks, but the run had {}": (
        nodes_of_placement(6),
        nodes_of_placement(4),
    ),
}


def two(number: str) -> WhatIf:
    """A part of a sweep over two values."""
    base = base_on_paper(RUN, (0, 0, 1, 1))
    sweep = swept(base, [("asked", Question())], ranges_of(["cpu=1,2"]), part_of(number))
    return answers(base, []).replace(sweep=sweep)


def joining(change: Callable[[WhatIf], WhatIf]) -> Said:
    return answered(lambda: joined([two("1/2"), change(two("2/2"))]).run)


def same(part: WhatIf) -> WhatIf:
    return part


def of_part(number: str) -> Said:
    return answered(lambda: two(number).run)


def sweep_of(*texts: str) -> Said:
    return parsed(ranges_of, texts)


def sizes(*texts: str) -> Said:
    return answered(lambda: str(size_of_sweep(1, ranges_of(texts))))


def ranged(wrong: str, right: str) -> tuple[Said, Said]:
    return pair(range_of, wrong, right)


THOUSAND: Sequence[str] = ("latency=1us:2us:1000", "cpu=1:2:1000")
HUNDRED: Sequence[str] = ("latency=1us:2us:100", "cpu=1:2:1000")
SWEEP: dict[str, tuple[Said, Said]] = {
    "--part {}: expected K/N with K from 1 to N, such as 3/20": pair(part_of, "3/2", "2/3"),
    "--part {}/{}: the sweep has {}": (of_part("1/3"), of_part("1/2")),
    "--sweep {}: expected AXIS=FROM:TO, such as latency=1us:100us; AXIS is one of {}": ranged(
        "colour=1:2", "cpu=1:2"
    ),
    "--sweep {}: expected FROM to be more than 0, and TO more": ranged("cpu=2:1", "cpu=1:2"),
    "--sweep {}: expected FROM:TO or FROM:TO:POINTS, of 2 to {} points": ranged(
        "cpu=1:2:1001", "cpu=1:2:1000"
    ),
    "--sweep {}: expected sizes; --{} unlimited asks for no limit": ranged(
        "eager-limit=1KiB,unlimited", "eager-limit=1KiB,2KiB"
    ),
    "--sweep {}: expected two or more values; for one, use --{}{}": ranged("cpu=2,2", "cpu=1,2"),
    "--sweep {}: give all values with a unit, or all as factors": ranged(
        "latency=x1:2us", "latency=x1:x2"
    ),
    "--sweep {}: given twice; a grid needs two different axes": (
        sweep_of("cpu=1,2", "cpu=3,4"),
        sweep_of("cpu=1,2", "noise=3,4"),
    ),
    "--sweep {}: points": ranged("cpu=1:2:many", "cpu=1:2:3"),
    "--sweep {}: values double from FROM to TO; drop :{}, or give the values as A,B,C": ranged(
        "ranks-per-node=1:64:3", "ranks-per-node=1:64"
    ),
    "--sweep: {} axes given; a sweep has at most {}": (
        sweep_of("cpu=1,2", "noise=1,2", "latency=x1,x2"),
        sweep_of("cpu=1,2", "noise=1,2"),
    ),
    "--sweep: {} points; at most {} are possible: give fewer POINTS in AXIS=FROM:TO:POINTS": (
        sizes(*THOUSAND),
        sizes(*HUNDRED),
    ),
    "the parts are not of one sweep; run all of them again": (
        joining(lambda part: part.replace(sweep=None)),
        joining(same),
    ),
    "the parts differ in what was recorded of {} (was it traced again in between?); run all of "
    "them again": (
        joining(lambda part: part.replace(recorded_seconds=9.0)),
        joining(same),
    ),
    "{}: expected a value, found nothing": ranged("on=rig-3,", "on=rig-3,fdr-4"),
}

CASES: Cases = {
    "analyse.whatif.collectives": COLLECTIVES,
    "analyse.whatif.nodes": NODES,
    "analyse.whatif.quantity": QUANTITY,
    "analyse.whatif.question": QUESTION,
    "analyse.whatif.sweep": SWEEP,
}
