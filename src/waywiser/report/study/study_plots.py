"""The plots of the report by their relevance: answers first, then their reasons, then details.

A new plot is a function of `plots/` and its name here.
"""

from waywiser.model.findings import Findings
from waywiser.progress import steps
from waywiser.report.drawing.plot import Drawn
from waywiser.report.study.plots.calls import calls, calls_pies, sizes, time_per_call
from waywiser.report.study.plots.cheapest import cheapest
from waywiser.report.study.plots.comparison import comparison
from waywiser.report.study.plots.cpu import cpu_use
from waywiser.report.study.plots.efficiencies import global_efficiency
from waywiser.report.study.plots.pareto import pareto
from waywiser.report.study.plots.profile import mpi_functions, mpi_pies
from waywiser.report.study.plots.ratios import guidelines, ratios
from waywiser.report.study.plots.scaling import efficiency, per_node, scaling, throughput
from waywiser.report.study.plots.sections import section_changes, sections
from waywiser.report.study.plots.spread import rsd, runs
from waywiser.report.study.plots.sweep import sweep

MOST_IN_TEXT = 6
"""Largest number of plots in the report's text; the others are in its appendix."""

PLOTS = (
    *(comparison, guidelines, ratios, cheapest, sweep, scaling, global_efficiency, pareto),
    *(mpi_functions, section_changes, runs, sections, efficiency, throughput, per_node, rsd),
    *(mpi_pies, calls_pies, calls, time_per_call, sizes, cpu_use),
)


def drawn_plots(findings: Findings) -> list[Drawn]:
    """The plots for which the study has data."""
    drawn = (plot(findings) for plot in steps("drawing", PLOTS, len(PLOTS)))
    return [plot for plot in drawn if plot is not None]
