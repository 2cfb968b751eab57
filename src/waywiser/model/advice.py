"""What would make a recorded run faster, and by how much: `waywiser advise --json`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import computed_field, model_validator

from waywiser.model.base import Model
from waywiser.model.efficiency_tree import Efficiencies
from waywiser.model.gain import Verdict
from waywiser.model.gate import OPEN, Gate
from waywiser.model.waits import WaitCause


class Opportunity(Model):
    """One thing that could be done, and what it would buy."""

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
    """`gain_seconds` of the recorded time."""

    bound: bool
    """The gain is what can be had at most; of others it is what a replay says."""

    verdict: Verdict
    """`refused` where the gate gives none."""

    because: str
    """Why it buys so much, or so little."""

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
    """Relative error of predictions on the machine; None where they were not validated."""

    network: str
    """Source of the costs of messages."""

    gate: Gate = OPEN
    """Whether the recorded times and the replay hold: comes before the opportunities."""

    noise_seconds: float
    """What runs differ by anyway; smaller gains do not show."""

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
        if isinstance(document, dict) and "levers" in document:
            document = dict(document)
            document.setdefault("opportunities", document.pop("levers"))
        return document

    findings: tuple[str, ...]
    """Sentences: what each expensive function's time goes to."""

    remarks: tuple[str, ...] = ()
    """Opportunities that do not apply, and what was assumed or left out."""
