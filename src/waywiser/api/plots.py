"""The report's plots as Altair charts for notebooks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import altair as alt

from waywiser.model.summary import Summary
from waywiser.model.timeline import Timeline
from waywiser.report.run_plots import drawn_plots


class Plots(Mapping[str, alt.TopLevelMixin]):
    """Name of a plot -> its chart, which is drawn on access.

    `waywiser report --plots` uses the same names for its files.
    """

    def __init__(self, summary: Summary, timeline: Timeline | None) -> None:
        plots = drawn_plots(summary, timeline)
        self._plots = {one.name: one for one in plots if one.chart is not None}

    def __getitem__(self, name: str) -> alt.TopLevelMixin:
        chart: alt.TopLevelMixin = alt.Chart.from_dict(json.loads(self._plots[name].specification))
        return chart

    def __iter__(self) -> Iterator[str]:
        return iter(self._plots)

    def __len__(self) -> int:
        return len(self._plots)
