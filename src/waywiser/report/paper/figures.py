"""The figures of the paper, in its order. A new one is a function of `plots/` and a line here."""

from waywiser.model.findings import Findings
from waywiser.report.paper.figure import PaperFigure
from waywiser.report.paper.plots import (
    calls,
    cheapest,
    comparison,
    cpu,
    efficiencies,
    pareto,
    profile,
    ratios,
    scaling,
    sections,
    spread,
    sweep,
)

FIGURES: tuple[PaperFigure, ...] = (
    PaperFigure(
        "comparison", "What differs", comparison.supported, comparison.chart, comparison.caption,
        comparison.table,
    ),
    PaperFigure(
        "ratios", "By message size", ratios.supported, ratios.chart, ratios.caption
    ),
    PaperFigure(
        "guidelines", "Performance guidelines", ratios.guidelines_supported,
        ratios.guidelines_chart, ratios.guidelines_caption, ratios.guidelines_table,
    ),
    PaperFigure(
        "scaling", "Scaling", scaling.supported, scaling.figure_chart, scaling.figure_caption,
        scaling.figure_table,
    ),
    PaperFigure(
        "efficiency", "Speed-up and efficiency", scaling.supported, scaling.efficiency_chart,
        scaling.efficiency_caption,
    ),
    PaperFigure(
        "global-efficiency", "Parallel efficiency and computation scaling",
        efficiencies.supported, efficiencies.chart, efficiencies.caption, efficiencies.table,
    ),
    PaperFigure(
        "throughput", "Job throughput", scaling.throughput_supported, scaling.throughput_chart,
        scaling.throughput_caption,
    ),
    PaperFigure(
        "per-node", "Rate of a node", scaling.per_node_supported, scaling.per_node_chart,
        scaling.per_node_caption,
    ),
    PaperFigure(
        "cheapest", "Good enough, and cheapest", cheapest.supported, cheapest.chart,
        cheapest.caption, cheapest.table,
    ),
    PaperFigure("sweep", "Best settings", sweep.supported, sweep.chart, sweep.caption),
    PaperFigure("pareto", "Trade-off", pareto.supported, pareto.chart, pareto.caption),
    PaperFigure(
        "runs", "Every run", spread.runs_supported, spread.runs_chart, spread.runs_caption,
        spread.runs_table,
    ),
    PaperFigure(
        "rsd", "Run-to-run variation", spread.rsd_supported, spread.rsd_chart, spread.rsd_caption
    ),
    PaperFigure(
        "sections", "Sections of the application", sections.supported, sections.chart,
        sections.caption, sections.table,
    ),
    PaperFigure(
        "section-changes", "Changes of sections", sections.changes_supported,
        sections.changes_chart, sections.changes_caption, sections.changes_table,
    ),
    PaperFigure(
        "mpi-pies", "Application against MPI", profile.supported, profile.pies_chart,
        profile.pies_caption,
    ),
    PaperFigure(
        "mpi-functions", "MPI time by function", profile.supported, profile.bars_chart,
        profile.bars_caption, profile.table,
    ),
    PaperFigure(
        "calls-pies", "MPI calls by function", calls.supported, calls.pies_chart, calls.pies_caption
    ),
    PaperFigure(
        "calls", "Number of MPI calls", calls.supported, calls.bars_chart, calls.bars_caption
    ),
    PaperFigure(
        "time-per-call", "Time per MPI call", calls.time_supported, calls.time_chart,
        calls.time_caption,
    ),
    PaperFigure(
        "sizes", "Message sizes", calls.sizes_supported, calls.sizes_chart, calls.sizes_caption
    ),
    PaperFigure("cpu-use", "CPU use", cpu.supported, cpu.chart, cpu.caption),
)  # fmt: skip


def supported(findings: Findings) -> list[PaperFigure]:
    """The figures that the study's data can draw."""
    return [figure for figure in FIGURES if figure.supported(findings)]
