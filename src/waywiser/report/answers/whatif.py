"""`waywiser whatif` on a terminal."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from waywiser.report.gate import gate_sentences
from waywiser.units import (
    bytes_text,
    count_text,
    counted,
    percent_text,
    seconds_text,
    seconds_with_error_text,
    signed_percent,
    three_digits,
    unbroken,
)

if TYPE_CHECKING:
    from waywiser.model.whatif import Extrapolation, Replay, Sweep, SweepAxis, SweepPoint, WhatIf

MOST_FUNCTIONS = 8
MOST_LAWS = 6
MOST_LABEL = 28
WIDTH = 100

PROGRESS = {"in-calls": "in MPI calls", "asynchronous": "at any time"}


def whatif_text(answer: WhatIf) -> str:
    lines = [
        line
        for sentence in gate_sentences(answer.gate, predicts=True)
        for line in wrapped(sentence)
    ]
    lines += _head(answer)
    lines += _table_lines(answer) if answer.gate.predicts else ()
    for note in notes_of(answer):
        lines += wrapped(f"Note: {note}")
    return "\n".join(lines) + "\n"


def _table_lines(answer: WhatIf) -> Iterator[str]:
    if answer.sweep is not None:
        return _rank_lines(answer.sweep) if over_ranks(answer.sweep) else _sweep_lines(answer.sweep)
    return _replay_lines([answer.base, *answer.predictions])


def notes_of(answer: WhatIf) -> tuple[str, ...]:
    """A sentence for each assumption or omission."""
    replays = (answer.base, *answer.predictions)
    assumed = answer.extrapolation.remarks if answer.extrapolation else ()
    swept = answer.sweep.remarks if answer.sweep else ()
    each = (remark for replay in replays for remark in replay.remarks)
    remarks = (*assumed, *answer.remarks, *each, *swept)
    return tuple(map(as_note, dict.fromkeys(remarks)))


def as_note(remark: str) -> str:
    return f"{remark[:1].upper()}{remark[1:]}."


def prediction_sentences(answer: WhatIf) -> tuple[str, ...]:
    """A sentence for each prediction, after one on the extrapolation, if the run is
    extrapolated."""
    how = answer.extrapolation
    basis = (f"Simulated, {extrapolated_words(how)}.",) if how and answer.gate.predicts else ()
    each = (
        f"{prediction.label}: the run is predicted to take "
        f"{prediction_sentence(answer, prediction)}."
        for prediction in answer.predictions
    )
    return (*gate_sentences(answer.gate, predicts=True), *basis, *each)


def wrapped(text: str, indent: str = "") -> list[str]:
    """The text wrapped to the width of the terminal, without line breaks within amounts."""
    text = unbroken(text)
    lines = textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)
    return [line.replace("\u00a0", " ") for line in lines]


def _head(answer: WhatIf) -> Iterator[str]:
    base = answer.base
    yield (
        f"{answer.run}: {counted(answer.ranks, 'rank')} on {counted(base.nodes, 'node')}, "
        f"{count_text(base.messages)} messages of {bytes_text(base.bytes)}"
    )
    if answer.extrapolation is not None:
        yield from _extrapolation_lines(answer, answer.extrapolation)
        return
    if several_recordings(answer):
        times = [recording.recorded_seconds for recording in answer.recordings]
        yield (
            f"Recorded {counted(len(times), 'time')}, {seconds_text(answer.recorded_seconds)} "
            f"({seconds_text(min(times))} to {seconds_text(max(times))}); "
            f"{base_error_words(answer)}, messages as in {base.network}"
        )
    else:
        yield (
            f"Recorded {seconds_text(answer.recorded_seconds)}; the replay of the base takes "
            f"{seconds_text(base.replayed_seconds)} ({signed_percent(answer.base_error)}), "
            f"messages as in {base.network}"
        )
    for prediction in answer.predictions:
        yield f"{prediction.label}: {prediction_sentence(answer, prediction)}"
    yield ""


def several_recordings(answer: WhatIf) -> bool:
    return len(answer.recordings) > 1


def base_error_words(answer: WhatIf) -> str:
    """The error of the replays of the recorded run."""
    if several_recordings(answer):
        errors = [recording.base_error for recording in answer.recordings]
        ends = dict.fromkeys(signed_percent(end) for end in (min(errors), max(errors)))
        return f"the replays of the base are {' to '.join(ends)} against the recorded times"
    ranks = answer.extrapolation.recorded_ranks[-1] if answer.extrapolation else answer.ranks
    error = against(answer.base_error, "its recorded time")
    return f"the replay of the run of {counted(ranks, 'rank')} {error}"


def against(error: float, time: str) -> str:
    """ "takes 1.2 % less than the recorded time" """
    if error == 0:
        return f"takes as long as {time}"
    return f"takes {percent_text(abs(error))} {'more' if error > 0 else 'less'} than {time}"


def _extrapolation_lines(answer: WhatIf, how: Extrapolation) -> Iterator[str]:
    if answer.gate.predicts:
        yield (
            f"Simulated, {extrapolated_words(how)}: {seconds_text(answer.recorded_seconds)}, "
            f"messages as in {answer.base.network}; the replay of {how.recorded_ranks[-1]} ranks "
            f"{against(answer.base_error, 'the recorded time')}"
        )
    grid = f", on a grid of {how.grid}" if how.grid else ""
    yield f"{counted(how.classes, 'group')} of ranks that make the same calls{grid}"
    for law in how.laws[:MOST_LAWS]:
        share = "" if law.share is None else f"{percent_text(law.share)} of "
        yield f"  {share}{law.of}: {law.law} (residual {percent_text(law.residual)})"
    if len(how.laws) > MOST_LAWS:
        yield f"  and {len(how.laws) - MOST_LAWS} more: --json"
    for prediction in answer.predictions:
        yield f"{prediction.label}: {prediction_sentence(answer, prediction)}"
    yield ""


def extrapolated_words(how: Extrapolation) -> str:
    return f"extrapolated from {', '.join(map(str, how.recorded_ranks))} ranks"


def prediction_sentence(answer: WhatIf, prediction: Replay) -> str:
    """The predicted run time, its interval and its validation error."""
    change = signed_percent(prediction.ratio - 1)
    if several_recordings(answer):
        ends = (signed_percent(end - 1) for end in (prediction.low_ratio, prediction.high_ratio))
        change += f", {' to '.join(ends)}"
    return (
        f"{predicted_text(prediction)} ({change}), {validation_words(prediction.validation_error)}"
    )


def validation_words(error: float | None) -> str:
    """The validation error of predictions on a machine, or that they are not validated."""
    if error is None:
        return "not validated here"
    return f"predictions on this machine were wrong by {percent_text(error)}"


def _replay_lines(replays: Sequence[Replay]) -> Iterator[str]:
    rows = list(_rows(replays))
    widths = [2 + max(len(cells[column]) for _, cells in rows) for column in range(len(replays))]
    names = max(len(title) for title, _ in rows)
    for title, cells in rows:
        padded = (f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        yield f"{title:<{names}}{''.join(padded)}".rstrip()


def _rows(replays: Sequence[Replay]) -> Iterator[tuple[str, list[str]]]:
    empty = [""] * len(replays)
    yield "", [_short(replay.label) for replay in replays]
    yield "Run time, predicted", [seconds_text(replay.predicted_seconds) for replay in replays]
    yield "Run time, replayed, and its parts", [seconds_text(r.replayed_seconds) for r in replays]
    for title, of in (
        ("Computation", [replay.computing for replay in replays]),
        ("MPI", [replay.mpi for replay in replays]),
        ("  waiting for ranks", [replay.waiting for replay in replays]),
        ("  transfer", [replay.transfer for replay in replays]),
        ("  overhead", [replay.overhead for replay in replays]),
    ):
        yield f"{title}, mean of ranks", [seconds_text(spread.mean) for spread in of]
        if not title.startswith(" "):
            yield "  least", [seconds_text(spread.least) for spread in of]
            yield "  most (rank)", [f"{seconds_text(s.most)} ({s.most_rank})" for s in of]
    yield "MPI functions, all ranks (of it waiting)", empty
    for function in replays[0].functions[:MOST_FUNCTIONS]:
        yield f"  {function.name}", [_function(replay, function.name) for replay in replays]
    if len(replays[0].functions) > MOST_FUNCTIONS:
        yield f"  and {len(replays[0].functions) - MOST_FUNCTIONS} with less time: --json", empty
    yield "Critical path", empty
    for part in dict.fromkeys(part.part for replay in replays for part in replay.critical_path):
        name = "computation" if part == "computing" else part
        yield f"  {name}", [_path(replay, part) for replay in replays]
    yield "Long messages progress", [PROGRESS[replay.progress] for replay in replays]
    if any(replay.links for replay in replays):
        yield "Links between nodes", empty
        yield (
            "  busiest, used",
            [percent_text(replay.links.busiest) if replay.links else "-" for replay in replays],
        )
        yield (
            "  mean, used",
            [percent_text(replay.links.mean) if replay.links else "-" for replay in replays],
        )
        yield (
            "  delays of messages",
            [
                seconds_text(replay.links.delayed_seconds) if replay.links else "-"
                for replay in replays
            ],
        )
        yield (
            "  most messages to one node at once",
            [
                count_text(replay.links.most_to_a_node) if replay.links else "-"
                for replay in replays
            ],
        )


def _short(label: str) -> str:
    """The shortened label above a column; the lines before the table have the whole label."""
    return label if len(label) <= MOST_LABEL else f"{label[: MOST_LABEL - 1]}…"


def _function(replay: Replay, name: str) -> str:
    times = next((function for function in replay.functions if function.name == name), None)
    if times is None:
        return "-"
    waiting = times.waiting_seconds / times.seconds if times.seconds else 0.0
    return f"{seconds_text(times.seconds)} ({percent_text(waiting)})"


def _path(replay: Replay, part: str) -> str:
    seconds = sum(path_part.seconds for path_part in replay.critical_path if path_part.part == part)
    return percent_text(seconds / replay.replayed_seconds) if replay.replayed_seconds else "-"


def axis_name(axis: SweepAxis) -> str:
    return {"on": "machine"}.get(axis.name, axis.name)


def axis_title(axis: SweepAxis) -> str:
    """An axis with its unit, if it has one: "latency (us)"."""
    return f"{axis_name(axis)} ({axis.unit})" if axis.unit else axis_name(axis)


def value_text(value: float | str) -> str:
    """A value of an axis as text: an amount, or a choice."""
    return value if isinstance(value, str) else three_digits(value)


def over_ranks(sweep: Sweep) -> bool:
    return [axis.name for axis in sweep.axes] == ["ranks"]


def _sweep_lines(sweep: Sweep) -> Iterator[str]:
    """A line for each point, under the label of each machine."""
    axes = [axis_title(axis) for axis in sweep.axes]
    texts = [[value_text(value) for value in point.values] for point in sweep.points]
    lengths = (map(len, column) for column in zip(axes, *texts, strict=True))
    widths = [*(max(20, 2 + max(column)) for column in lengths), 20, *(14,) * 3]
    titles = [*axes, "predicted", "change", "MPI", "waiting"]
    for label, points in itertools.groupby(sweep.points, key=lambda point: point.label):
        if label:
            yield label
        yield _columns(titles, widths)
        for point in points:
            cells = [
                *map(value_text, point.values),
                predicted_text(point),
                signed_percent(point.ratio - 1),
                seconds_text(point.mpi_seconds),
                seconds_text(point.waiting_seconds),
            ]
            yield _columns(cells, widths)
        yield ""


def predicted_text(prediction: Replay | SweepPoint) -> str:
    """The predicted run time with its error, which covers both ends of the interval."""
    middle = prediction.predicted_seconds
    error = max(middle - prediction.low_seconds, prediction.high_seconds - middle)
    return seconds_with_error_text(middle, error)


def _columns(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _rank_lines(sweep: Sweep) -> Iterator[str]:
    """A table of the unchanged run and of each question's change, over the number of ranks."""
    labels = list(dict.fromkeys(point.label for point in sweep.points))
    base, *predicted = (
        [point for point in sweep.points if point.label == label] for label in labels
    )
    widths = [max(14, 2 + len(label)) for label in labels[1:]]
    titles = "".join(f"{label:>{width}}" for label, width in zip(labels[1:], widths, strict=True))
    yield f"{'ranks':>12}{'run time':>20}{'efficiency':>14}{'MPI':>14}{titles}"
    for row, point in enumerate(base):
        changes = "".join(
            f"{signed_percent(points[row].ratio - 1):>{width}}"
            for points, width in zip(predicted, widths, strict=True)
        )
        yield (
            f"{count_text(round(float(point.values[0]))):>12}{predicted_text(point):>20}"
            f"{percent_text(point.efficiency):>14}{seconds_text(point.mpi_seconds):>14}{changes}"
        )
    yield ""
