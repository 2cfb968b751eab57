"""Plots of `waywiser whatif`: replays side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import altair as alt

from waywiser.model.whatif import Replay, WhatIf
from waywiser.report.answers.sweep_plots import Chart, drawn_ranks, drawn_sweep, with_limits
from waywiser.report.answers.whatif import (
    against,
    as_note,
    base_error_words,
    extrapolated_words,
    notes_of,
    over_ranks,
    predicted_text,
    prediction_sentences,
    several_recordings,
)
from waywiser.report.drawing.bars import on_lines
from waywiser.report.drawing.channels import above, coloured
from waywiser.report.drawing.plot import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    VERMILION,
    Drawn,
    Table,
    inline,
    page_wide,
    table,
    tips,
)
from waywiser.units import seconds_text, signed_percent

PARTS = {
    "Computation": BLUE,
    "Waiting for ranks": VERMILION,
    "Transfer": ORANGE,
    "Overhead": GREEN,
    "Not running": GREY,
}
"""Parts of a rank's mean time with their colours; together they are the run time."""


def drawn_whatif(answer: WhatIf) -> Drawn:
    """The plot of an answer: of its sweep if it has one, else of its replays."""
    if answer.sweep is None:
        return _drawn_replays(answer)
    if over_ranks(answer.sweep) and answer.extrapolation is not None:
        return drawn_ranks(answer, answer.sweep, answer.extrapolation)
    return drawn_sweep(answer, answer.sweep)


def drawn_answers(answers: Sequence[WhatIf]) -> tuple[Drawn, ...]:
    """The plots of several answers on one page, each under a name of its own, with the answers'
    sentences."""
    return tuple(
        replace(
            drawn_whatif(answer),
            name=f"answer-{number}",
            remarks=(*prediction_sentences(answer), *notes_of(answer)),
        )
        for number, answer in enumerate(answers, 1)
    )


def _drawn_replays(answer: WhatIf) -> Drawn:
    return Drawn(
        "whatif",
        "Parts of the run time",
        " ".join(_captions(answer)),
        lambda: with_limits(_replays_chart(answer), answer),
        _replays_table(answer),
    )


def _captions(answer: WhatIf) -> Iterator[str]:
    how = answer.extrapolation
    if how is not None:
        base, recorded = f"{how.recorded_ranks[-1]} ranks", "their recorded time"
        subject = "Run time" if answer.gate.predicts else "Replay, which predicts nothing,"
        yield f"{subject} as the ranks spend it on average, {extrapolated_words(how)}."
    else:
        base, recorded = (
            "the unchanged run",
            f"the recorded {seconds_text(answer.recorded_seconds)}",
        )
        yield (
            "Run time as the ranks spend it on average: the replay's parts, scaled to the recorded "
            "time."
        )
    if several_recordings(answer):
        yield as_note(base_error_words(answer))
    else:
        yield f"The replay of {base} {against(answer.base_error, recorded)}."
    if answer.predictions:
        yield "Thin lines are the predictions' intervals."


def parts_of(replay: Replay) -> dict[str, float]:
    """Shares of the replayed time by part, mean of the ranks."""
    whole = replay.replayed_seconds
    times = (replay.computing, replay.waiting, replay.transfer, replay.overhead)
    shares = [spread.mean / whole for spread in times]
    return dict(zip(PARTS, [*shares, max(0.0, 1 - sum(shares))], strict=True))


def _replays_chart(answer: WhatIf) -> Chart:
    rows: list[dict[str, Any]] = []
    ends: list[dict[str, Any]] = []
    replays = (answer.base, *answer.predictions)
    names = on_lines(replay.label for replay in replays)
    for replay, name in zip(replays, names.shown, strict=True):
        low = 0.0
        for part, share in parts_of(replay).items():
            high = low + share * replay.predicted_seconds
            time, of = seconds_text(high - low), replay.label
            rows.append(
                {"name": name, "of": of, "part": part, "low": low, "high": high, "time": time}
            )
            low = high
        ends.append({"name": name, "low": replay.low_seconds, "high": replay.high_seconds})
    bars = (
        alt.Chart(inline(rows))
        .mark_bar(height=18)
        .encode(
            y=names.axis,
            x=alt.X("low:Q", title="Run time (s)").axis(tickCount=6),
            x2=alt.X2("high:Q"),
            color=coloured("part", PARTS, above(symbolType="square", columns=5)),
            tooltip=tips(of="Of", part="Time in", time="Time"),
        )
    )
    intervals = alt.Chart(inline(ends)).mark_rule(color=INK)
    intervals = intervals.encode(y=names.axis, x=alt.X("low:Q"), x2=alt.X2("high:Q"))
    return alt.layer(bars, intervals).properties(**page_wide(names.height_px))


def _replays_table(answer: WhatIf) -> Table:
    rows = (
        (
            *(replay.label, seconds_text(replay.replayed_seconds), predicted_text(replay)),
            signed_percent(replay.ratio - 1),
            *(
                seconds_text(of.mean)
                for of in (replay.mpi, replay.waiting, replay.transfer, replay.overhead)
            ),
        )
        for replay in (answer.base, *answer.predictions)
    )
    columns = (
        *("Replay", "Replayed", "Predicted", "Change"),
        *("MPI", "Waiting", "Transfer", "Overhead"),
    )
    return table("Replays; MPI and its parts are means of ranks", columns, rows)
