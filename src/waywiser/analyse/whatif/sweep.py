"""Sweeps of one or two quantities over ranges: `--sweep latency=1us:100us`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, cast

import numpy as np

from waywiser.analyse.whatif.answer import Base, answer
from waywiser.analyse.whatif.collectives import collective_choices
from waywiser.analyse.whatif.quantity import (
    UNLIMITED,
    Change,
    bandwidth_of,
    factor_of,
    latency_of,
    noise_of,
    size_of,
    whole_of,
)
from waywiser.analyse.whatif.question import Question
from waywiser.errors import InvalidCommand
from waywiser.inputs import check_choice
from waywiser.model.routing import limits_in
from waywiser.model.whatif import Replay, Sweep, SweepAxis, SweepPoint, WhatIf
from waywiser.progress import steps
from waywiser.units import counted

POINTS = 13
MOST_POINTS = 1000
"""Largest number of points in a range."""

MOST_AXES = 2
MOST_QUESTIONS = 100_000
"""Largest number of questions in a sweep."""

Value = float | str
"""An amount or a choice."""


@dataclass(frozen=True)
class Axis:
    """A quantity that can be swept."""

    field: str
    """Name of the field of `Question`."""

    unit: str
    scale: float
    """Factor from the value of the question to `unit`."""

    parse: Callable[[str, str], Any]
    whole: bool = False
    """Values are whole numbers; a range doubles from one end to the other."""


@dataclass(frozen=True)
class Choice:
    """A choice that can be swept."""

    field: str
    """Name of the field of `Question`."""

    parse: Callable[[str, str], Any]


def _name(option: str, text: str) -> str:
    if not text:
        raise InvalidCommand(f"{option}: expected a value, found nothing")
    return text


def _one_of(*names: str) -> Callable[[str, str], str]:
    def parse(option: str, text: str) -> str:
        check_choice(option, text, names)
        return text

    return parse


def _yes(option: str, text: str) -> bool:
    return _one_of("no", "yes")(option, text) == "yes"


AXES: Mapping[str, Axis | Choice] = {
    "latency": Axis("latency", "us", 1e-3, latency_of),
    "bandwidth": Axis("bandwidth", "GB/s", 1e-9, bandwidth_of),
    "cpu": Axis("cpu", "x", 1.0, factor_of),
    "noise": Axis("noise", "%", 100.0, noise_of),
    "ranks-per-node": Axis("ranks_per_node", "ranks", 1.0, whole_of, whole=True),
    "eager-limit": Axis("eager_limit_bytes", "B", 1.0, size_of, whole=True),
    "on": Choice("machine", _name),
    "topology": Choice("topology", _name),
    "placement": Choice("placement", _name),
    "collective": Choice("collectives", lambda _, text: collective_choices([text])),
    "progress": Choice("progress", _one_of("in-calls", "asynchronous")),
    "balanced": Choice("balanced", _yes),
    "early-sends": Choice("early_sends", _yes),
    "join-messages": Choice("join_messages", _yes),
    "no-noise": Choice("no_noise", _yes),
    "ideal-network": Choice("ideal_network", _yes),
}
"""Axes by their options; an option that takes no value has the values `no` and `yes`."""


@dataclass(frozen=True)
class Range:
    """The values of one axis of a sweep."""

    axis: str
    relative: bool
    values: tuple[Value, ...]
    """Amounts in ascending order, in the unit of the question; or choices, in the order of the
    option."""

    @property
    def unit(self) -> str:
        axis = AXES[self.axis]
        return "" if isinstance(axis, Choice) else "x" if self.relative else axis.unit

    @property
    def differing(self) -> tuple[Value, ...]:
        """Values to check one by one: all choices, but only the first amount, since all are as
        valid."""
        return self.values if isinstance(AXES[self.axis], Choice) else self.values[:1]

    def with_value(self, question: Question, value: Value) -> Question:
        """Return the question at a value."""
        axis, converted = AXES[self.axis], cast(Any, value)
        if isinstance(axis, Choice):
            converted = axis.parse(f"--sweep {self.axis}", str(value))
            if axis.field == "collectives":
                converted = {**question.collectives, **converted}
        elif axis.parse in (latency_of, bandwidth_of):
            converted = Change(float(value), self.relative)
        elif axis.whole:
            converted = int(value)
        return replace(question, **{axis.field: converted})

    def shown(self, value: Value) -> Value:
        """Return the value in the unit of the axis."""
        axis = AXES[self.axis]
        return value if isinstance(axis, Choice) or self.relative else float(value) * axis.scale


def range_of(text: str) -> Range:
    """Parse "latency=1us:100us", "latency=1us:100us:25", "latency=1us,5us,50us" or
    "placement=best,random".

    Raises:
        InvalidCommand: the text has another form, or a single value.
    """
    name, _, words = text.partition("=")
    if name not in AXES or not words:
        raise InvalidCommand(
            f"--sweep {text}: expected AXIS=FROM:TO, such as latency=1us:100us; AXIS is one of "
            f"{', '.join(AXES)}"
        )
    axis, listed = AXES[name], words.split(",")
    if isinstance(axis, Choice):
        for word in listed:
            axis.parse(f"--sweep {name}", word)
        return _listed(text, Range(name, False, tuple(dict.fromkeys(listed))), listed)
    if "," in words or ":" not in words:
        relative, values = _ends(text, name, axis, listed)
        return _listed(text, Range(name, relative, tuple(sorted(set(values)))), listed)
    first, last, *count = words.split(":")
    relative, (low, high) = _ends(text, name, axis, [first, last])
    if not 0 < low < high:
        raise InvalidCommand(f"--sweep {text}: expected FROM to be more than 0, and TO more")
    return Range(name, relative, _steps(text, axis, low, high, count))


def _listed(text: str, span: Range, words: Sequence[str]) -> Range:
    """Return the range, if it has several values."""
    if len(span.values) < 2:
        alone = "" if words[0] in ("no", "yes") else f" {words[0]}"
        raise InvalidCommand(
            f"--sweep {text}: expected two or more values; for one, use --{span.axis}{alone}"
        )
    return span


def _ends(text: str, name: str, axis: Axis, words: Sequence[str]) -> tuple[bool, list[float]]:
    """Return whether values are factors, and the values."""
    parsed = [axis.parse(f"--sweep {name}", word) for word in words]
    relative = {isinstance(amount, Change) and amount.relative for amount in parsed}
    if len(relative) > 1:
        raise InvalidCommand(f"--sweep {text}: give all values with a unit, or all as factors")
    values = [float(amount.value if isinstance(amount, Change) else amount) for amount in parsed]
    if UNLIMITED in values and len(values) > 1:
        raise InvalidCommand(
            f"--sweep {text}: expected sizes; --{name} unlimited asks for no limit"
        )
    return relative.pop(), values


def _steps(
    text: str, axis: Axis, low: float, high: float, count: Sequence[str]
) -> tuple[float, ...]:
    """Return the values of a range with both ends; `count` is the text behind the ends."""
    if axis.whole:
        if count:
            raise InvalidCommand(
                f"--sweep {text}: values double from FROM to TO; drop :{':'.join(count)}, or give "
                "the values as A,B,C"
            )
        return tuple(_doubled(low, high))
    points = whole_of(f"--sweep {text}: points", count[0]) if count else POINTS
    if len(count) > 1 or not 2 <= points <= MOST_POINTS:
        raise InvalidCommand(
            f"--sweep {text}: expected FROM:TO or FROM:TO:POINTS, of 2 to {MOST_POINTS} points"
        )
    return tuple(np.geomspace(low, high, points).tolist())


def ranges_of(texts: Sequence[str]) -> tuple[Range, ...]:
    """Return the axes of a sweep.

    Raises:
        InvalidCommand: a text is not an axis, there are too many, or two of the same quantity.
    """
    ranges = tuple(map(range_of, texts))
    names = [span.axis for span in ranges]
    if len(ranges) > MOST_AXES:
        raise InvalidCommand(f"--sweep: {len(ranges)} axes given; a sweep has at most {MOST_AXES}")
    if len(set(names)) < len(names):
        raise InvalidCommand(f"--sweep {names[0]}: given twice; a grid needs two different axes")
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
        """Return the slice of `count` points in this part; all parts have about the same length."""
        return slice((self.number - 1) * count // self.of, self.number * count // self.of)


def part_of(text: str) -> Part:
    """Parse "3/20".

    Raises:
        InvalidCommand: the text has another form.
    """
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise InvalidCommand(f"--part {text}: expected K/N with K from 1 to N, such as 3/20")
    return Part(int(match[1]), int(match[2]))


def size_of_sweep(questions: int, ranges: Sequence[Range]) -> int:
    """Return the number of points of a sweep.

    Raises:
        InvalidCommand: there are too many points.
    """
    points = questions * prod(len(span.values) for span in ranges)
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
        questions: further changes, each with its label.
        ranges: one or two axes; of two, every combination is asked.
        part: part of the points; None: all.

    Raises:
        InvalidCommand: a question does not fit the run, or the points are too many, or fewer than
            the parts.
    """
    points = size_of_sweep(len(questions), ranges)
    if part is not None and part.of > points:
        raise InvalidCommand(
            f"--part {part.number}/{part.of}: the sweep has {counted(points, 'point')}"
        )
    grid = itertools.product(*(span.values for span in ranges))
    combinations = itertools.product(questions, grid)
    selected = (part or Part()).among(points)
    sweep_points: list[SweepPoint] = []
    remarks: dict[str, None] = {}
    each = itertools.islice(combinations, selected.start, selected.stop)
    for (label, question), values in steps("replaying", each, selected.stop - selected.start):
        pairs = list(zip(ranges, values, strict=True))
        for axis, value in pairs:
            question = axis.with_value(question, value)
        replay = answer(base, question)
        sweep_points.append(point_of(label, [axis.shown(value) for axis, value in pairs], replay))
        remarks |= dict.fromkeys(replay.remarks)
    return Sweep(
        axes=tuple(SweepAxis(name=span.axis, unit=span.unit) for span in ranges),
        points=tuple(sweep_points),
        remarks=tuple(remarks),
    )


