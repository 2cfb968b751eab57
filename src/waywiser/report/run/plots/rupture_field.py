"""The plot of a rupture that ww-rupture computed: its front on the fault, and the surface."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from waywiser.model.rupture_field import Floats, RuptureField, SurfaceSnapshot
from waywiser.report.drawing.matrix_image import COLOURS, data_uri, encode_png, palette
from waywiser.report.drawing.plot import WIDTH_PX, Drawn, Table, inline
from waywiser.report.drawing.raster import Box, contour, means, triangles
from waywiser.report.run.plots.wave_field import SHADES, shades
from waywiser.units import three_digits

PANEL_PX = 200
COLUMNS = 3
POINTS_A_PIXEL = 3
MOST_COLUMNS = 160
SURFACE_PIXELS = 120
MOST_CONTOURS = 12
NOTHING = 1e-3
"""Share of the greatest value below which a value is rounding and counts as 0."""

KM = 1e-3
OVER_LIGHT, OVER_DARK = "#000000", "#ffffff"
"""Colours of lines over pictures, which do not change on a dark page."""


def drawn_rupture_field(fields: Sequence[RuptureField]) -> Drawn | None:
    """The plot of the first rupture; None if there is none."""
    if not fields:
        return None
    field = fields[0]
    box = fault_box(field)
    step = contour_step_s(field.rupture_time_s)
    caption = _caption(field, step, len(fields))
    chart = partial(_chart, field, box, step)
    return Drawn("rupture", "Rupture", caption, chart, _table(field), topic="rest")


def _chart(field: RuptureField, box: Box, step_s: float) -> alt.VConcatChart:
    parts: list[Any] = [_front(field, box, step_s)]
    if field.snapshots:
        parts.append(_surface(field))
    return alt.vconcat(*parts, spacing=24)


def _caption(field: RuptureField, step_s: float, ruptures: int) -> str:
    sentences = [
        "The fault, x along it and depth downwards: on the left when the rupture arrived, on the "
        "right the final slip. Yellow is low, dark blue high; what has not ruptured, or "
        "slipped, is left empty."
    ]
    if spread_s(field.rupture_time_s) > 0:
        sentences.append(f"Contours of rupture time are {step_s:g} s apart.")
    if field.snapshots:
        sentences.append(
            "Below, the free surface from above: velocity along x, blue below 0, red above, full "
            f"colour {three_digits(_greatest(field))} m/s in all of them; the line is the fault."
        )
    if ruptures > 1:
        sentences.append(f"The first of {ruptures} ruptures.")
    return " ".join(sentences)


def _table(field: RuptureField) -> Table:
    time = field.rupture_time_s
    share = np.isfinite(time).mean()
    rows = (
        ("Points of the fault that ruptured (%)", f"{100 * share:.1f}"),
        ("First and last arrival (s)", f"{np.nanmin(time):.4g}, {np.nanmax(time):.4g}")
        if share
        else ("First and last arrival (s)", "none"),
        ("Greatest slip (m)", f"{field.slip_m.max():.4g}"),
        *(
            (f"Fastest along x on the surface at {snapshot.time_s:.4g} s (m/s)", _fastest(snapshot))
            for snapshot in field.snapshots
        ),
    )
    return Table("Rupture and surface", ("", "Value"), rows)


def _fastest(snapshot: SurfaceSnapshot) -> str:
    return f"{np.abs(snapshot.velocity_mps).max(initial=0):.4g}"


def fault_box(field: RuptureField) -> Box:
    """The box of x and z of the fault's points, with pixels of about the points' distance."""
    x, z = field.points_m[:, 0], field.points_m[:, 2]
    width, height = float(np.ptp(x)) or 1.0, float(np.ptp(z)) or 1.0
    pixel = math.sqrt(POINTS_A_PIXEL * width * height / len(x))
    columns = int(np.clip(width / pixel, 2, MOST_COLUMNS))
    rows = max(2, round(columns * height / width))
    return Box((float(x.min()), float(x.max())), (float(z.min()), float(z.max())), columns, rows)


def spread_s(times_s: Floats) -> float:
    """Time from the first to the last arrival [s]; 0 without arrivals."""
    known = times_s[np.isfinite(times_s)]
    return float(np.ptp(known)) if len(known) else 0.0


def contour_step_s(times_s: Floats) -> float:
    """A round step [s] with which at most MOST_CONTOURS lines are drawn."""
    length = spread_s(times_s)
    if length == 0:
        return 1.0
    least = length / MOST_CONTOURS
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least)


def _front(field: RuptureField, box: Box, step_s: float) -> alt.HConcatChart:
    x, z = field.points_m[:, 0], field.points_m[:, 2]
    times = means(box, x, z, field.rupture_time_s)
    slipped_at = field.slip_m > NOTHING * field.slip_m.max()
    slip = means(box, x, z, np.where(slipped_at, field.slip_m, np.nan))
    known = times[np.isfinite(times)]
    middle = (known.min() + known.max()) / 2 if known.size else 0.0
    lines = [
        {"x": KM * x0, "y": -KM * y0, "x2": KM * x1, "y2": -KM * y1}
        | {"stroke": OVER_DARK if level > middle else OVER_LIGHT}
        for level in _levels(times, step_s)
        for x0, y0, x1, y1 in contour(box, times, level)
    ]
    mark = alt.Chart(inline(lines)).mark_rule(strokeWidth=1)
    front = _panel("Rupture time", box, _sequential(times), depth=True)
    layers = [front]
    if lines:
        colour = alt.Color("stroke:N", scale=None)
        layers.append(
            mark.encode(
                x=alt.X("x:Q"), y=alt.Y("y:Q"), x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q"), color=colour
            )
        )
    width = (WIDTH_PX - 130) / 2
    height = max(60.0, width * (box.y[1] - box.y[0]) / (box.x[1] - box.x[0]))
    size = {"width": width, "height": height}
    slipped = _panel("Final slip", box, _sequential(slip), depth=True)
    return alt.hconcat(
        alt.layer(*layers).properties(
            **size, title=_title("Rupture time", field.rupture_time_s, "s")
        ),
        slipped.properties(**size, title=_title("Final slip", field.slip_m, "m")),
        spacing=16,
    )


def _levels(times: Floats, step_s: float) -> list[float]:
    known = times[np.isfinite(times)]
    if not len(known):
        return []
    last = math.floor(float(known.max()) / step_s)
    return [step_s * i for i in range(math.ceil(float(known.min()) / step_s), last + 1)]


def _title(text: str, values: Floats | None = None, unit: str = "") -> alt.Title:
    """The title with the range of `values`, from the lightest to the darkest colour."""
    known = np.array([]) if values is None else values[np.isfinite(values)]
    if known.size:
        low, high = float(known.min()), float(known.max())
        low = low if low > NOTHING * high else 0.0
        text += f", {three_digits(low)} to {three_digits(high)} {unit}"
    return alt.Title(text, fontWeight="normal")


def _surface(field: RuptureField) -> alt.ConcatChart:
    x = field.points_m[:, 0]
    middle, half = (x.min() + x.max()) / 2, float(np.ptp(x)) or 1.0
    box = Box((middle - half, middle + half), (-half, half), SURFACE_PIXELS, SURFACE_PIXELS)
    greatest = _greatest(field)
    ends = [{"x": KM * x.min(), "x2": KM * x.max(), "y": KM * field.points_m[:, 1].mean()}]
    fault = alt.Chart(inline(ends)).mark_rule(color=OVER_LIGHT, strokeWidth=1)
    panels = []
    for snapshot in field.snapshots:
        numbers = _diverging(triangles(box, snapshot.corners_m, snapshot.velocity_mps), greatest)
        image = _panel("", box, (numbers, shades()), depth=False)
        layers = alt.layer(image, fault.encode(x=alt.X("x:Q"), x2=alt.X2("x2:Q"), y=alt.Y("y:Q")))
        title = _title(f"{three_digits(snapshot.time_s)} s")
        panels.append(layers.properties(width=PANEL_PX, height=PANEL_PX, title=title))
    return alt.concat(*panels, columns=COLUMNS, spacing=16)


def _greatest(field: RuptureField) -> float:
    """The greatest speed in all snapshots, without the largest thousandth of their values."""
    speeds = [np.abs(snapshot.velocity_mps).ravel() for snapshot in field.snapshots]
    return float(np.quantile(np.concatenate(speeds), 0.999)) or 1.0


def _sequential(values: Floats) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Colour numbers, 0 for missing values, and the colours."""
    known = np.isfinite(values)
    numbers = np.zeros(values.shape, np.uint8)
    if known.any():
        low, length = values[known].min(), float(np.ptp(values[known])) or 1.0
        numbers[known] = (1 + (COLOURS - 1) * (values[known] - low) / length).round()
    return numbers, palette()


