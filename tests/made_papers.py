"""Made-up studies, and what their papers say."""

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

from tests import synthetic_mpibench
from tests import synthetic_study as made
from waywiser.analyse.study import analyse_study
from waywiser.model.findings import Findings
from waywiser.model.run import Run
from waywiser.report import figure as report_figure
from waywiser.report.figure import Drawn
from waywiser.report.paper import contents
from waywiser.report.paper.figures import drawn_figures
from waywiser.report.paper.page import page

SMALL = made.LAMMPS | {"axes": {"ranks": [1, 2]}, "repeats": {"blocks": 8}, "report": {}}
HIDDEN = re.compile(r"<footer>.*|<style.*?</style>|<script.*?</script>|<[^>]*>", re.DOTALL)


def visible(page_text: str) -> str:
    """The words of a page, its parts set off by semicolons; without charts and footer."""
    return html.unescape(HIDDEN.sub(" ; ", page_text))


def drawn_as(name: str, findings: Findings) -> Drawn:
    """The figure of this name in the paper."""
    return next(one for one in drawn_figures(findings) if one.name == name)


@dataclass(frozen=True)
class Paper:
    """The paper on findings, which are made when it is read first."""

    make: Callable[[], Findings]

    @cached_property
    def findings(self) -> Findings:
        return self.make()

    @cached_property
    def _words(self) -> str:
        def undrawn(findings: Findings) -> list[Any]:
            return [replace(figure, chart=alt.Chart) for figure in drawn_figures(findings)]

        study = made.study(SMALL)
        with (
            mock.patch.object(contents, "drawn_figures", undrawn),
            mock.patch.object(report_figure, "described", return_value={}),
        ):
            made_up = contents.contents_of(self.findings, study)
            return f"{visible(page(made_up))} {made_up.results}"

    @cached_property
    def _charts(self) -> str:
        specifications = (json.loads(one.specification) for one in drawn_figures(self.findings))
        return " ".join(json.dumps(one, ensure_ascii=False) for one in specifications)

    def words(self) -> str:
        """The page, and what only the PDF says."""
        return self._words

    def charts(self) -> str:
        """Labels of axes, legends and notes of the charts, as Vega-Lite has them."""
        return self._charts

    def but(self, change: Callable[[Findings], Mapping[str, Any]]) -> Paper:
        """The paper on these findings, of which something is other."""
        return Paper(lambda: self.findings.replace(**dict(change(self.findings))))

    def points(self, **change: Any) -> Paper:
        """What is other in each point; a function is asked for each."""

        def changed(point: Any) -> Any:
            values = {k: v(point) if callable(v) else v for k, v in change.items()}
            return point.replace(**values)

        return self.but(lambda found: {"points": tuple(map(changed, found.points))})

    def first(self, field: str, number: int) -> Paper:
        """With only so many of what a field has."""
        return self.but(lambda found: {field: getattr(found, field)[:number]})

    def times(self, field: str, number: int) -> Paper:
        """With so many times as much in a field."""
        return self.but(lambda found: {field: getattr(found, field) * number})


def of(
    document: Mapping[str, object] = SMALL,
    change: Callable[[Run], Run] = lambda run: run,
    settings: Mapping[str, object] | None = None,
    **planted: Any,
) -> Paper:
    """The paper of a study; `planted` is its truth."""
    study = made.study(document, **(settings or {}))
    return Paper(
        lambda: analyse_study(study, [change(r) for r in made.runs(study, made.Truth(**planted))])
    )


def libraries(factor: synthetic_mpibench.Factor = lambda *_: 1.0, **settings: object) -> Paper:
    """Collectives of two libraries by message size."""
    study = made.study(synthetic_mpibench.LIBRARIES, **settings)
    return Paper(lambda: analyse_study(study, synthetic_mpibench.runs(study, factor)))


def everywhere(points: str, blocks: int = 9) -> frozenset[made.Place]:
    """All runs of points, named with blanks between them."""
    return frozenset((point, block) for point in points.split() for block in range(blocks))