def point_of(label: str, values: Sequence[Value], replay: Replay) -> SweepPoint:
    """
    Args:
        values: amounts in the units of the axes, or choices.
    """
    scale = replay.predicted_seconds / replay.replayed_seconds
    return SweepPoint(
        label=label,
        values=tuple(values),
        ratio=replay.ratio,
        predicted_seconds=replay.predicted_seconds,
        low_seconds=replay.low_seconds,
        high_seconds=replay.high_seconds,
        low_ratio=replay.low_ratio,
        high_ratio=replay.high_ratio,
        efficiency=replay.computing.mean / replay.replayed_seconds,
        mpi_seconds=scale * replay.mpi.mean,
        waiting_seconds=scale * replay.waiting.mean,
        limits=limits_in(replay.remarks),
    )


def joined(parts: Sequence[WhatIf]) -> WhatIf:
    """Join the parts of a sweep to one answer, with all points in their order.

    Raises:
        InvalidCommand: the answers are not parts of one sweep.
    """
    first = parts[0]
    if first.sweep is None and not first.gate.predicts:
        return first
    for part in parts:
        if part.sweep is None or first.sweep is None or part.sweep.axes != first.sweep.axes:
            raise InvalidCommand("the parts are not of one sweep; run all of them again")
        if _without_points(part) != _without_points(first):
            raise InvalidCommand(
                f"the parts differ in what was recorded of {first.run} (was it traced again in "
                "between?); run all of them again"
            )
    assert first.sweep is not None
    sweeps = [part.sweep for part in parts if part.sweep]
    whole = first.sweep.replace(
        points=tuple(point for sweep in sweeps for point in sweep.points),
        remarks=tuple(dict.fromkeys(remark for sweep in sweeps for remark in sweep.remarks)),
    )
    return first.replace(sweep=whole)


def _without_points(part: WhatIf) -> WhatIf:
    return part.replace(sweep=None)
