"""The algorithms that are faster than a library's own choice: the document of `waywiser tune`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import computed_field, model_validator

from waywiser.model.base import Model, renamed
from waywiser.model.gate import OPEN, Gate
from waywiser.model.judged import Judged

MOST_BYTES = 2**31 - 1
"""Largest message of a range without an upper end."""


def toml_text(value: str) -> str:
    return json.dumps(value)  # a string of JSON is one of TOML


def toml_table(values: Mapping[str, str]) -> str:
    """Texts by name, in one line of a TOML file."""
    pairs = ", ".join(f"{name} = {toml_text(value)}" for name, value in values.items())
    return f"{{ {pairs} }}" if pairs else "{}"


class TunedRange(Model):
    """A range of message sizes of a collective, with the algorithm that won."""

    collective: str
    first: int
    """Smallest message of the range in bytes, as ww-mpibench counts; 0 for a barrier."""

    last: int
    """Largest message of the range in bytes; 2^31 - 1 if the range has no end."""

    algorithm: str
    value: str
    """The algorithm, as the library names it."""

    verdicts: tuple[str, ...]
    """Comparison with the library's own choice, one sentence for each measured size."""


class Proof(Judged):
    """The tuned library against its own choice, in runs made after the tuning."""

    collective: str
    bytes: int


class Tuning(Model):
    """The document that `waywiser tune --json` prints."""

    format: Literal["waywiser-tuning"] = "waywiser-tuning"
    format_version: Literal[1] = 1
    waywiser: str
    library: str
    ranks: int
    nodes: int
    gate: Gate = OPEN
    """Gate of all runs: whether the ranks had their CPUs to themselves."""

    compared: int
    """Number of comparisons of algorithms at message sizes, refused ones included, over all
    collectives."""

    refused: int
    """Number of `compared` that have no verdict."""

    reason: str
    """Reason why the first of the refused has no verdict; "" if none was refused."""

    failed: tuple[str, ...]
    """Algorithms without a run that counts, for people: "MPI_Alltoall: two_proc"."""

    ranges: tuple[TunedRange, ...]
    environment: dict[str, str]
    """Variables that set the ranges in the library; empty where its own choice is best."""

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
        return renamed(document, "folder", "directory")

    @property
    def axis(self) -> str:
        """The line of TOML with which a study of any application compares the tuning with the
        library's own choice."""
        tuned = f'{{ name = "tuned", environment = {toml_table(self.environment)} }}'
        return f'tuning = ["own", {tuned}]'
