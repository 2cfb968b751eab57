"""An output in tests/golden/apps, and what a human reads in it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    folder: str
    application: str
    figures: dict[str, tuple[float, str, str]] = field(default_factory=dict)
    """Value, unit, better direction."""

    failure: str = ""
