"""A program that was recorded several times: intervals cover the answers of all recordings."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TypeVar

from waywiser.analyse.gate import gate_of_all
from waywiser.errors import InvalidCommand
from waywiser.model.gate import Gate
from waywiser.model.whatif import Recording, Replay, Sweep, SweepPoint, WhatIf
from waywiser.stats.summary import SAMPLES_NEEDED, summarise
from waywiser.units import counted

Predicted = TypeVar("Predicted", Replay, SweepPoint)


def answer_of_recordings(found: Sequence[WhatIf]) -> WhatIf:
    """Return one answer from the medians over the recordings. All but predictions is that of the
    recording whose time is nearest the median.

    Args:
        found: answers to the same questions, one for each recording.

    Raises:
        InvalidCommand: the answers are not of one program.
    """
    _check_alike(found)
    recorded = median(one.recorded_seconds for one in found)
    at = min(range(len(found)), key=lambda number: abs(found[number].recorded_seconds - recorded))
    gate = _gate(found)
    predictions = zip(*(one.predictions for one in found), strict=True) if gate.predicts else ()
    sweeps = [one.sweep for one in found if one.sweep]
    remarks = dict.fromkeys(remark for one in found for remark in one.remarks)
    return found[at].replace(
        run=", ".join(one.run for one in found),
        recorded_seconds=recorded,
        base=_replay([one.base for one in found], at),
        gate=gate,
        predictions=tuple(_replay(each, at) for each in predictions),
        sweep=_sweep(sweeps, at) if gate.predicts and sweeps else None,
        recordings=tuple(
            Recording(run=one.run, recorded_seconds=one.recorded_seconds, base_error=one.base_error)
            for one in found
        ),
        remarks=(*remarks, *([_of_intervals(len(found))] if gate.predicts else ())),
    )


def _gate(found: Sequence[WhatIf]) -> Gate:
    """Return the gate of several recordings, with their number and the first one's reason."""
    if len(found) == 1:
        return found[0].gate
    gate = gate_of_all({one.run: one.gate for one in found})
    unreliable = sum(bool(one.gate.unreliable) for one in found)
    if not unreliable:
        return gate
    why = f"{unreliable} of {counted(len(found), 'recording')} (first: {gate.unreliable[0]})"
    return gate.replace(unreliable=(why,))


def _check_alike(found: Sequence[WhatIf]) -> None:
    first = found[0]
    for one in found[1:]:
        if _program(one) != _program(first):
            more = "; to extrapolate them to N ranks, add --ranks N"
            raise InvalidCommand(
                f"{first.run} and {one.run} are not recordings of one program: their ranks, nodes "
                f"or MPI functions differ{more if one.ranks != first.ranks else ''}"
            )


def _program(found: WhatIf) -> tuple[int, int, frozenset[str]]:
    """Return the properties that recordings of one program share."""
    return found.ranks, found.base.nodes, frozenset(one.name for one in found.base.functions)


def _of_intervals(recordings: int) -> str:
    if recordings == 1:
        return (
            "the intervals are of one recording, and leave out how much runs differ; give several "
            "recordings of the program, RUN RUN …, to have it in them"
        )
    if recordings < SAMPLES_NEEDED:
        return (
            f"the intervals span {counted(recordings, 'recording')}; from {SAMPLES_NEEDED} on, "
            "they are those of the median at 95 %"
        )
    return f"the intervals are those of the median over {recordings} recordings at 95 %"


def _replay(each: Sequence[Replay], at: int) -> Replay:
    remarks = dict.fromkeys(remark for one in each for remark in one.remarks)
    return _over(each, at).replace(remarks=tuple(remarks))


def _sweep(each: Sequence[Sweep], at: int) -> Sweep:
    points = zip(*(one.points for one in each), strict=True)
    remarks = dict.fromkeys(remark for one in each for remark in one.remarks)
    return each[at].replace(
        points=tuple(_over(point, at) for point in points), remarks=tuple(remarks)
    )


def _over(each: Sequence[Predicted], at: int) -> Predicted:
    """Return medians over the recordings, and intervals that hold those of the recordings."""
    if len(each) == 1:
        return each[0]

    def middle(name: str) -> float:
        return float(median(getattr(one, name) for one in each))

    def end(name: str, side: int) -> float:
        return summarise([getattr(one, name) for one in each]).interval[side]

    return each[at].replace(
        predicted_seconds=middle("predicted_seconds"),
        low_seconds=end("low_seconds", 0),
        high_seconds=end("high_seconds", 1),
        ratio=middle("ratio"),
        low_ratio=end("low_ratio", 0),
        high_ratio=end("high_ratio", 1),
    )
