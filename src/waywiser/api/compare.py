"""`waywiser.compare`: which of two sets of runs is faster, by how much, and is that so?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from waywiser.model.base import text_of
from waywiser.model.comparison import SetComparison
from waywiser.report.answers.comparison import comparison_text
from waywiser.study.compared import compared

text_of.register(SetComparison, comparison_text)


def compare(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    *,
    metric: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
) -> SetComparison:
    """The verdicts on a candidate against a baseline, configuration by configuration.

    Args:
        a: the baseline: a study's directory, one of its configurations, a run, or a directory of
            runs.
        b: the candidate.
        metric: metrics to compare in place of the headline, as "run_time".
        ignore: names of values that may differ between matched configurations, as "mpi".

    Raises:
        WaywiserError: as `waywiser compare` reports it.
    """
    metrics, ignored = ([names] if isinstance(names, str) else names for names in (metric, ignore))
    return compared(Path(a), Path(b), metrics, ignored)
