"""The phases between calls of MPI_Pcontrol, each with the parts of its time."""

from __future__ import annotations

from collections.abc import Mapping

from waywiser.analyse.times import by_time, rank_times, threads_note
from waywiser.model.summary import OUTSIDE_MPI_TIME, Function, Phase, Summary
from waywiser.report.drawing import bars
from waywiser.report.drawing.plot import Cell, Drawn, Table, table
from waywiser.units import counted, seconds_text

CHART_PHASES = 20


OTHER_PHASES = -1
"""Number for all phases beyond those that the profiler distinguishes (profile/calls/phases.hpp)."""


def label(phase: Phase) -> str:
    """The phase's name and number."""
    if phase.phase == OTHER_PHASES:
        return "all others"
    return f"{phase.phase}: {phase.name}" if phase.name else f"phase {phase.phase}"


def _mpi(phase: Phase) -> Mapping[str, Function]:
    """A phase's functions without MPI_Init and MPI_Finalize, which lie outside the phases' time."""
    functions = phase.functions.items()
    return {name: function for name, function in functions if name not in OUTSIDE_MPI_TIME}


def split(summary: Summary, phases: list[Phase]) -> list[bars.Stack]:
    """Seconds by part of each phase, mean over ranks; time outside MPI is the application's."""
    ranks = max(1, len(summary.per_rank or ()))
    stacks = bars.by_function([_mpi(phase) for phase in phases], ranks)
    return [
        {bars.APPLICATION: max(0.0, phase.seconds - sum(stack.values())), **stack}
        for phase, stack in zip(phases, stacks, strict=True)
    ]


def phases(summary: Summary) -> Drawn | None:
    """A bar for each phase, the longest on top; None if the program did not use MPI_Pcontrol, as it
    then has phase 1 alone."""
    if all(phase.phase == 1 for phase in summary.phases):
        return None
    name, title = "phases", "Time by phase"
    if not any(phase.seconds > 0 for phase in summary.phases):
        return Drawn(name, title, absent="No phase took any time.")
    longest = sorted(summary.phases, key=lambda phase: (-phase.seconds, phase.phase))
    caption = (
        f"{counted(len(longest), 'phase')} of the program, divided by its calls of "
        "MPI_Pcontrol, the longest first: how much of each is spent outside MPI, and which MPI "
        "functions take the rest."
    )
    if len(longest) > CHART_PHASES:
        caption += f" The chart has {CHART_PHASES} of them, the table all."
    drawn = longest[:CHART_PHASES]
    return Drawn(
        name,
        title,
        caption + threads_note(rank_times(summary)),
        lambda: bars.across(
            list(map(label, drawn)), split(summary, drawn), "Time, mean over ranks (s)"
        ),
        _table(summary, longest),
    )


def _table(summary: Summary, phases: list[Phase]) -> Table:
    """The bars as a table, with the rank of the longest time in each phase."""
    with_waiting = summary.split_sync
    rows: list[tuple[Cell, ...]] = []
    for phase, stack in zip(phases, split(summary, phases), strict=True):
        application, waiting = stack[bars.APPLICATION], stack[bars.WAITING]
        functions = by_time(_mpi(phase))
        rank = "" if phase.max_rank is None else f" (rank {phase.max_rank})"
        rows.append(
            (
                *(label(phase), phase.entries, phase.seconds, application),
                *((waiting,) if with_waiting else ()),
                sum(stack.values()) - application - waiting,
                seconds_text(phase.max_seconds) + rank,
                functions[0][0] if functions else "none",
            )
        )
    columns = (
        *("Phase", "Entered", "Mean (s)", "Application (s)"),
        *(("Waiting (s)",) if with_waiting else ()),
        *("MPI (s)", "Longest", "Most MPI in"),
    )
    return table(
        f"Time by phase, mean over ranks{bars.WAITING_IS if with_waiting else ''}", columns, rows
    )
