"""A remark on a mistake or a risk in a study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Remark:
    level: Literal["error", "warning"]
    """Severity. An error stops the study; after a warning, the user decides."""

    key: str
    """Key of the study file, e.g. "axes.ranks"; "line 12" of a job script."""

    text: str

    def __str__(self) -> str:
        return f"{self.level}: {self.key}: {self.text}"


def error(key: str, text: str) -> Remark:
    return Remark("error", key, text)


def warning(key: str, text: str) -> Remark:
    return Remark("warning", key, text)
