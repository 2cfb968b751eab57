"""Reports of made-up runs, which several tests look at: each is written once by a process."""

from __future__ import annotations

from functools import cache

from tests import synthetic
from tests.synthetic_sections import with_everything
from waywiser.model.summary import Summary
from waywiser.report.drawing.plot import Drawn
from waywiser.report.run.page import page
from waywiser.report.run.run_plots import drawn_plots


@cache
def of(ranks: int) -> str:
    return page(synthetic.run(ranks), synthetic.summary(ranks))


@cache
def of_dense(ranks: int) -> str:
    """All ranks send to all others."""
    return page(synthetic.run(ranks), synthetic.dense(ranks))


@cache
def of_everything() -> str:
    return page(synthetic.run(4), with_everything())


def drawn(summary: Summary, *, explored: bool = False) -> list[Drawn]:
    """The plots that Vega draws, or those that are explored on a canvas."""
    plots = (plot for plot in drawn_plots(summary) if plot.chart is not None and plot.pictured)
    return [plot for plot in plots if bool(plot.explored) == explored]
