"""The opportunities to make a recorded run faster, with their gains: `waywiser advise --json`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import computed_field, model_validator

from waywiser.model.base import Model, renamed
from waywiser.model.efficiency_tree import Efficiencies
from waywiser.model.gain import Assessment
from waywiser.model.gate import OPEN, Gate
from waywiser.model.waits import WaitCause


class Opportunity(Model):
    """A change that could make the run faster, and its predicted gain."""

    name: str
    function: str | None
    """MPI function that would use another algorithm; null for other opportunities."""

    what: str
    """Change that the opportunity makes: "messages between nodes with half the latency"."""

    predicted_seconds: float
    gain_seconds: float
    """Time that the run would save [s]; below 0, the run gets slower."""

    low_seconds: float
    high_seconds: float
    """Upper bound of `gain_seconds`."""

    share: float
    """`gain_seconds` over the recorded time."""

    bound: bool
    """True if the gain is an upper bound; else a replay predicts it."""

    assessment: Assessment
    """Assessment of the gain; `refused` where the gate permits none."""

    @computed_field(json_schema_extra={"deprecated": True})
    def verdict(self) -> Assessment:
        """The old name of `assessment`, written until version 1.0."""
        return self.assessment

    @model_validator(mode="before")
    @classmethod
    def _either_name(cls, document: Any) -> Any:
        return renamed(document, "verdict", "assessment")

    because: str
    """Reason for the size of the gain."""

    cause: WaitCause | None = None
    """Main cause of the waiting that the opportunity would save; None if unknown."""

    command: str | None
    """Command that predicts the opportunity; None where no command does."""


class Advice(Model):
    """The opportunities of a run, the best first and bounds last."""

    format: Literal["waywiser-advice"] = "waywiser-advice"
    format_version: Literal[1] = 1
    waywiser: str
    run: str
    ranks: int
    nodes: int
    recorded_seconds: float
    replayed_seconds: float
    base_error: float
    """(base replayed - recorded) / recorded."""

    validation_error: float | None
    """Relative error of predictions on the machine; None if they were not validated."""

    network: str
    """Source of the costs of messages."""

    gate: Gate = OPEN
    """Gate of the recorded times and of the replay; to be read before the opportunities."""

    noise_seconds: float
    """Run-to-run noise of the run time; a smaller gain would not show."""

    efficiencies: Efficiencies
    opportunities: tuple[Opportunity, ...]
    """Opportunities; none where the gate refuses predictions."""

    @computed_field(json_schema_extra={"deprecated": True})
    def levers(self) -> tuple[Opportunity, ...]:
        """The old name of `opportunities`, written until version 1.0."""
        return self.opportunities

    @model_validator(mode="before")
    @classmethod
    def _either_name(cls, document: Any) -> Any:
        return renamed(document, "levers", "opportunities")

    findings: tuple[str, ...]
    """Sentences on where the time of each expensive function goes."""

    remarks: tuple[str, ...] = ()
    """Sentences on opportunities that do not apply, and on what was assumed or left out."""
