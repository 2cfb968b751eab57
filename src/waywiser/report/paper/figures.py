"""The figures of the paper by their relevance: answers first, then their reasons, then details.

A new one is a function of `plots/` and a line here.
"""

from waywiser.model.findings import Findings
from waywiser.report.figure import Figure, charted
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

MOST_IN_TEXT = 6
"""Figures in the paper's text; the others are in its appendix."""

FIGURES: tuple[Figure[Findings], ...] = (
    Figure(
        "comparison", "What differs", comparison.caption, comparison.chart, comparison.table,
        concerns=comparison.supported,
    ),
    Figure(
        "guidelines", "Performance guidelines", ratios.guidelines_caption, ratios.guidelines_chart,
        ratios.guidelines_table, concerns=ratios.guidelines_supported,
    ),
    Figure("ratios", "By message size", ratios.caption, ratios.chart, concerns=ratios.supported),
    Figure(
        "cheapest", "Good enough, and cheapest", cheapest.caption, cheapest.chart, cheapest.table,
        concerns=cheapest.supported,
    ),
    Figure("sweep", "Best settings", sweep.caption, sweep.chart, concerns=sweep.supported),
    Figure(
        "scaling", "Scaling", scaling.figure_caption, scaling.figure_chart, scaling.figure_table,
        concerns=scaling.supported,
    ),
    Figure(
        "global-efficiency", "Parallel efficiency and computation scaling", efficiencies.caption,
        efficiencies.chart, efficiencies.table, concerns=efficiencies.supported,
    ),
    Figure("pareto", "Trade-off", pareto.caption, pareto.chart, concerns=pareto.supported),
    Figure(
        "mpi-functions", "MPI time by function", profile.bars_caption, profile.bars_chart,
        profile.table, concerns=profile.supported,
    ),
    Figure(
        "section-changes", "Changes of sections", sections.changes_caption, sections.changes_chart,
        sections.changes_table, concerns=sections.changes_supported,
    ),
    Figure(
        "runs", "Every run", spread.runs_caption, spread.runs_chart, spread.runs_table,
        concerns=spread.runs_supported,
    ),
    Figure(
        "sections", "Sections of the application", sections.caption, sections.chart, sections.table,
        concerns=sections.supported,
    ),
    Figure(
        "efficiency", "Speed-up and efficiency", scaling.efficiency_caption,
        scaling.efficiency_chart, concerns=scaling.supported,
    ),
    Figure(
        "throughput", "Job throughput", scaling.throughput_caption, scaling.throughput_chart,
        concerns=scaling.throughput_supported,
    ),
    Figure(
        "per-node", "Rate of a node", scaling.per_node_caption, scaling.per_node_chart,
        concerns=scaling.per_node_supported,
    ),
    Figure(
        "rsd", "Run-to-run variation", spread.rsd_caption, spread.rsd_chart,
        concerns=spread.rsd_supported,
    ),
    Figure(
        "mpi-pies", "Application against MPI", profile.pies_caption, profile.pies_chart,
        concerns=profile.supported,
    ),
    Figure(
        "calls-pies", "MPI calls by function", calls.pies_caption, calls.pies_chart,
        concerns=calls.supported,
    ),
    Figure(
        "calls", "Number of MPI calls", calls.bars_caption, calls.bars_chart,
        concerns=calls.supported,
    ),
    Figure(
        "time-per-call", "Time per MPI call", calls.time_caption, calls.time_chart,
        concerns=calls.time_supported,
    ),
    Figure(
        "sizes", "Message sizes", calls.sizes_caption, calls.sizes_chart,
        concerns=calls.sizes_supported,
    ),
    Figure("cpu-use", "CPU use", cpu.caption, cpu.chart, concerns=cpu.supported),
)  # fmt: skip


def supported(findings: Findings) -> list[Figure[Findings]]:
    """The figures that the study's data can draw."""
    return list(charted(FIGURES, findings))
