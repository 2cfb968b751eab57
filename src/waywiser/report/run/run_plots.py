"""The plots of the report, in the order of the page except that topics are sorted by their share of
the time. A new plot is a function of `plots/` and a line here."""

from collections.abc import Sequence

from waywiser.model.rupture_field import RuptureField
from waywiser.model.summary import Summary
from waywiser.model.timeline import Timeline
from waywiser.model.wave_field import WaveField
from waywiser.model.whatif import WhatIf
from waywiser.report.answers.advice_plots import opportunities
from waywiser.report.answers.whatif_plots import drawn_answers
from waywiser.report.drawing.plot import Drawn
from waywiser.report.run.overview import by_time
from waywiser.report.run.plots.call_sites import call_sites
from waywiser.report.run.plots.communicators import communicators
from waywiser.report.run.plots.counters import counters
from waywiser.report.run.plots.extremes import extremes
from waywiser.report.run.plots.functions import functions
from waywiser.report.run.plots.matrix import matrix_bytes, matrix_collectives, matrix_messages
from waywiser.report.run.plots.openmp import openmp
from waywiser.report.run.plots.phases import phases
from waywiser.report.run.plots.posix_io import posix_io
from waywiser.report.run.plots.ranks import ranks
from waywiser.report.run.plots.roofline import drawn_roofline
from waywiser.report.run.plots.rupture_field import drawn_rupture_field
from waywiser.report.run.plots.sizes import sizes
from waywiser.report.run.plots.sync import sync, waits
from waywiser.report.run.plots.threads import threads
from waywiser.report.run.plots.wait_causes import (
    critical_path,
    matrix_waits,
    wait_causes,
    wait_ranks,
)
from waywiser.report.run.plots.wave_field import drawn_wave_field
from waywiser.report.run.timeline import drawn_timeline


def drawn_plots(
    summary: Summary,
    timeline: Timeline | None = None,
    answers: Sequence[WhatIf] = (),
    fields: Sequence[WaveField] = (),
    ruptures: Sequence[RuptureField] = (),
) -> list[Drawn]:
    """The plots that concern a run, in the order of the page.

    Args:
        timeline: timeline of a traced run.
        answers: answers about the run on other machines.
        fields: fields of the waves that the run modelled.
        ruptures: ruptures that the run computed.
    """
    over_time = summary.waits.over_time if summary.waits is not None else None
    plots = (
        ranks(summary),
        drawn_timeline(timeline, over_time) if timeline is not None else None,
        phases(summary),
        opportunities(summary.advice) if summary.advice is not None else None,
        *drawn_answers(answers),
        functions(summary),
        call_sites(summary),
        sync(summary),
        waits(summary),
        wait_ranks(summary),
        wait_causes(summary),
        critical_path(summary),
        communicators(summary),
        sizes(summary),
        matrix_bytes(summary),
        matrix_messages(summary),
        matrix_collectives(summary),
        matrix_waits(summary),
        threads(summary),
        openmp(summary),
        posix_io(summary),
        extremes(summary),
        counters(summary),
        drawn_roofline(summary.roofline),
        drawn_wave_field(fields),
        drawn_rupture_field(ruptures),
    )
    return by_time([plot for plot in plots if plot is not None], summary)
