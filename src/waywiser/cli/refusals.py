"""Exit codes of verbs whose answer the validity gate refuses."""

from __future__ import annotations

from waywiser.model.gate import Gate

REFUSED = 3
"""Exit code of a refused answer; the output has the reason and the remedy."""


def of_predictions(gate: Gate) -> int:
    """The exit code of a verb that predicts."""
    return 0 if gate.predicts else REFUSED


def of_verdicts(gate: Gate, verdicts: int) -> int:
    """The exit code of a verb that compares.

    Args:
        verdicts: number of comparisons that have a verdict.
    """
    return REFUSED if gate.unreliable and verdicts == 0 else 0
