"""The table of scores that opens the report of a study of benchmarks."""

from __future__ import annotations

from collections import Counter

from waywiser.model.findings import Findings, Score
from waywiser.report.drawing.plot import Cell, Table
from waywiser.units import percent_text, rate_text

COLUMNS = ("Benchmark", "Nodes", "Score", "Unit", "Of peak")


def scores_table(findings: Findings) -> Table | None:
    """Table of the scores; None where the study has no benchmark with a score."""
    if not findings.scores:
        return None
    often = Counter(score.benchmark for score in findings.scores)
    peaks = any(score.of_peak is not None for score in findings.scores)
    columns = COLUMNS if peaks else COLUMNS[:-1]
    rows = [_row(score, several=often[score.benchmark] > 1) for score in findings.scores]
    return Table(
        "Scores: the median of the best configuration",
        columns,
        tuple(row[: len(columns)] for row in rows),
    )


def _row(score: Score, several: bool) -> tuple[Cell, ...]:
    name = f"{score.benchmark} ({score.application})" if several else score.benchmark
    value, unit = rate_text(score.score, score.unit)
    share = "" if score.of_peak is None else percent_text(score.of_peak)
    return name, score.nodes, value, unit, share
