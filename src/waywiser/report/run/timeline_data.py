"""A timeline in the page, for the program that draws it: templates/timeline_data.js unpacks it.

The columns follow one another, with every number in groups of seven bits as in `matrix_data`, and
are deflated. Signed numbers are mapped 0, -1, 1, -2, … -> 0, 1, 2, 3, … (zigzag).
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waywiser.analyse.wait_words import NAMES
from waywiser.model.timeline import KINDS, Timeline
from waywiser.model.waits import WaitsOverTime
from waywiser.report.drawing.plot import GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, WAIT_COLOURS
from waywiser.report.run.matrix_data import leb128

COMPUTATION = "var(--computing)"
"""A light tint of the application's colour in the other plots, so that MPI stands out."""

_COLOURS = (COMPUTATION, ORANGE, VERMILION, PURPLE, SKY, GREEN, GREY)
COLOURS = dict(zip(KINDS, _COLOURS, strict=True))

NS_PER_S = 1e9

_SIGNED = ("peer", "source", "tag")
_UNSIGNED = (
    "kind",
    "function",
    "site",
    "object",
    "bytes",
    "posted",
    "requests",
    "times",
    "idle_ns",
)


def wait_colours(waits: WaitsOverTime) -> tuple[tuple[str, str], ...]:
    """The kinds of waiting with their colours."""
    return tuple((NAMES[kind], WAIT_COLOURS[kind]) for kind in waits.seconds)


def head(timeline: Timeline, waits: WaitsOverTime | None = None) -> str:
    """The names and grids to which the columns refer, as JSON."""
    return json.dumps(
        {
            "begin_ns": timeline.begin_ns - timeline.trace_begin_ns,
            "end_ns": timeline.end_ns - timeline.trace_begin_ns,
            "threads": timeline.threads,
            "grids": [
                {"together": grid.together, "bin_ns": grid.bin_ns, "shape": grid.ns.shape}
                for grid in timeline.grids
            ],
            "calls": len(timeline.calls["begin_ns"]),
            "arrows": len(timeline.arrows["sent_ns"]),
            "merged": timeline.merged_calls,
            "kinds": KINDS,
            "colours": list(COLOURS.values()),
            "functions": timeline.functions,
            "sites": [_site(site) for site in timeline.sites],
            "objects": timeline.objects,
            "waits": None if waits is None else _waits_head(timeline, waits),
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def _waits_head(timeline: Timeline, waits: WaitsOverTime) -> dict[str, Any]:
    kinds, colours = zip(*wait_colours(waits), strict=True)
    return {
        "begin": round(waits.begin_seconds * NS_PER_S) - timeline.trace_begin_ns,
        "width": round(waits.bin_seconds * NS_PER_S),
        "bins": len(next(iter(waits.seconds.values()))),
        "kinds": kinds,
        "colours": colours,
    }


def packed(timeline: Timeline, waits: WaitsOverTime | None = None) -> str:
    """The columns of cells, calls, arrows and waits, in base64."""
    columns = list(_columns(timeline))
    if waits is not None:
        seconds = np.array(list(waits.seconds.values()))
        columns.append(np.rint(seconds.T.ravel() * NS_PER_S).astype(np.int64))
    text = b"".join(leb128(np.asarray(column, dtype=np.uint64)) for column in columns)
    return base64.b64encode(zlib.compress(text, 6)).decode("ascii")


def _columns(timeline: Timeline) -> Iterator[NDArray[np.uint64] | NDArray[np.int64]]:
    for grid in timeline.grids:
        yield grid.ns.ravel()
    calls, arrows = timeline.calls, timeline.arrows
    yield _steps(calls["stream"])
    yield _zigzag(_steps(calls["begin_ns"], timeline.begin_ns))
    yield calls["end_ns"] - calls["begin_ns"]
    yield from (_zigzag(calls[name]) for name in _SIGNED)
    yield from (calls[name] for name in _UNSIGNED)
    yield _steps(arrows["sent_ns"], timeline.trace_begin_ns)
    yield arrows["received_ns"] - arrows["sent_ns"]
    yield from (arrows[name] for name in ("from", "to", "bytes"))


def _steps(values: NDArray[np.int64], first: int = 0) -> NDArray[np.int64]:
    steps: NDArray[np.int64] = np.diff(values, prepend=np.int64(first))
    return steps


def _zigzag(values: NDArray[np.int64]) -> NDArray[np.int64]:
    folded: NDArray[np.int64] = values << 1 ^ values >> 63
    return folded


def _site(site: str) -> str:
    """The call site; if it is a module and offset, without the module's directory."""
    module, at, offset = site.rpartition("+0x")
    return f"{PurePath(module).name}+0x{offset}" if at else site
