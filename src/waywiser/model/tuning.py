"""What `waywiser tune` found: where another algorithm than a library's own choice is faster."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model
from waywiser.model.findings import Kind


class TunedRange(Model):
    """Messages of a collective for which an algorithm won."""

    collective: str
    first: int
    """Bytes of the smallest message, as ww-mpibench counts it; 0 of a barrier."""

    last: int
    """Of the largest; both at the most where rules are for all sizes."""

    algorithm: str
    value: str
    """The algorithm as the library wants it."""

    verdicts: tuple[str, ...]
    """Against the library's own choice, a sentence for each measured size."""


class Proof(Model):
    """The tuned library against its own choice, in runs made after the choice."""

    collective: str
    bytes: int
    kind: Kind
    change: float | None
    """Performance tuned / of its own choice - 1."""

    low: float | None
    high: float | None
    n: int
    sentence: str


class Tuning(Model):
    """What `waywiser tune --json` prints."""

    format: Literal["waywiser-tuning"] = "waywiser-tuning"
    format_version: Literal[1] = 1
    waywiser: str
    library: str
    ranks: int
    nodes: int
    compared: int
    """Algorithms at message sizes that have a verdict or none, over all collectives."""

    refused: int
    """Of these, without a verdict."""

    reason: str
    """Of the first of them; "" if there are none."""

    ranges: tuple[TunedRange, ...]
    environment: dict[str, str]
    """What makes the library keep the ranges; empty where its own choice is best."""

    file: str
    """With these variables, for a shell."""

    proof: tuple[Proof, ...]
    folder: str
    """With the studies that all of this is from."""
