"""What `waywiser tune` found: where another algorithm than a library's own choice is faster."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import computed_field, model_validator

from waywiser.model.base import Model
from waywiser.model.gate import OPEN, Gate
from waywiser.model.judged import Judged

MOST_BYTES = 2**31 - 1
"""The last message of a range that has no end."""


def toml_text(value: str) -> str:
    return json.dumps(value)  # a string of JSON is one of TOML


def toml_table(values: Mapping[str, str]) -> str:
    """Texts by name, in one line of a TOML file."""
    pairs = ", ".join(f"{name} = {toml_text(value)}" for name, value in values.items())
    return f"{{ {pairs} }}" if pairs else "{}"


class TunedRange(Model):
    """Messages of a collective for which an algorithm won."""

    collective: str
    first: int
    """Bytes of the smallest message, as ww-mpibench counts it; 0 of a barrier."""

    last: int
    """Bytes of the largest message; 2^31 - 1 if there is no end."""

    algorithm: str
    value: str
    """The algorithm as the library wants it."""

    verdicts: tuple[str, ...]
    """Comparison with the library's own choice, a sentence for each measured size."""


class Proof(Judged):
    """The tuned library against its own choice, in runs made after the choice."""

    collective: str
    bytes: int


class Tuning(Model):
    """What `waywiser tune --json` prints."""

    format: Literal["waywiser-tuning"] = "waywiser-tuning"
    format_version: Literal[1] = 1
    waywiser: str
    library: str
    ranks: int
    nodes: int
    gate: Gate = OPEN
    """Whether the ranks of all runs had their CPUs to themselves."""

    compared: int
    """Algorithms at message sizes that have a verdict or none, over all collectives."""

    refused: int
    """Number of `compared` that have no verdict."""

    reason: str
    """Reason why the first of the refused has no verdict; "" if none was refused."""

    failed: tuple[str, ...]
    """Algorithms of which no run counts, for people: "MPI_Alltoall: two_proc"."""

    ranges: tuple[TunedRange, ...]
    environment: dict[str, str]
    """What makes the library keep the ranges; empty where its own choice is best."""

    file: str
    """File that sets these variables, for a shell."""

    proof: tuple[Proof, ...]
    directory: str
    """Directory of the studies behind the tuning."""

    @computed_field(json_schema_extra={"deprecated": True})
    def folder(self) -> str:
        """The old name of `directory`, written until version 1.0."""
        return self.directory

    @model_validator(mode="before")
    @classmethod
    def _either_name(cls, document: Any) -> Any:
        if isinstance(document, dict) and "folder" in document:
            document = dict(document)
            document.setdefault("directory", document.pop("folder"))
        return document

    @property
    def axis(self) -> str:
        """The line of TOML with which a study of any application compares the tuning with the
        library's own choice."""
        tuned = f'{{ name = "tuned", environment = {toml_table(self.environment)} }}'
        return f'tuning = ["own", {tuned}]'
