"""Figures of pairs of ranks, of waiting and of time: from profiles and from traces."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tests import synthetic_waits
from tests.made_figures import drawn_text, figure, plain, report, whole
from tests.made_ring import write_ring
from tests.said import Cases, Said
from tests.said.plots import alike
from waywiser.model.pairs import Pairs
from waywiser.model.summary import Matrix, Summary
from waywiser.model.timeline import Timeline
from waywiser.model.waits import Waits, WaitsOverTime
from waywiser.report.figure import Drawn, described
from waywiser.report.plots import timeline as on_paper
from waywiser.report.timeline import TABLE_ROWS, drawn_timeline
from waywiser.store.timeline import timeline_of

PAYLOAD, NOTHING = Pairs([(0, 1, 3)]), Pairs(())


def sent(*, payload: Pairs = NOTHING, messages: Pairs = NOTHING) -> Matrix:
    return Matrix(bytes=payload, messages=messages)


def traffic(ranks: int, pairs: Pairs) -> Said:
    matrix = sent(payload=pairs, messages=pairs)
    return figure("matrix-bytes", plain, ranks=ranks, matrix=matrix)


def to_all(ranks: int) -> Said:
    """Each rank sends an amount without any order to each: nothing to compress."""
    amounts = np.exp(np.random.default_rng(3).uniform(0, 20, ranks * ranks))
    columns = (*np.divmod(np.arange(ranks * ranks), ranks), amounts)
    return lambda: traffic(ranks, Pairs(np.stack(columns, axis=1).astype(np.uint64)))()


def to_the_next(ranks: int) -> Said:
    return traffic(ranks, Pairs([(rank, (rank + 1) % ranks, 8) for rank in range(ranks)]))


def one_missing() -> Summary:
    return plain().replace(per_rank=(plain().per_rank or ())[1:])


MATRIX = (
    alike(
        figure("matrix-bytes"),
        figure("matrix-bytes", matrix=sent(messages=PAYLOAD)),
        "Point-to-point traffic, counted at the sender: ",
        "{} (world ranks); the colour scale is logarithmic, ranks of grey squares sent nothing{}. ",
        "Turn the wheel over the image to zoom, drag to move, double-click to go back.",
        "Point-to-point traffic by pair of ranks",
        "From rank",
        "Receiving rank",
        "Sending rank",
        "datum.destination - 0.5",
        "datum.destination + 0.5",
        "datum.source - 0.5",
        "datum.source + 0.5",
    )
    | alike(
        figure("matrix-bytes", one_missing),
        figure("matrix-bytes", plain),
        " or left no profile",
    )
    | alike(
        to_the_next(1001),
        to_the_next(1000),
        "A square is a block of ranks and has the colour of its largest pair; zoomed in, it is one "
        "pair. Turn the wheel over it to zoom, drag to move, double-click to go back; on the "
        "keyboard: arrows, + and -, 0 for all.",
    )
    | alike(
        to_all(700),
        to_all(400),
        " A square stands for {} by {} ranks and has the colour of the largest of their pairs.",
    )
    | alike(
        to_all(400),
        to_all(30),
        " The {} heaviest pairs show their numbers under the pointer; all of the {} would make "
        "this page too large.",
    )
    | alike(
        figure("matrix-bytes", matrix=sent(messages=PAYLOAD)),
        figure("matrix-bytes"),
        "No point-to-point payload was recorded.",
    )
    | alike(
        figure("matrix-messages", matrix=sent()),
        figure("matrix-messages", matrix=sent(messages=PAYLOAD)),
        "No point-to-point message was recorded.",
    )
    | alike(
        figure("matrix-collectives"),
        figure("matrix-collectives", collective_matrix=sent()),
        "What collectives sent from rank to rank: what their arguments name, else the operation's "
        "logical pattern, whatever algorithm the library ran. ",
        "Traffic of collectives by pair of ranks",
    )
    | alike(
        figure("matrix-collectives", collective_matrix=sent()),
        figure("matrix-collectives"),
        "No payload of collectives is known by pair of ranks.",
    )
)


def waits(name: str, **change: Any) -> Said:
    """A figure of the whole run, whose waits are other."""
    found = whole().waits
    assert isinstance(found, Waits)
    return figure(name, waits=found.replace(**change))


IN_CALLS = tuple(one for one in synthetic_waits.waits(4).critical_path if one.place)

WAIT_CAUSES = (
    alike(
        figure("wait-ranks"),
        waits("wait-ranks", seconds={}),
        "Waiting of {} by what was late, from the trace: {}{}, {} of the time in MPI, rank {} most "
        "({}). The rest is transfer and the library's own work. Definitions are Scalasca's{}.",
        "Waiting by rank and cause",
        "Rest of MPI (s)",
        "Made others wait (s)",
        "On the critical path (s)",
    )
    | alike(
        waits("wait-ranks", seconds={"last_ranks": 1.0}),
        figure("wait-ranks"),
        ", except for Late Contributors",
    )
    | alike(
        waits("wait-ranks", seconds={}),
        figure("wait-ranks"),
        "No rank waited for another one.",
    )
    | alike(
        waits("wait-ranks", window_seconds=(0.5, 1.0)),
        figure("wait-ranks"),
        "of calls that begin between {} and {}, ",
    )
    | alike(
        figure("wait-causes"),
        waits("wait-causes", seconds={}),
        "Each row is waiting in one call, with the rank and the place where the delay arose that "
        "others only passed on (Scalasca's root cause). Seconds are those of all ranks that "
        "waited.",
        "Waiting by cause, summed over ranks",
        "Where ranks waited",
        "Because of rank",
        "Rank with most",
    )
    | alike(
        figure("wait-causes"),
        waits("wait-causes", clocks=()),
        "Clocks of {} were set by the messages between them, to within {}.",
    )
    | alike(
        figure("matrix-waits"),
        waits("matrix-waits", seconds={}),
        "Time that a rank (downwards) waited directly for another one (across). It waits in a "
        "receive for its sender, in a collective for the last rank to come, and so on for the "
        "other causes. The colour scale is logarithmic, ranks of grey squares did not wait. Turn "
        "the wheel over the image to zoom, drag to move, double-click to go back.",
        "Waiting by pair of ranks",
        "Rank that waited",
        "Rank that was late",
        "format(datum.value / 1e9, '.3~g')",
    )
    | alike(
        figure("critical-path"),
        waits("critical-path", critical_path=()),
        "The critical path: what the run would have to do faster to end earlier, {}{} from its "
        "first call to its last, {} of it computing, {} on rank {}. A bar is a call and what the "
        "application did between it and the next one.",
        "The critical path by place and rank",
        "Time on the critical path (s)",
        "Of the path",
        "In the call",
    )
    | alike(
        figure("critical-path"),
        waits("critical-path", critical_path=IN_CALLS),
        "before the first call",
    )
    | alike(
        waits("critical-path", critical_path=()),
        figure("critical-path"),
        "The trace has no critical path.",
    )
)


@cache
def ring(ranks: int = 4, begin: float | None = None) -> Timeline:
    """A trace of 27 ms, or the 10 ms of it from `begin` on."""
    window = None if begin is None else (begin, begin + 0.010)
    with TemporaryDirectory() as folder:
        return timeline_of(write_ring(Path(folder) / "trace.ww", ranks, 25), window)


def shown(
    ranks: int = 4,
    begin: float | None = None,
    waits: WaitsOverTime | None = None,
    **change: Any,
) -> Said:
    """A timeline of the page."""

    def text() -> str:
        drawn = drawn_timeline(replace(ring(ranks, begin), **change), waits)
        titles = "\n".join(panel.title for panel in drawn.panels)
        of_page = Drawn("timeline", titles, drawn.caption, "{}", drawn.table)
        return drawn_text(of_page)

    return text


def printed(**change: Any) -> Said:
    """A timeline of a paper."""

    def text() -> str:
        chart = described(on_paper.chart(replace(ring(), **change)))
        return drawn_text(Drawn("", "", "", json.dumps(chart), None))

    return text


THREADS: dict[str, Any] = {"threads": ((0, 0), (0, 1), (1, 0), (1, 1))}
MERGED: dict[str, Any] = {"all_calls": 60_000, "longest_merged_ns": 2000}

WAITS = WaitsOverTime(begin_seconds=0, bin_seconds=0.01, seconds={"late_sender": (0.0, 0.005)})

TIMELINE = (
    alike(
        shown(),
        report(plain),
        "{} against time, {} with {}. From afar the height of a colour is its share of the time "
        "in a cell, or its strength where rows are too thin for that. From near each call is "
        "drawn by itself, with an arrow for each message. {}The panels above the ranks share their "
        "time axis and their zoom. Turn the wheel to zoom, with Shift over ranks; drag to move, "
        "double-click to go back. On the keyboard, arrows go from call to call and rank to rank, "
        "+ and - zoom, and 0 shows all.",
        "Time of all ranks",
        "Time of each rank by what it did, in the window shown",
    )
    | alike(shown(**THREADS), shown(), " ({} that called MPI)", "Rank and thread")
    | alike(shown(waits=WAITS), shown(), "Ranks that wait, by what was late")
    | alike(shown(begin=0.005), shown(), "{} to {} s of the trace")
    | alike(
        shown(**MERGED),
        shown(),
        "The {} longest calls stand for themselves, among them every one that took longer than {}; "
        "the other {} are merged into cells of {}. A shorter interval has more of its calls: "
        "waywiser report RUN --window {}. All calls: waywiser export RUN --to perfetto, for "
        "ui.perfetto.dev. ",
    )
    | alike(shown(TABLE_ROWS + 1), shown(TABLE_ROWS), "The first {} of {} rows.")
)

CASES: Cases = {
    "report.plots.matrix": MATRIX,
    "report.plots.timeline": alike(printed(), report(plain), "Time since the first call (s)")
    | alike(printed(**THREADS), printed(), "Thread, in the order of the ranks"),
    "report.plots.wait_causes": WAIT_CAUSES,
    "report.timeline": TIMELINE,
}
