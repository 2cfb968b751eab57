"""The figures of the paper by their relevance: answers first, then their reasons, then details.

A new one is a function of `plots/` and its name here.
"""

from waywiser.model.findings import Findings
from waywiser.progress import steps
from waywiser.report.figure import Drawn
from waywiser.report.paper.plots.calls import calls, calls_pies, sizes, time_per_call
from waywiser.report.paper.plots.cheapest import cheapest
from waywiser.report.paper.plots.comparison import comparison
from waywiser.report.paper.plots.cpu import cpu_use
from waywiser.report.paper.plots.efficiencies import global_efficiency
from waywiser.report.paper.plots.pareto import pareto
from waywiser.report.paper.plots.profile import mpi_functions, mpi_pies
from waywiser.report.paper.plots.ratios import guidelines, ratios
from waywiser.report.paper.plots.scaling import efficiency, per_node, scaling, throughput
from waywiser.report.paper.plots.sections import section_changes, sections
from waywiser.report.paper.plots.spread import rsd, runs
from waywiser.report.paper.plots.sweep import sweep

MOST_IN_TEXT = 6
"""Figures in the paper's text; the others are in its appendix."""

FIGURES = (
    *(comparison, guidelines, ratios, cheapest, sweep, scaling, global_efficiency, pareto),
    *(mpi_functions, section_changes, runs, sections, efficiency, throughput, per_node, rsd),
    *(mpi_pies, calls_pies, calls, time_per_call, sizes, cpu_use),
)


def drawn_figures(findings: Findings) -> list[Drawn]:
    """The figures that the study's data can draw."""
    found = (figure(findings) for figure in steps("drawing", FIGURES, len(FIGURES)))
    return [one for one in found if one is not None]
