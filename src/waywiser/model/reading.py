"""What was read from an application's output."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model


class Figure(Model):
    """A figure of merit."""

    name: str
    value: float
    unit: str
    better: Literal["higher", "lower", "neither"]


class Section(Model):
    """A part of the application's own time, as it reports it."""

    name: str
    seconds: float
    """Mean over ranks."""

    minimum: float | None = None
    maximum: float | None = None
    """Over ranks."""

    parent: str | None = None
    calls: int | None = None


class Series(Model):
    """A figure over another, as a micro-benchmark's time over the message size."""

    name: str
    unit: str
    better: Literal["higher", "lower", "neither"]
    x_name: str
    x: tuple[float, ...]
    y: tuple[float, ...]


class Reading(Model):
    """One run's output, read."""

    figures: tuple[Figure, ...] = ()
    sections: tuple[Section, ...] = ()
    series: tuple[Series, ...] = ()
    failure: str = ""
    """Why the run did not succeed; "" if it did."""

    remarks: tuple[str, ...] = ()
