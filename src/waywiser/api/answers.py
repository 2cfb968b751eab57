"""The rows of answers as frames: of `advise`, `whatif`, `place` and `compare`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import singledispatch
from operator import attrgetter
from typing import Any

from waywiser.api.frame import Frame, frame_of_rows
from waywiser.model.advice import Advice
from waywiser.model.base import Model
from waywiser.model.comparison import SetComparison
from waywiser.model.placement import Placement
from waywiser.model.whatif import Sweep, WhatIf

Columns = Mapping[str, tuple[str, str]]
"""Name -> SQL type and meaning."""

VARCHAR, BIGINT, DOUBLE, BOOLEAN = "VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"

_BOUNDS: Columns = {
    "low_seconds": (DOUBLE, "lower bound of the predicted time [s]"),
    "high_seconds": (DOUBLE, "upper bound of the predicted time [s]"),
}

_PREDICTED: Columns = {
    "label": (VARCHAR, "the change in words; of a sweep, the machine"),
    "predicted_seconds": (DOUBLE, "predicted time [s]"),
    **_BOUNDS,
    "ratio": (DOUBLE, "predicted time / recorded time"),
    "low_ratio": (DOUBLE, "lower bound of `ratio`"),
    "high_ratio": (DOUBLE, "upper bound of `ratio`"),
}

ANSWERS: Mapping[str, Columns] = {
    "advise": {
        "name": (VARCHAR, "name of the opportunity"),
        "what": (VARCHAR, "what is done"),
        "function": (VARCHAR, "MPI function whose algorithm is another one; null for others"),
        "predicted_seconds": (DOUBLE, "predicted time [s]"),
        "gain_seconds": (DOUBLE, "recorded time - predicted time [s]"),
        "low_seconds": (DOUBLE, "lower bound of the gain [s]"),
        "high_seconds": (DOUBLE, "upper bound of the gain [s]"),
        "share": (DOUBLE, "gain / recorded time"),
        "bound": (BOOLEAN, "the gain is an upper bound, not a prediction"),
        "assessment": (VARCHAR, "whether it is worth it"),
        "because": (VARCHAR, "why it gains so much, or so little"),
        "command": (VARCHAR, "command that predicts it; null where none does"),
    },
    "whatif": {
        **_PREDICTED,
        "network": (VARCHAR, "where the costs of messages come from"),
        "nodes": (BIGINT, "nodes that have ranks"),
        "computing_seconds": (DOUBLE, "replayed time in computation, mean over ranks [s]"),
        "mpi_seconds": (DOUBLE, "replayed time in MPI, mean over ranks [s]"),
        "waiting_seconds": (DOUBLE, "of `mpi_seconds`: waiting for other ranks [s]"),
        "transfer_seconds": (DOUBLE, "of `mpi_seconds`: transfer of messages [s]"),
        "overhead_seconds": (DOUBLE, "of `mpi_seconds`: the CPU's work with messages [s]"),
    },
    "whatif, a sweep": {
        **_PREDICTED,
        "efficiency": (DOUBLE, "computation, mean over ranks, / run time"),
        "mpi_seconds": (DOUBLE, "predicted time in MPI, mean over ranks [s]"),
        "waiting_seconds": (DOUBLE, "of `mpi_seconds`: waiting for other ranks [s]"),
    },
    "place": {
        "rank": (BIGINT, "rank in MPI_COMM_WORLD"),
        "host": (VARCHAR, "node that it is placed on"),
        "slot": (BIGINT, "slot that it is placed on, counted from host to host"),
    },
    "compare": {
        "metric": (VARCHAR, "name of the metric"),
        "unit": (VARCHAR, "its unit"),
        "label": (
            VARCHAR,
            "values in which the pair of configurations differs from the other pairs",
        ),
        "a_configuration": (VARCHAR, "configuration of the baseline"),
        "b_configuration": (VARCHAR, "configuration of the candidate"),
        "a_median": (DOUBLE, "median of the baseline's runs"),
        "b_median": (DOUBLE, "median of the candidate's runs"),
        "kind": (VARCHAR, "`faster`, `slower`, `equivalent`, `undecided` or `refused`"),
        "change": (DOUBLE, "performance of the candidate / that of the baseline - 1"),
        "low": (DOUBLE, "lower bound of `change`"),
        "high": (DOUBLE, "upper bound of `change`"),
        "n": (BIGINT, "pairs of runs; of unpaired sets, runs of the smaller one"),
        "words": (VARCHAR, "the verdict"),
    },
}
"""Function -> columns of its answer's frame."""


@singledispatch
def frame(answer: Model) -> Frame:
    """The rows of an answer: the opportunities of `advise`, the predictions of `whatif`, the ranks
    of `place` and the pairs of configurations of `compare`.

    Raises:
        TypeError: the answer has no rows.
    """
    named = type(answer).__name__
    raise TypeError(f"{named}: expected an answer of advise, whatif, place or compare")


@frame.register
def _(answer: Advice) -> Frame:
    return _framed("advise", map(attrgetter(*ANSWERS["advise"]), answer.opportunities))


@frame.register
def _(answer: WhatIf) -> Frame:
    if answer.sweep is not None:
        return _sweep(answer.sweep)
    fields = attrgetter(
        *(*_PREDICTED, "network", "nodes"),
        *(f"{part}.mean" for part in ("computing", "mpi", "waiting", "transfer", "overhead")),
    )
    return _framed("whatif", map(fields, (answer.base, *answer.predictions)))


def _sweep(sweep: Sweep) -> Frame:
    """The frame of a sweep: the common columns, and a column for each axis with its unit."""
    columns = ANSWERS["whatif, a sweep"]
    kinds = {axis.name.replace("-", "_"): DOUBLE if axis.unit else VARCHAR for axis in sweep.axes}
    fields = attrgetter(*columns)
    rows = [(*fields(point), *point.values) for point in sweep.points]
    return frame_of_rows({**_types(columns), **kinds}, rows)


@frame.register
def _(answer: Placement) -> Frame:
    ranks = zip(range(answer.ranks), answer.host_of_rank, answer.order, strict=True)
    return _framed("place", ranks)


@frame.register
def _(answer: SetComparison) -> Frame:
    names = (name.replace("_median", ".median") for name in ANSWERS["compare"])
    return _framed("compare", map(attrgetter(*names), answer.comparisons))


def _framed(function: str, rows: Iterable[tuple[Any, ...]] | Iterator[Any]) -> Frame:
    return frame_of_rows(_types(ANSWERS[function]), list(rows))


def _types(columns: Columns) -> dict[str, str]:
    return {name: kind for name, (kind, _) in columns.items()}
