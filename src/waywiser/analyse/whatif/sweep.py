"""One or two things varied over ranges: `--sweep latency=1us:100us`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
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
from waywiser.model.whatif import Replay, Sweep, SweepAxis, SweepPoint, WhatIf
from waywiser.units import counted

POINTS = 13
MOST_POINTS = 1000
"""Of a range."""

MOST_AXES = 2
MOST_QUESTIONS = 100_000
"""Of a sweep."""


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
    """Values are whole numbers; a range doubles from one end to the other."""


AXES = {
    "latency": Axis("latency", "us", 1e-3, latency_of),
    "bandwidth": Axis("bandwidth", "GB/s", 1e-9, bandwidth_of),
    "cpu": Axis("cpu", "x", 1.0, factor_of),
    "ranks-per-node": Axis("ranks_per_node", "ranks", 1.0, whole_of, whole=True),
    "eager-limit": Axis("eager_limit_bytes", "B", 1.0, size_of, whole=True),
}


@dataclass(frozen=True)
class Range:
    """The values of one axis of a sweep."""

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
        InvalidCommand: it is nothing like that, or a single value.
    """
    name, _, words = text.partition("=")
    if name not in AXES or not words:
        raise InvalidCommand(
            f"--sweep {text}: expected AXIS=FROM:TO, such as latency=1us:100us; AXIS is one of "
            f"{', '.join(AXES)}"
        )
    if "," in words or ":" not in words:
        relative, values = _ends(text, name, words.split(","))
        if len(set(values)) < 2:
            raise InvalidCommand(
                f"--sweep {text}: one value is no sweep; give several, or ask --{name} "
                f"{words.split(',')[0]}"
            )
        return Range(name, relative, tuple(sorted(set(values))))
    first, last, *count = words.split(":")
    relative, (low, high) = _ends(text, name, [first, last])
    if not 0 < low < high:
        raise InvalidCommand(f"--sweep {text}: expected FROM to be more than 0, and TO more")
    return Range(name, relative, _steps(text, AXES[name], low, high, count))


def _ends(text: str, name: str, words: Sequence[str]) -> tuple[bool, list[float]]:
    """Whether values are factors, and the values."""
    found = [AXES[name].parse(f"--sweep {name}", word) for word in words]
    relative = {isinstance(one, Change) and one.relative for one in found}
    if len(relative) > 1:
        raise InvalidCommand(f"--sweep {text}: give all values with a unit, or all as factors")
    values = [float(one.value if isinstance(one, Change) else one) for one in found]
    if UNLIMITED in values and len(values) > 1:
        raise InvalidCommand(
            f"--sweep {text}: expected sizes; --{name} unlimited asks for no limit"
        )
    return relative.pop(), values


def _steps(
    text: str, axis: Axis, low: float, high: float, count: Sequence[str]
) -> tuple[float, ...]:
    """Of a range, with both ends; `count` is what is written behind them."""
    if axis.whole:
        if count:
            raise InvalidCommand(
                f"--sweep {text}: these steps double; leave :{':'.join(count)} away, or give the "
                "values as A,B,C"
            )
        return tuple(_doubled(low, high))
    points = whole_of(f"--sweep {text}: points", count[0]) if count else POINTS
    if len(count) > 1 or not 2 <= points <= MOST_POINTS:
        raise InvalidCommand(
            f"--sweep {text}: expected FROM:TO or FROM:TO:POINTS, of 2 to {MOST_POINTS} points"
        )
    return tuple(np.geomspace(low, high, points).tolist())


def ranges_of(texts: Sequence[str]) -> tuple[Range, ...]:
    """The axes of a sweep.

    Raises:
        InvalidCommand: one is none, there are too many, or two of the same thing.
    """
    ranges = tuple(map(range_of, texts))
    names = [one.axis for one in ranges]
    if len(ranges) > MOST_AXES:
        raise InvalidCommand(f"--sweep: {len(ranges)} axes; a sweep has one or {MOST_AXES}")
    if len(set(names)) < len(names):
        raise InvalidCommand(f"--sweep {names[0]} is given twice; a grid has two different axes")
    return ranges


