"""Made-up studies, and what their reports say."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from unittest import mock

import altair as alt

from tests import synthetic_mpibench, synthetic_study
from waywiser.analyse.study import analyse_study
from waywiser.model.findings import Findings
from waywiser.model.run import Run
from waywiser.report.drawing import plot as report_plot
from waywiser.report.drawing.plot import Drawn
from waywiser.report.study import contents
from waywiser.report.study.page import page
from waywiser.report.study.study_plots import drawn_plots

SMALL = synthetic_study.LAMMPS | {"axes": {"ranks": [1, 2]}, "repeats": {"blocks": 8}, "report": {}}
HIDDEN = re.compile(r"<footer>.*|<style.*?</style>|<script.*?</script>|<[^>]*>", re.DOTALL)


def visible(page_text: str) -> str:
    """The words of a page, its parts set off by semicolons; without charts and footer."""
    return html.unescape(HIDDEN.sub(" ; ", page_text))


def drawn_as(name: str, findings: Findings) -> Drawn:
    """The plot of this name in the report."""
    return next(plot for plot in drawn_plots(findings) if plot.name == name)


@dataclass(frozen=True)
class StudyReport:
    """The report on findings, which are made when it is read first."""

    make: Callable[[], Findings]

    @cached_property
    def findings(self) -> Findings:
        return self.make()

    @cached_property
    def _words(self) -> str:
        def undrawn(findings: Findings) -> list[Any]:
            return [replace(plot, chart=alt.Chart) for plot in drawn_plots(findings)]

        study = synthetic_study.study(SMALL)
        with (
            mock.patch.object(contents, "drawn_plots", undrawn),
            mock.patch.object(report_plot, "described", return_value={}),
        ):
            page_contents = contents.contents_of(self.findings, study)
            return f"{visible(page(page_contents))} {page_contents.results}"

    @cached_property
    def _charts(self) -> str:
        specifications = (json.loads(plot.specification) for plot in drawn_plots(self.findings))
        return " ".join(
            json.dumps(specification, ensure_ascii=False) for specification in specifications
        )

    def words(self) -> str:
        """The page, and what only the PDF says."""
        return self._words

    def charts(self) -> str:
        """Labels of axes, legends and notes of the charts, as Vega-Lite has them."""
        return self._charts

    def but(self, change: Callable[[Findings], Mapping[str, Any]]) -> StudyReport:
        """The report on these findings, of which something is other."""
        return StudyReport(lambda: self.findings.replace(**dict(change(self.findings))))

    def configurations(self, **change: Any) -> StudyReport:
        """The report with changed configurations; a function value is called with each."""

        def changed(configuration: Any) -> Any:
            values = {k: v(configuration) if callable(v) else v for k, v in change.items()}
            return configuration.replace(**values)

        return self.but(
            lambda findings: {"configurations": tuple(map(changed, findings.configurations))}
        )

    def first(self, field: str, number: int) -> StudyReport:
        """With only so many of what a field has."""
        return self.but(lambda findings: {field: getattr(findings, field)[:number]})

    def times(self, field: str, number: int) -> StudyReport:
        """With so many times as much in a field."""
        return self.but(lambda findings: {field: getattr(findings, field) * number})


def of(
    document: Mapping[str, object] = SMALL,
    change: Callable[[Run], Run] = lambda run: run,
    settings: Mapping[str, object] | None = None,
    **planted: Any,
) -> StudyReport:
    """The report of a study; `planted` is its truth."""
    study = synthetic_study.study(document, **(settings or {}))
    return StudyReport(
        lambda: analyse_study(
            study,
            [change(r) for r in synthetic_study.runs(study, synthetic_study.Truth(**planted))],
        )
    )


def libraries(
    factor: synthetic_mpibench.Factor = lambda *_: 1.0, **settings: object
) -> StudyReport:
    """Collectives of two libraries by message size."""
    study = synthetic_study.study(synthetic_mpibench.LIBRARIES, **settings)
    return StudyReport(lambda: analyse_study(study, synthetic_mpibench.runs(study, factor)))


def everywhere(configurations: str, blocks: int = 9) -> frozenset[synthetic_study.Place]:
    """All runs of configurations, named with blanks between them."""
    return frozenset(
        (configuration, block)
        for configuration in configurations.split()
        for block in range(blocks)
    )
