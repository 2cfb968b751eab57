"""The plot of waves that ww-propa modelled: snapshots and seismograms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from waywiser.model.wave_field import Snapshot, WaveField
from waywiser.report.drawing.matrix_image import data_uri, encode_png, interpolated
from waywiser.report.drawing.plot import INK, WIDTH_PX, Drawn, inline, table
from waywiser.units import counted, three_digits

PANEL_PX = 200
COLUMNS = 3
MOST_TRACES = 8
MOST_TIMES = 400
SHADES = 127
"""Number of shades; it is odd, so that 0 has the middle shade."""

# Ends and middle of RdBu: M. Harrower, C. A. Brewer, "ColorBrewer.org: an online tool for selecting
# colour schemes for maps", The Cartographic Journal 40(1), 2003, doi:10.1179/000870403235002042.
ANCHORS = ("053061", "2166ac", "92c5de", "f7f7f7", "f4a582", "b2182b", "67001f")


def drawn_wave_field(fields: Sequence[WaveField]) -> Drawn | None:
    """The plot of the first shot; None if there is none."""
    if not fields:
        return None
    field = fields[0]
    rows = (
        (snapshot.time_s, f"{snapshot.values.min():.4g}", f"{snapshot.values.max():.4g}")
        for snapshot in field.snapshots
    )
    return Drawn(
        "waves",
        "Waves",
        _caption(field, len(fields)),
        partial(_chart, field),
        table("Pressure in the snapshots", ("Time (s)", "Least", "Greatest"), rows),
        topic="rest",
    )


def _chart(field: WaveField) -> alt.VConcatChart:
    panels = [_panel(field, snapshot) for snapshot in field.snapshots]
    parts: list[Any] = [alt.concat(*panels, columns=COLUMNS, spacing=16)]
    if len(field.traces):
        parts.append(_traces(field))
    return alt.vconcat(*parts, spacing=24)


def _caption(field: WaveField, shots: int) -> str:
    at = ", ".join(three_digits(x) for x in field.source_m)
    sentences = [
        "Pressure in the plane of axes 1 (downwards) and 2 through the source, which is at "
        f"{at} m (cross). Blue is below 0, red above, full colour the greatest of each snapshot."
    ]
    if len(field.receivers_m):
        sentences.append("Receivers are triangles, seen along axis 3.")
    if len(field.traces):
        shown = min(len(field.traces), MOST_TRACES)
        sentences.append(
            f"Below, what {shown} of {counted(len(field.traces), 'receiver')} recorded, each on "
            "its own scale."
        )
    if shots > 1:
        sentences.append(f"The first of {shots} shots.")
    return " ".join(sentences)


def shades() -> NDArray[np.uint8]:
    """Red, green and blue of each colour number, shape (1 + SHADES, 3); 0 is not used."""
    return interpolated(ANCHORS, SHADES)


def colour_numbers(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Colour numbers 1 to SHADES, linear from minus to plus the greatest magnitude."""
    greatest = float(np.abs(values).max()) or 1.0
    numbers = 1 + (SHADES - 1) * (values / greatest + 1) / 2
    rounded: NDArray[np.uint8] = numbers.round().astype(np.uint8)
    return rounded


def _image(snapshot: Snapshot) -> str:
    return data_uri(encode_png(colour_numbers(snapshot.values), 2, shades()))


def _panel(field: WaveField, snapshot: Snapshot) -> alt.LayerChart | alt.FacetChart:
    x = alt.X("x:Q", title="x2 (m)").scale(domain=[0, field.width_m], nice=False)
    y = alt.Y("y:Q", title="x1 (m)").scale(domain=[0, field.depth_m], nice=False, reverse=True)
    x, y = x.axis(tickCount=4), y.axis(tickCount=4)
    whole = {"x": 0, "right": field.width_m, "y": 0, "bottom": field.depth_m}
    image = (
        alt.Chart(inline([{**whole, "picture": _image(snapshot)}]))
        .mark_image(aspect=False)
        .encode(x=x, x2=alt.X2("right:Q"), y=y, y2=alt.Y2("bottom:Q"), url=alt.Url("picture:N"))
    )
    source = (
        alt.Chart(inline([{"x": field.source_m[1], "y": field.source_m[0]}]))
        .mark_point(shape="cross", filled=True, color=INK, size=40, opacity=1)
        .encode(x=x, y=y)
    )
    layers = [image, source]
    if len(field.receivers_m):
        at = [{"x": x2, "y": x1} for x1, x2, _ in field.receivers_m.tolist()]
        receivers = alt.Chart(inline(at)).mark_point(shape="triangle-down", color=INK, size=18)
        layers.append(receivers.encode(x=x, y=y))
    height = PANEL_PX * field.depth_m / field.width_m
    title = alt.Title(f"{three_digits(1e3 * snapshot.time_s)} ms", fontWeight="normal")
    return alt.layer(*layers).properties(
        width=PANEL_PX, height=min(2 * PANEL_PX, max(60, height)), title=title
    )


def _traces(field: WaveField) -> Any:
    """Plot traces below each other, with time to the right."""
    count = len(field.traces)
    chosen = np.unique(np.linspace(0, count - 1, min(count, MOST_TRACES)).round().astype(int))
    thin = -(-len(field.times_s) // MOST_TIMES)
    rows = []
    for row, receiver in enumerate(chosen.tolist()):
        trace = field.traces[receiver]
        greatest = float(np.abs(trace).max()) or 1.0
        rows += [
            {"t": 1e3 * t, "p": 0.5 * value / greatest - row, "receiver": receiver}
            for t, value in zip(field.times_s[::thin].tolist(), trace[::thin].tolist(), strict=True)
        ]
    label = "{" + ", ".join(f"'{-row}': '{i}'" for row, i in enumerate(chosen.tolist())) + "}"
    axis = alt.Axis(
        values=[-row for row in range(len(chosen))], labelExpr=f"({label})[datum.value]"
    )
    return (
        alt.Chart(inline(rows))
        .mark_line(color=INK, strokeWidth=1)
        .encode(
            x=alt.X("t:Q", title="Time (ms)", scale=alt.Scale(nice=False)),
            y=alt.Y("p:Q", title="Receiver", axis=axis, scale=alt.Scale(nice=False)),
            detail=alt.Detail("receiver:N"),
        )
        .properties(width=WIDTH_PX - 100, height=36 * len(chosen) + 20)
    )
