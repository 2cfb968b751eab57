"""Sentences of `advise` on each opportunity."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.closed_form_replay import MS, Program, base_on_paper
from waywiser.analyse.advice.advice import advice
from waywiser.analyse.whatif.answer import Base
from waywiser.analyse.whatif.network import Cost, Network, Part

RUN = Program((1 * MS,) * 4, 4000, 8, 7.032 * MS, {})
"""4000 messages after 1 ms of computing."""

UNLIKE = replace(RUN, recorded_ns=70 * MS)
"""Recorded with ten times the time of its replay, so that nothing is predicted."""

IDLE = replace(RUN, computation_ns=(0.0,) * 4, recorded_ns=6.032 * MS)
TWO_NODES, ONE_NODE = (0, 0, 1, 1), (0,) * 4
NO_BANDWIDTH = Network(
    Part((Cost(None, 200.0, 100.0, 100.0, 0.0),), 4096, "the memory"),
    Part((Cost(None, 1000.0, 250.0, 250.0, 0.0),), 4096, "the wires"),
)


def of(base: Base) -> str:
    opportunities = advice(base).opportunities
    return "\n".join(
        f"{opportunity.name}: {opportunity.what}: {opportunity.because}"
        for opportunity in opportunities
    )


def run(program: Program = RUN, nodes: tuple[int, ...] = TWO_NODES, **summary: Any) -> str:
    """A run of which other is known than what its replay makes."""
    base = base_on_paper(program, nodes)
    changed = base.recorded.summary.replace(**summary)
    return of(replace(base, recorded=replace(base.recorded, summary=changed)))


def progressing() -> str:
    base = base_on_paper(RUN, TWO_NODES)
    setting = replace(base.recorded.base, asynchronous=True)
    return of(replace(base, recorded=replace(base.recorded, base=setting)))


def late_senders(seconds: float) -> str:
    """Report of a run with late senders; its four ranks take 28 ms together."""
    waits = base_on_paper(RUN, TWO_NODES).recorded.summary.waits
    assert waits is not None
    return run(waits=waits.replace(seconds={"late_sender": seconds}))
