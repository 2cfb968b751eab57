"""The figures of the report as charts of Altair, which notebooks draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import altair as alt

from waywiser.model.summary import Summary
from waywiser.model.timeline import Timeline
from waywiser.report.figure import charted, described, specification
from waywiser.report.figures import FIGURES
from waywiser.report.plots import timeline as timeline_plot

TIMELINE = "timeline"


class Plots(Mapping[str, alt.TopLevelMixin]):
    """Name of a figure -> its chart, drawn when it is asked for.

    The names are those of the files that `waywiser report --figures` writes.
    """

    def __init__(self, summary: Summary, timeline: Timeline | None) -> None:
        self._summary = summary
        self._timeline = timeline if timeline is not None and timeline.grids else None
        self._figures = {figure.name: figure for figure in charted(FIGURES, summary)}

    def __getitem__(self, name: str) -> alt.TopLevelMixin:
        if name == TIMELINE and self._timeline is not None:
            found = described(timeline_plot.chart(self._timeline))
        else:
            found = specification(self._figures[name], self._summary)
        chart: alt.TopLevelMixin = alt.Chart.from_dict(found)
        return chart

    def __iter__(self) -> Iterator[str]:
        yield from self._figures
        if self._timeline is not None:
            yield TIMELINE

    def __len__(self) -> int:
        return sum(1 for _ in self)
