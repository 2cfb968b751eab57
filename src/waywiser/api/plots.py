"""The report's plots as Altair charts for notebooks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import altair as alt
from altair.utils.schemapi import debug_mode

from waywiser.model.summary import Summary
from waywiser.model.timeline import Timeline
from waywiser.report.run.run_plots import drawn_plots

COMPOSED: dict[str, Any] = {
    "layer": alt.LayerChart,
    "concat": alt.ConcatChart,
    "hconcat": alt.HConcatChart,
    "vconcat": alt.VConcatChart,
    "facet": alt.FacetChart,
}
"""Key of a description -> class of its chart; Altair would find it by trying to validate each."""


class Plots(Mapping[str, alt.TopLevelMixin]):
    """Name of a plot -> its chart, which is drawn on access.

    `waywiser report --plots` uses the same names for its files.
    """

    def __init__(self, summary: Summary, timeline: Timeline | None) -> None:
        plots = drawn_plots(summary, timeline)
        self._plots = {plot.name: plot for plot in plots if plot.chart is not None}

    def __getitem__(self, name: str) -> alt.TopLevelMixin:
        description = json.loads(self._plots[name].specification)
        kinds = (kind for key, kind in COMPOSED.items() if key in description)
        with debug_mode(False):
            chart: alt.TopLevelMixin = next(kinds, alt.Chart).from_dict(description, validate=False)
        return chart

    def __iter__(self) -> Iterator[str]:
        return iter(self._plots)

    def __len__(self) -> int:
        return len(self._plots)