def _diverging(values: Floats, greatest: float) -> NDArray[np.uint8]:
    known = np.isfinite(values)
    numbers = np.zeros(values.shape, np.uint8)
    share = np.clip(values[known] / greatest, -1, 1)
    numbers[known] = (1 + (SHADES - 1) * (share + 1) / 2).round()
    return numbers


def _panel(
    name: str, box: Box, image: tuple[NDArray[np.uint8], NDArray[np.uint8]], depth: bool
) -> alt.Chart:
    numbers, colours = image
    uri = data_uri(encode_png(numbers[::-1], max(1, 400 // box.columns), colours))
    sign = -KM if depth else KM
    left, right = KM * box.x[0], KM * box.x[1]
    bottom, top = sign * box.y[0], sign * box.y[1]
    whole = {"x": left, "right": right, "y": top, "bottom": bottom, "picture": uri}
    x = alt.X("x:Q", title="x (km)").scale(domain=[left, right], nice=False, zero=False)
    y = alt.Y("y:Q", title="Depth (km)" if depth else "y (km)").scale(
        domain=sorted([bottom, top]), nice=False, zero=False, reverse=depth
    )
    x, y = x.axis(tickCount=5), y.axis(tickCount=5)
    chart: alt.Chart = (
        alt.Chart(inline([whole]), description=name)
        .mark_image(aspect=False)
        .encode(x=x, x2=alt.X2("right:Q"), y=y, y2=alt.Y2("bottom:Q"), url=alt.Url("picture:N"))
    )
    return chart