def _doubled(low: float, high: float) -> list[float]:
    values = [low]
    while values[-1] * 2 < high:
        values.append(values[-1] * 2)
    return [*values, high]


@dataclass(frozen=True)
class Part:
    """One of `of` parts of a sweep, from 1 on."""

    number: int = 1
    of: int = 1

    def among(self, count: int) -> slice:
        """Which of so many points are in it; all parts are about as long."""
        return slice((self.number - 1) * count // self.of, self.number * count // self.of)


def part_of(text: str) -> Part:
    """ "3/20"

    Raises:
        InvalidCommand: it is nothing like that.
    """
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise InvalidCommand(f"--part {text}: expected K/N with K from 1 to N, such as 3/20")
    return Part(int(found[1]), int(found[2]))


def size_of_sweep(questions: int, ranges: Sequence[Range]) -> int:
    """How many points a sweep has.

    Raises:
        InvalidCommand: they are too many.
    """
    points = questions * prod(len(one.values) for one in ranges)
    if points > MOST_QUESTIONS:
        raise InvalidCommand(
            f"--sweep: {points:,} points; at most {MOST_QUESTIONS:,} are possible: give fewer "
            "POINTS in AXIS=FROM:TO:POINTS"
        )
    return points


def swept(
    base: Base,
    questions: Sequence[tuple[str, Question]],
    ranges: Sequence[Range],
    part: Part | None = None,
) -> Sweep:
    """
    Args:
        questions: what else is other, each with its label.
        ranges: one or two axes; of two, every combination is asked.
        part: of the points, that are asked; None: all.

    Raises:
        InvalidCommand: a question does not fit the run, or the points are too many, or fewer than
            the parts.
    """
    points = size_of_sweep(len(questions), ranges)
    if part is not None and part.of > points:
        raise InvalidCommand(
            f"--part {part.number}/{part.of}: the sweep has {counted(points, 'point')}"
        )
    grid = itertools.product(*(one.values for one in ranges))
    combinations = itertools.product(questions, grid)
    wanted = (part or Part()).among(points)
    return Sweep(
        axes=tuple(SweepAxis(name=one.axis, unit=one.unit) for one in ranges),
        points=tuple(
            _point(base, label, question, list(zip(ranges, values, strict=True)))
            for (label, question), values in itertools.islice(
                combinations, wanted.start, wanted.stop
            )
        ),
    )


def _point(
    base: Base, label: str, question: Question, values: Sequence[tuple[Range, float]]
) -> SweepPoint:
    for axis, value in values:
        question = axis.asked(question, value)
    shown = [axis.shown(value) for axis, value in values]
    return point_of(label, shown, answer(base, question))


def point_of(label: str, values: Sequence[float], found: Replay) -> SweepPoint:
    """
    Args:
        values: of the axes, in their units.
    """
    return SweepPoint(
        label=label,
        values=tuple(values),
        ratio=found.ratio,
        predicted_seconds=found.predicted_seconds,
        efficiency=found.computing.mean / found.replayed_seconds,
        mpi_seconds=found.mpi.mean,
        waiting_seconds=found.waiting.mean,
    )


def joined(parts: Sequence[WhatIf]) -> WhatIf:
    """The answer whose sweep has the points of all parts, in their order.

    Raises:
        InvalidCommand: they are not parts of one sweep.
    """
    first = parts[0]
    for one in parts:
        if one.sweep is None or first.sweep is None or one.sweep.axes != first.sweep.axes:
            raise InvalidCommand("the parts are none of one sweep; make all of them again")
        if _without_points(one) != _without_points(first):
            raise InvalidCommand(
                f"the parts do not agree about {first.run} as it was recorded (was it traced "
                "again meanwhile?); make all of them again"
            )
    assert first.sweep is not None
    points = tuple(point for one in parts if one.sweep for point in one.sweep.points)
    return first.model_copy(update={"sweep": first.sweep.model_copy(update={"points": points})})


def _without_points(found: WhatIf) -> WhatIf:
    return found.model_copy(update={"sweep": None})
