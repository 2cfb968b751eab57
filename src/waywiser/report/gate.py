"""What the gate says, before anything else that is said of a run."""

from __future__ import annotations

from waywiser.model.gate import Gate


def gate_sentences(gate: Gate, *, predicts: bool = False, several: bool = False) -> tuple[str, ...]:
    """Why no verdict is given, and what to do; none where the gate holds.

    Args:
        predicts: of a verb that predicts; else of one that shows what was recorded.
        several: of sets of runs.
    """
    if gate.holds:
        return ()
    said = []
    if gate.contended:
        effect = (
            "so nothing is called worth doing"
            if predicts
            else "so times may include waiting for a CPU"
        )
        runs = "runs" if several else "run"
        said.append(f"Contended {runs}: {'; '.join(gate.contended)}; {effect}.")
    if gate.unlike:
        said.append(f"No prediction: {gate.unlike}.")
    if gate.remedies:
        first, *others = gate.remedies
        said.append(f"Remedy: {'. '.join([first, *others])}.")
    return tuple(said)
