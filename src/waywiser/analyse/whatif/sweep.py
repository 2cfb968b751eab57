"""One thing varied over a range: `--sweep latency=1us:100us`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from waywiser.analyse.whatif.answer import Base, answer
from waywiser.analyse.whatif.quantity import (
    UNLIMITED,
    Change,
    bandwidth_of,
    factor_of,
    latency_of,
    size_of,
    whole_of,
)
from waywiser.analyse.whatif.question import Question
from waywiser.errors import InvalidCommand
from waywiser.model.whatif import Replay, Sweep, SweepPoint

POINTS = 13
MOST_POINTS = 1000


@dataclass(frozen=True)
class Axis:
    """Something that can be swept."""

    field: str
    """Of `Question`."""

    unit: str
    scale: float
    """From the value of the question to `unit`."""

    parse: Callable[[str, str], Any]
    whole: bool = False
    """Values are whole numbers; a range has the powers of two between its ends."""


AXES = {
    "latency": Axis("latency", "us", 1e-3, latency_of),
    "bandwidth": Axis("bandwidth", "GB/s", 1e-9, bandwidth_of),
    "cpu": Axis("cpu", "x", 1.0, factor_of),
    "ranks-per-node": Axis("ranks_per_node", "ranks", 1.0, whole_of, whole=True),
    "eager-limit": Axis("eager_limit_bytes", "B", 1.0, size_of, whole=True),
}


@dataclass(frozen=True)
class Range:
    """The values of a sweep."""

    axis: str
    relative: bool
    values: tuple[float, ...]
    """Rising, as the question has them."""

    @property
    def unit(self) -> str:
        return "x" if self.relative else AXES[self.axis].unit

    def asked(self, question: Question, value: float) -> Question:
        """The question at a value."""
        axis = AXES[self.axis]
        given: Any = int(value) if axis.whole else value
        if axis.parse in (latency_of, bandwidth_of):
            given = Change(value, self.relative)
        return replace(question, **{axis.field: given})

    def shown(self, value: float) -> float:
        """In `unit`."""
        return value if self.relative else value * AXES[self.axis].scale


def range_of(text: str) -> Range:
    """ "latency=1us:100us", "latency=1us:100us:25" or "latency=1us,5us,50us".

    Raises:
        InvalidCommand: it is nothing like that.
    """
    name, _, words = text.partition("=")
    if name not in AXES or not words:
        raise InvalidCommand(
            f"--sweep {text}: expected AXIS=FROM:TO, such as latency=1us:100us; AXIS is one of "
            f"{', '.join(AXES)}"
        )
    axis = AXES[name]
    if "," in words or ":" not in words:
        ends, given = [axis.parse(f"--sweep {name}", word) for word in words.split(",")], True
        points = len(ends)
    else:
        first, last, *count = words.split(":")
        points = whole_of(f"--sweep {name}: points", count[0]) if count else POINTS
        ends, given = [axis.parse(f"--sweep {name}", word) for word in (first, last)], False
        if len(count) > 1 or not 2 <= points <= MOST_POINTS:
            raise InvalidCommand(
                f"--sweep {text}: expected FROM:TO or FROM:TO:POINTS, of 2 to {MOST_POINTS} points"
            )
    relative = {isinstance(end, Change) and end.relative for end in ends}
    if len(relative) > 1:
        raise InvalidCommand(f"--sweep {text}: give all values with a unit, or all as factors")
    values = [float(end.value if isinstance(end, Change) else end) for end in ends]
    if not given:
        if not 0 < values[0] < values[1] < UNLIMITED:
            raise InvalidCommand(f"--sweep {text}: expected FROM to be more than 0, and TO more")
        low, high = values
        values = _doubled(low, high) if axis.whole else np.geomspace(low, high, points).tolist()
    return Range(name, relative.pop(), tuple(sorted(set(values))))


def _doubled(low: float, high: float) -> list[float]:
    values = [low]
    while values[-1] * 2 < high:
        values.append(values[-1] * 2)
    return [*values, high]


def swept(base: Base, questions: Sequence[tuple[str, Question]], values: Range) -> Sweep:
    """
    Args:
        questions: what else is other, each with its label.

    Raises:
        InvalidCommand: a question does not fit the run.
    """
    points = []
    for label, question in questions:
        for value in values.values:
            found = answer(base, values.asked(question, value))
            points.append(point_of(label, values.shown(value), found))
    return Sweep(axis=values.axis, unit=values.unit, points=tuple(points))


def point_of(label: str, value: float, found: Replay) -> SweepPoint:
    return SweepPoint(
        label=label,
        value=value,
        ratio=found.ratio,
        predicted_seconds=found.predicted_seconds,
        efficiency=found.computing.mean / found.replayed_seconds,
        mpi_seconds=found.mpi.mean,
        waiting_seconds=found.waiting.mean,
    )
