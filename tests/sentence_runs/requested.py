"""Sentences of `whatif` on questions: their changes in words, and errors in their values."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.closed_form_replay import MS, Program, base_on_paper
from tests.sentence_runs.studies import answered
from tests.synthetic_placements import placement
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


@answered
def parsed(parse: Parse, *arguments: object) -> str:
    """The text for a value."""
    return f"{parse(*arguments)}"


def pair(parse: Parse, wrong: object, right: object) -> tuple[str, str]:
    return parsed(parse, wrong), parsed(parse, right)


def option(parse: Parse) -> Parse:
    return partial(parse, "--option")


def changes(**question: Any) -> tuple[str, str]:
    return "; ".join(Question(**question).changes), "; ".join(Question().changes)


@answered
def nodes(name: str, of_ranks: tuple[int, ...] = (0, 0, 1, 1), machine: str = "") -> str:
    """Ranks that are to be placed elsewhere."""
    summary = base_on_paper(RUN, of_ranks).recorded.summary
    on = read_machine(machine) if machine else None
    return f"{placed(of_ranks, name, summary, on, 1)}"


@answered
def nodes_of_placement(ranks: int) -> str:
    """Nodes by a file of `waywiser place` with `ranks` ranks, for a run of four."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "placed"
        document = placement(*["n0", "n1"] * (ranks // 2)).model_dump_json()
        file.with_suffix(".json").write_text(document, encoding="utf-8")
        return f"{nodes_of_file(str(file), 4)}"


def two(number: str) -> WhatIf:
    """A part of a sweep over two values."""
    base = base_on_paper(RUN, (0, 0, 1, 1))
    sweep = swept(base, [("asked", Question())], ranges_of(["cpu=1,2"]), part_of(number))
    return answers(base, []).replace(sweep=sweep)


@answered
def joining(change: Callable[[WhatIf], WhatIf]) -> str:
    return joined([two("1/2"), change(two("2/2"))]).run


def same(part: WhatIf) -> WhatIf:
    return part


@answered
def of_part(number: str) -> str:
    return two(number).run


def sweep_of(*texts: str) -> str:
    return parsed(ranges_of, texts)


@answered
def sizes(*texts: str) -> str:
    return str(size_of_sweep(1, ranges_of(texts)))


def ranged(wrong: str, right: str) -> tuple[str, str]:
    return pair(range_of, wrong, right)


THOUSAND: Sequence[str] = ("latency=1us:2us:1000", "cpu=1:2:1000")
HUNDRED: Sequence[str] = ("latency=1us:2us:100", "cpu=1:2:1000")
