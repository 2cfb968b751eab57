"""The common form of the tables of IMB and of the OSU benchmarks: columns against message size."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from waywiser.apps.application import NoResult
from waywiser.apps.text import number
from waywiser.model.reading import Better, Metric, Series

SIZES = "message_size"
HEADLINE = "small_message"
UNITS = {"usec": "us", "Mbytes/sec": "MB/s", "Msg/sec": "messages/s"}


@dataclass
class Table:
    name: str
    columns: list[tuple[str, str]]
    """Name and unit of each column that is a result."""

    ranks: int | None = None
    sizes: list[float] = field(default_factory=list)
    """Message sizes [B]; a single 0 where the benchmark sends no data (a barrier)."""

    rows: list[list[float]] = field(default_factory=list)

    def add(self, size: str, values: list[str]) -> None:
        """Append a row.

        Raises:
            NoResult: a value is not a finite number.
        """
        numbers = [number(text) for text in (size, *values)]
        if None in numbers:
            raise NoResult(f"{self.name}: a row reads {' '.join((size, *values))!r}")
        first, *rest = (value for value in numbers if value is not None)
        self.sizes.append(first)
        self.rows.append(rest)

    def series(self) -> list[Series]:
        return [
            Series(
                name=f"{self.name}: {name}",
                unit=unit,
                better=better_of(unit),
                x_name=SIZES,
                x=tuple(self.sizes),
                y=tuple(row[at] for row in self.rows),
                ranks=self.ranks,
            )
            for at, (name, unit) in enumerate(self.columns)
        ]

    def metrics(self, column: int) -> list[Metric]:
        """Return a metric for each row, named after benchmark and size; correct even if later rows
        are cut off."""
        unit = self.columns[column][1]
        return [
            Metric(
                name=f"{snake_case(self.name)}{f'_{size:.0f}_b' if self.has_sizes else ''}",
                value=row[column],
                unit=unit,
                better=better_of(unit),
            )
            for size, row in zip(self.sizes, self.rows, strict=True)
        ]

    @property
    def has_sizes(self) -> bool:
        return self.sizes != [0]

    def small_message(self, column: int) -> Metric:
        """Return the metric of the smallest message that carries data, or of the only row.

        Raises:
            NoResult: the table has no row.
        """
        for size, row in zip(self.sizes, self.rows, strict=True):
            if size > 0 or not self.has_sizes:
                unit = self.columns[column][1]
                return Metric(name=HEADLINE, value=row[column], unit=unit, better=better_of(unit))
        raise NoResult(
            f"{self.name}: no {HEADLINE}, because its table has no row of a message with data"
        )


def better_of(unit: str) -> Better:
    return "lower" if unit == "us" else "higher" if unit else "neither"


def snake_case(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
