"""The sentences of the validity gate, which come first in every report of a run."""

from __future__ import annotations

from waywiser.model.gate import Gate


def gate_sentences(gate: Gate, *, predicts: bool = False) -> tuple[str, ...]:
    """Why there is no verdict, and what to do; empty if the runs had their CPUs.

    Args:
        predicts: True for a verb that predicts, False for one that shows recorded times.
    """
    if gate.holds:
        return ()
    said = []
    if gate.contended:
        effect = (
            "so predictions have no verdict"
            if predicts
            else "so times may include waiting for a CPU"
        )
        said.append(f"Validity gate failed: {'; '.join(gate.contended)}; {effect}.")
    if gate.unlike:
        said.append(f"No prediction: {gate.unlike}.")
    if gate.remedies:
        first, *others = gate.remedies
        said.append(f"Remedy: {'. '.join([first, *others])}.")
    return tuple(said)
