"""The sentences of the validity gate, which come first in every report of a run."""

from __future__ import annotations

from waywiser.model.gate import Gate


def gate_sentences(gate: Gate, *, predicts: bool = False) -> tuple[str, ...]:
    """Why times or predictions are unreliable, and what to do; empty if all conditions are met.

    Args:
        predicts: True for a verb that predicts, False for one that shows recorded times.
    """
    if gate.holds:
        return ()
    sentences = []
    if gate.unreliable:
        effect = (
            "so predictions are unreliable"
            if predicts
            else "so times may include waiting for a CPU"
        )
        sentences.append(f"Validity gate failed: {'; '.join(gate.unreliable)}; {effect}.")
    if gate.unlike:
        sentences.append(f"No prediction: {gate.unlike}.")
    if gate.remedies:
        first, *others = gate.remedies
        sentences.append(f"Remedy: {'. '.join([first, *others])}.")
    return tuple(sentences)
