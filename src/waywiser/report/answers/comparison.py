"""`waywiser compare` on a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from waywiser.model.comparison import (
    ComparedSet,
    ConfigurationComparison,
    Difference,
    SetComparison,
)
from waywiser.model.configuration_findings import ExcludedRun, MetricSummary
from waywiser.report.answers.whatif import wrapped
from waywiser.report.gate import gate_sentences
from waywiser.units import counted, percent_text

MOST_LISTED, FEW_LISTED = 10, 3
MOST_DIGITS = 4


def comparison_text(set_comparison: SetComparison) -> str:
    """Verdicts with their runs, other differences between the sets, and excluded runs."""
    return "\n".join(_lines(set_comparison))


def _lines(set_comparison: SetComparison) -> Iterator[str]:
    for sentence in gate_sentences(set_comparison.gate):
        yield from wrapped(sentence)
    yield from set_comparison.programs
    for letter, side in (("A", set_comparison.a), ("B", set_comparison.b)):
        yield f"{letter}  {_set_text(side)}"
    for metric in dict.fromkeys(comparison.metric for comparison in set_comparison.comparisons):
        comparisons = [
            comparison for comparison in set_comparison.comparisons if comparison.metric == metric
        ]
        yield ""
        yield from _metric_lines(comparisons)
    yield ""
    yield from (f"{remark[0].upper()}{remark[1:]}." for remark in set_comparison.remarks)
    for name, only in (
        (set_comparison.a.name, set_comparison.only_a),
        (set_comparison.b.name, set_comparison.only_b),
    ):
        if only:
            yield f"Only in {name}: {_some(only)}."
    yield from _difference_lines(set_comparison.differences)
    sides = (set_comparison.a, set_comparison.b)
    yield from _titled("Not counted", [text for side in sides for text in _excluded_texts(side)])
    yield from _titled(
        "Runs that failed the validity gate",
        [text for side in sides for text in _run_texts(side.name, side.unreliable, FEW_LISTED)],
    )


def _titled(title: str, texts: Sequence[str]) -> list[str]:
    return ["", title, *(f"  {text}" for text in texts)] if texts else []


def _set_text(side: ComparedSet) -> str:
    path = f" ({side.path})" if side.path != side.name else ""
    title = f", {side.title}" if side.title else ""
    return (
        f"{side.name}{path}{title}: {counted(side.configurations, 'configuration')}, "
        f"{side.counted} of {counted(side.runs, 'run')} counted"
    )


def _metric_lines(comparisons: Sequence[ConfigurationComparison]) -> Iterator[str]:
    first = comparisons[0]
    unit = f" [{first.unit}]" if first.unit else ""
    yield f"{first.metric}{unit}, {'less' if first.better == 'lower' else 'more'} is better"
    for comparison in comparisons:
        for letter, summary in (("A", comparison.a), ("B", comparison.b)):
            label = f"{comparison.label}, " if comparison.label else ""
            yield f"  {label}{letter}: {_summary_text(summary)}"
        yield f"  => {comparison.sentence}"
        if comparison.kind == "refused" and comparison.change is not None:
            low, high = (100 * (bound or 0.0) for bound in (comparison.low, comparison.high))
            measured = f"{100 * comparison.change:+.3g} % [{low:+.3g}, {high:+.3g}]"
            yield f"     (measured all the same: {measured} performance)"


def _summary_text(summary: MetricSummary) -> str:
    if summary.low is None or summary.high is None:  # too few runs for bounds
        values = [run_value.value for run_value in summary.values if not run_value.warm_up]
        return f"{', '.join(f'{value:.{MOST_DIGITS}g}' for value in values)} (n = {summary.n})"
    decimals = _decimals(summary.high - summary.low, summary.median)
    value, low, high = (
        f"{number:,.{decimals}f}" for number in (summary.median, summary.low, summary.high)
    )
    rsd = f", RSD {percent_text(summary.rsd)}" if summary.rsd is not None else ""
    outliers = sum(run_value.outlier for run_value in summary.values)
    flagged = f", {counted(outliers, 'outlier')}" if outliers else ""
    return f"{value} [{low}, {high}] (n = {summary.n}{rsd}{flagged})"


def _decimals(width: float, value: float) -> int:
    """Decimals that show two digits of an interval's width, but at most four of the value."""
    of_value = MOST_DIGITS - 1 - math.floor(math.log10(abs(value))) if value else MOST_DIGITS
    of_width = 1 - math.floor(math.log10(width)) if width > 0 else of_value
    return max(0, min(of_width, of_value))


def _difference_lines(rows: Sequence[Difference]) -> Iterator[str]:
    yield ""
    if not rows:
        yield "Nothing else differs that is recorded."
        return
    yield "Other differences"
    for row in rows:
        at = f" (at {_some(row.configurations)})" if row.configurations else ""
        yield f"  {row.name}{at}"
        yield f"    A: {row.a}"
        yield f"    B: {row.b}"


def _excluded_texts(side: ComparedSet) -> Iterator[str]:
    yield from _run_texts(side.name, [run for run in side.excluded if run.reasons], MOST_LISTED)
    if warm_ups := [run.run for run in side.excluded if not run.reasons]:
        yield f"{side.name}: warm-up: {_some(warm_ups)}"


def _run_texts(side: str, runs: Sequence[ExcludedRun], most: int) -> Iterator[str]:
    for run in runs[:most]:
        name = run.run if run.run == side else f"{side}: {run.run}"
        first, *rest = wrapped(f"{name}: {'; '.join(run.reasons)}")
        yield first
        yield from (f"  {line}" for line in rest)
    if len(runs) > most:
        yield f"{side}: and {counted(len(runs) - most, 'more run')}"


def _some(names: Sequence[str]) -> str:
    rest = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return ", ".join(names[:MOST_LISTED]) + rest
