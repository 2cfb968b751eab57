"""The report of a run: its plots, its tables, and their provenance."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from waywiser.analyse.findings import (
    library_text,
    missing,
)
from waywiser.analyse.remarks import rank_remarks
from waywiser.analyse.standing_out import standing_out
from waywiser.analyse.times import rank_times, total_time, whose_time
from waywiser.model.run import Run
from waywiser.model.rupture_field import RuptureField
from waywiser.model.summary import Summary
from waywiser.model.timeline import Timeline
from waywiser.model.wave_field import WaveField
from waywiser.model.whatif import WhatIf
from waywiser.report.answers.advice_plots import efficiencies_caption
from waywiser.report.drawing.matrix_image import palette
from waywiser.report.drawing.plot import Table
from waywiser.report.frame import framed, sections
from waywiser.report.gate import gate_sentences
from waywiser.report.run.overview import (
    diagnosis_sentences,
    efficiency_tree,
    not_in_tree,
    time_shares,
    without_cpu,
)
from waywiser.report.run.run_plots import drawn_plots
from waywiser.units import (
    count_text,
    counted,
    joules_text,
    percent_text,
    seconds_text,
    size_text,
    three_digits,
)

HEALTH_ROWS = 64

NOTHING_SEEN = "No MPI call was seen"


SCRIPTS = (
    *("charts.js", "columns.js", "matrix.js", "timeline_data.js", "timeline_panels.js"),
    *("timeline_drawing.js", "timeline.js", "report.js"),
)


@dataclass(frozen=True)
class KeyMetric:
    value: str
    label: str


def page(
    run: Run,
    summary: Summary,
    timeline: Timeline | None = None,
    answers: Sequence[WhatIf] = (),
    fields: Sequence[WaveField] = (),
    ruptures: Sequence[RuptureField] = (),
) -> str:
    """The whole report of a run as HTML.

    Args:
        summary: summary with `per_rank`.
        timeline, answers, fields, ruptures: as for `drawn_plots`.
    """
    plots = list(drawn_plots(summary, timeline, answers, fields, ruptures))
    empty = [plot for plot in plots if plot.absent and not plot.remarks]
    shown = [plot for plot in plots if plot not in empty]
    return framed(
        "report.html.j2",
        ["report.css"],
        SCRIPTS,
        run=run,
        summary=summary,
        command=shlex.join(run.command),
        headline=headline(summary),
        gate=gate_sentences(summary.gate),
        sentences=diagnosis_sentences(summary),
        shares=time_shares(summary),
        queued=without_cpu(summary),
        tree=efficiency_tree(summary),
        not_in_tree=not_in_tree(summary),
        replayed=efficiencies_caption(summary.advice) if summary.advice else "",
        loss=loss(summary),
        strips=standing_out(summary),
        without_data=empty,
        key_metrics=key_metrics(summary),
        sections=sections(shown),
        explored_pairs={
            plot.explored.pairs: plot.explored.packed for plot in shown if plot.explored
        },
        palette=json.dumps(["#" + bytes(colour).hex() for colour in palette()[1:]]),
        health=health_table(summary),
        provenance=provenance(run),
    )


def headline(summary: Summary) -> str:
    """The subject of the page, for its title and above its name."""
    return f"MPI profile of {counted(summary.ranks, 'rank')}" if summary.ranks else NOTHING_SEEN


def loss(summary: Summary) -> str:
    """The heading over missing data; "" if no data is missing and the program did not fail."""
    if not summary.ranks:
        return NOTHING_SEEN
    failed = f"; the program failed (exit code {summary.exit_code})" if summary.exit_code else ""
    if summary.status != "complete":
        return f"This profile is partial{failed}"
    if missing(summary):
        return f"Not everything was recorded{failed}"
    return f"This profile is complete{failed}" if failed else ""


def key_metrics(summary: Summary) -> list[KeyMetric]:
    """The numbers for the head of the page; none if nothing was measured."""
    if not summary.per_rank:
        return []
    times = rank_times(summary)
    total = total_time(times)
    peak = max(rank.peak_memory_bytes for rank in summary.per_rank)
    wall = sum(rank.wall_seconds for rank in summary.per_rank)
    cpus = sum(rank.cpu_seconds for rank in summary.per_rank) / wall if wall > 0 else 0.0
    nodes = len({rank.host for rank in summary.per_rank})
    joules = [node.energy_joules for node in summary.nodes if node.energy_joules is not None]
    return [
        KeyMetric(seconds_text(summary.wall_seconds), f"wall time, {_span(summary)}"),
        KeyMetric(count_text(summary.ranks), "rank" if summary.ranks == 1 else "ranks"),
        KeyMetric(count_text(nodes), "node" if nodes == 1 else "nodes"),
        KeyMetric(percent_text(total.mpi_share), f"of {whose_time(times)} in MPI"),
        KeyMetric(size_text(peak), "peak memory of the largest rank"),
        KeyMetric(three_digits(cpus), "CPUs in use by a rank, mean"),
        *(
            # If every node reports it, the sum is the run's.
            [KeyMetric(joules_text(sum(joules)), "energy of the nodes' CPUs")]
            if joules and len(joules) == len(summary.nodes)
            else []
        ),
        KeyMetric(library_text(summary.mpi), "MPI library"),
    ]


def _span(summary: Summary) -> str:
    """The span of time in which ranks were measured."""
    if summary.status == "complete":
        return "MPI_Init to MPI_Finalize"
    return "MPI_Init to the last record of a rank"


def health_table(summary: Summary) -> Table:
    """CPU, memory and place of each rank; if not all fit, ranks with a remark come first."""
    ranks = summary.per_rank or ()
    remarks = rank_remarks(ranks)
    chosen = sorted(ranks, key=lambda rank: (not remarks[rank.rank], rank.rank))
    rest = (
        f"{HEALTH_ROWS} of {len(ranks):,} ranks, those with a remark first. All of them: "
        "waywiser show RUN --json --per-rank"
    )
    if len(ranks) <= HEALTH_ROWS:
        chosen, rest = list(ranks), ""
    remarkable = sum(1 for texts in remarks.values() if texts)
    caption = f"CPU, memory and place of {counted(len(ranks), 'rank')}; {remarkable} with a remark"
    columns = (
        *("Rank", "Host", "May run on CPUs", "Wall (s)", "CPU (s)", "Involuntary switches"),
        *("Peak memory (B)", "Remarks"),
    )
    rows = (
        (
            *(rank.rank, rank.host, rank.cpus, rank.wall_seconds, rank.cpu_seconds),
            *(rank.involuntary_switches, rank.peak_memory_bytes),
            "; ".join(remarks[rank.rank].values()),
        )
        for rank in chosen[:HEALTH_ROWS]
    )
    return Table(caption, columns, tuple(rows), rest)


def provenance(run: Run) -> list[tuple[str, str]]:
    """The non-empty fields of run.json, as (dotted name, text), in its order.

    A study's run has its place in the study, and not its results, which the study's report has.
    """
    findings = {"result": {"reading", "mpi"}}
    return list(_fields("", run.model_dump(mode="json", exclude=findings)))


def _fields(name: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        prefix = f"{name}." if name else ""
        return [field for key, part in value.items() for field in _fields(prefix + key, part)]
    if value is None or value in ([], ""):
        return []
    if isinstance(value, list):
        words = name in {"command", "program.arguments"}
        return [(name, shlex.join(value) if words else " ".join(map(str, value)))]
    if isinstance(value, bool):
        return [(name, "yes" if value else "no")]
    if isinstance(value, float):
        return [(name, three_digits(value))]
    return [(name, str(value))]
