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


def answer_of_recordings(answers: Sequence[WhatIf]) -> WhatIf:
    """Return one answer from the medians over the recordings. All but predictions is that of the
    recording whose time is nearest the median.

    Args:
        answers: answers to the same questions, one for each recording.

    Raises:
        InvalidCommand: the answers are not of one program.
    """
    _check_alike(answers)
    recorded = median(answer.recorded_seconds for answer in answers)
    at = min(
        range(len(answers)), key=lambda number: abs(answers[number].recorded_seconds - recorded)
    )
    gate = _gate(answers)
    predictions = (
        zip(*(answer.predictions for answer in answers), strict=True) if gate.predicts else ()
    )
    sweeps = [answer.sweep for answer in answers if answer.sweep]
    remarks = dict.fromkeys(remark for answer in answers for remark in answer.remarks)
    return answers[at].replace(
        run=", ".join(answer.run for answer in answers),
        recorded_seconds=recorded,
        base=_replay([answer.base for answer in answers], at),
        gate=gate,
        predictions=tuple(_replay(each, at) for each in predictions),
        sweep=_sweep(sweeps, at) if gate.predicts and sweeps else None,
        recordings=tuple(
            Recording(
                run=answer.run,
                recorded_seconds=answer.recorded_seconds,
                base_error=answer.base_error,
            )
            for answer in answers
        ),
        remarks=(*remarks, *([_of_intervals(len(answers))] if gate.predicts else ())),
    )


def _gate(answers: Sequence[WhatIf]) -> Gate:
    """Return the gate of several recordings, with their number and the first one's reason."""
    if len(answers) == 1:
        return answers[0].gate
    gate = gate_of_all({answer.run: answer.gate for answer in answers})
    unreliable = sum(bool(answer.gate.unreliable) for answer in answers)
    if not unreliable:
        return gate
    why = f"{unreliable} of {counted(len(answers), 'recording')} (first: {gate.unreliable[0]})"
    return gate.replace(unreliable=(why,))


def _check_alike(answers: Sequence[WhatIf]) -> None:
    first = answers[0]
    for answer in answers[1:]:
        if _program(answer) != _program(first):
            more = "; to extrapolate them to N ranks, add --ranks N"
            raise InvalidCommand(
                f"{first.run} and {answer.run} are not recordings of one program: their ranks, "
                f"nodes or MPI functions differ{more if answer.ranks != first.ranks else ''}"
            )


def _program(answer: WhatIf) -> tuple[int, int, frozenset[str]]:
    """Return the properties that recordings of one program share."""
    return (
        answer.ranks,
        answer.base.nodes,
        frozenset(function.name for function in answer.base.functions),
    )


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
    remarks = dict.fromkeys(remark for replay in each for remark in replay.remarks)
    return _over(each, at).replace(remarks=tuple(remarks))


def _sweep(each: Sequence[Sweep], at: int) -> Sweep:
    points = zip(*(sweep.points for sweep in each), strict=True)
    remarks = dict.fromkeys(remark for sweep in each for remark in sweep.remarks)
    return each[at].replace(
        points=tuple(_over(point, at) for point in points), remarks=tuple(remarks)
    )


def _over(each: Sequence[Predicted], at: int) -> Predicted:
    """Return medians over the recordings, and intervals that hold those of the recordings."""
    if len(each) == 1:
        return each[0]

    def middle(name: str) -> float:
        return float(median(getattr(prediction, name) for prediction in each))

    def end(name: str, side: int) -> float:
        return summarise([getattr(prediction, name) for prediction in each]).interval[side]

    return each[at].replace(
        predicted_seconds=middle("predicted_seconds"),
        low_seconds=end("low_seconds", 0),
        high_seconds=end("high_seconds", 1),
        ratio=middle("ratio"),
        low_ratio=end("low_ratio", 0),
        high_ratio=end("high_ratio", 1),
    )
