"""Advice, answers about other machines, and validations of machines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.closed_form_replay import BASE_NETWORK, MS, Program, base_on_paper
from tests.synthetic_plots import drawn_text
from tests.synthetic_waits import waits
from waywiser.analyse.advice.advice import advice
from waywiser.analyse.whatif.answer import answers
from waywiser.analyse.whatif.question import Question
from waywiser.model.advice import Advice
from waywiser.model.validation import ValidatedProgram, ValidationReport
from waywiser.model.whatif import Extrapolation, FunctionTime, Law, LinkSharing, WhatIf
from waywiser.report.answers.advice import advice_text
from waywiser.report.answers.advice_plots import drawn_advice
from waywiser.report.answers.whatif import whatif_text
from waywiser.report.answers.whatif_plots import drawn_whatif
from waywiser.report.machines.validation import validation_text

TWO_NODES = (0, 0, 1, 1)
UNEVEN = Program((2 * MS, 2 * MS, 2 * MS, 6 * MS), 1000, 8, 7.508 * MS, {"Rabenseifner": 0.5})
EVEN = replace(UNEVEN, computation_ns=(6 * MS,) * 4)
"""1000 messages of 1 us + 2 * 0.25 us + 8 ns, after 6 ms of computing."""

NETWORK = replace(BASE_NETWORK, inside=replace(BASE_NETWORK.inside, origin="the wires"))
UNLIKE = replace(EVEN, recorded_ns=15 * MS)
"""Recorded with twice the time of its replay, from which nothing is predicted."""


def advised(program: Program, **change: Any) -> Advice:
    return advice(base_on_paper(program, TWO_NODES)).replace(**change)


def advises(program: Program) -> str:
    return advice_text(advised(program))


def caused(known: bool) -> str:
    """Advice whose first opportunity has a cause, or none."""
    answer = advised(UNEVEN)
    opportunity = answer.opportunities[0].replace(cause=waits(4).causes[0] if known else None)
    return advice_text(answer.replace(opportunities=(opportunity,)))


def advice_plot(number: int, program: Program) -> str:
    """The first are the efficiencies, the second the opportunities, if there are any."""
    return "".join(map(drawn_text, drawn_advice(advised(program))[number : number + 1]))


def all_worth_it() -> Advice:
    answer = advised(EVEN)
    opportunities = tuple(
        opportunity.replace(assessment="expected") for opportunity in answer.opportunities
    )
    return answer.replace(opportunities=opportunities)


def predicted(program: Program = EVEN, **change: Any) -> WhatIf:
    """An answer about processors that compute twice as fast."""
    base = base_on_paper(program, TWO_NODES, NETWORK)
    return answers(base, [Question(cpu=2.0)]).replace(**change)


def answered(program: Program = EVEN, **change: Any) -> str:
    return whatif_text(predicted(program, **change))


def replayed(**change: Any) -> str:
    """An answer whose replays are other."""
    answer = predicted()
    base, prediction = (replay.replace(**change) for replay in (answer.base, *answer.predictions))
    return whatif_text(answer.replace(base=base, predictions=(prediction,)))


def extrapolation(laws: int = 1, grid: str | None = None) -> Extrapolation:
    return Extrapolation(
        runs=("a", "b"),
        recorded_ranks=(2, 4),
        classes=3,
        grid=grid,
        laws=tuple(
            Law(of=f"computing {n}", law="1 / ranks", share=0.1, residual=0.01) for n in range(laws)
        ),
        remarks=(),
    )


LINKS = LinkSharing(
    topology="two nodes",
    busiest=0.5,
    mean=0.1,
    delayed_seconds=1e-3,
    inner_delayed_seconds=0.0,
    most_to_a_node=3,
)


def functions(number: int) -> dict[str, Any]:
    names = [f"MPI_F{n}" for n in range(number)]
    return {
        "functions": tuple(
            FunctionTime(name=name, calls=1, seconds=1e-3, waiting_seconds=0.0) for name in names
        )
    }


def drawn(program: Program = EVEN, **change: Any) -> str:
    return drawn_text(drawn_whatif(predicted(program, **change)))


VALIDATED = ValidationReport(
    waywiser="0",
    machine="two nodes",
    date="2026-11-22",
    ranks=2,
    programs=(
        ValidatedProgram(
            program="ring",
            run="ring",
            nodes=2,
            measured_seconds=1.0,
            predicted_seconds=1.1,
            time_error_per_cent=10.0,
            measured_mpi_seconds=0.5,
            predicted_mpi_seconds=0.6,
            mpi_error_per_cent=20.0,
        ),
    ),
    error_per_cent=10.0,
)
