"""Every output of an application in tests/golden/apps, with what a human reads in it: cases.txt
names its directory, the application where it has another name, and then a metric a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Case:
    directory: str
    application: str
    metrics: dict[str, tuple[float, str, str]] = field(default_factory=dict)
    """Value, unit, better direction."""

    failure: str = ""


def _cases() -> Iterator[Case]:
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    for section in text.removeprefix("# ").split("\n\n# "):
        heading, *lines = section.splitlines()
        directory, _, application = heading.removesuffix(")").partition(" (")
        if lines[0].startswith("! "):
            yield Case(directory, application or directory, failure=lines[0].removeprefix("! "))
        else:
            yield Case(directory, application or directory, dict(map(_metric, lines)))


def _metric(line: str) -> tuple[str, tuple[float, str, str]]:
    name, value, *unit, better = line.split()
    above, _, below = value.partition("/")
    return name, (float(above) / float(below or 1), " ".join(unit), better)


CASES = tuple(_cases())
