"""Draws a channel's statistics in wall units, as one SVG, and prints values to compare with others.

ww-tbl --case=channel … --average-from=150 --statistics=channel.jsonl
python tools/channel.py channel.jsonl docs/tbl-channel.svg
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import altair as alt

from waywiser.report.drawing.image_formats import FORMATS
from waywiser.report.drawing.plot import BLUE, GREEN, INK, PURPLE, VERMILION, described, inline

PUBLISHED_PEAK = {"y": 15.0, "value": 2.65}
"""Peak of the streamwise fluctuation at a shear Reynolds number of 180, in wall units: R. Moser,
J. Kim and N. Mansour, Phys. Fluids 11 (1999)."""

PROFILE, LAW = "mean velocity", "y+ and 2.5 ln y+ + 5.5"
FLUCTUATIONS = {"uu": "along the flow", "vv": "from the wall", "ww": "across"}

Row = dict[str, Any]


def folded(values: list[float], sign: int = 1) -> list[float]:
    """Means of both halves of a channel, from the wall to the centre; `sign` is -1 if the values of
    the upper half have the opposite sign."""
    half = (len(values) + 1) // 2
    return [(a + sign * b) / 2 for a, b in zip(values, reversed(values), strict=True)][:half]


def at_faces(values: list[float]) -> list[float]:
    """The values without the face on the upper wall, which has no partner on the lower wall."""
    return values[:-1]


class Channel:
    """Averages of both halves in wall units."""

    def __init__(self, averages: Row, reynolds: float) -> None:
        self.shear_velocity = averages["friction_velocity"]
        self.shear_reynolds = self.shear_velocity * reynolds
        square = self.shear_velocity**2
        self.friction = 2 * square / averages["bulk_velocity"] ** 2
        half = (len(averages["u"]) + 1) // 2
        self.y = [y * self.shear_reynolds for y in averages["y_centre"][:half]]
        self.u = [u / self.shear_velocity for u in folded(averages["u"])]
        faces = at_faces(averages["y_face"])
        self.y_face = [y * self.shear_reynolds for y in faces[: (len(faces) + 1) // 2]]
        self.rms = {
            name: [math.sqrt(stress / square) for stress in folded(values)]
            for name, values in (
                ("uu", averages["uu"]),
                ("vv", at_faces(averages["vv"])),
                ("ww", averages["ww"]),
            )
        }
        self.uv = [-uv / square for uv in folded(at_faces(averages["uv"]), -1)]

    def heights(self, name: str) -> list[float]:
        return self.y_face if name == "vv" else self.y

    def peak(self) -> tuple[float, float]:
        """Height and value of the largest fluctuation along the flow."""
        return max(zip(self.y, self.rms["uu"], strict=True), key=lambda point: point[1])


def law(y: float) -> float:
    """Law of the wall: the viscous layer up to its intersection with the log law, near y+ 11."""
    return y if y < 11 else 2.5 * math.log(y) + 5.5


def rows(heights: list[float], values: list[float], series: str) -> list[Row]:
    return [{"y": y, "value": v, "what": series} for y, v in zip(heights, values, strict=True)]


def lines(data: list[Row], colours: dict[str, str], value: str, *, log: bool) -> alt.Chart:
    scale = alt.Scale(type="log", domain=[0.5, 200]) if log else alt.Scale(domain=[0, 180])
    drawn: alt.Chart = (
        alt.Chart(inline(data), width=330, height=260)
        .mark_line(clip=True)
        .encode(
            x=alt.X("y:Q", title="distance from the wall y+", scale=scale),
            y=alt.Y("value:Q", title=value),
            color=alt.Color(
                "what:N",
                title=None,
                scale=alt.Scale(domain=list(colours), range=list(colours.values())),
                legend=alt.Legend(orient="top", columns=2, labelLimit=250),
            ),
        )
    )
    return drawn


def chart(channel: Channel) -> alt.TopLevelMixin:
    mean = rows(channel.y, channel.u, PROFILE) + rows(channel.y, list(map(law, channel.y)), LAW)
    left = lines(mean, {PROFILE: BLUE, LAW: INK}, "mean velocity U+", log=True)
    stresses = [
        row
        for name, series in FLUCTUATIONS.items()
        for row in rows(channel.heights(name), channel.rms[name], series)
    ]
    stresses += rows(channel.y_face, channel.uv, "stress −uv+")
    colours = dict(
        zip([*FLUCTUATIONS.values(), "stress −uv+"], [BLUE, GREEN, PURPLE, VERMILION], strict=True)
    )
    right = lines(stresses, colours, "rms of fluctuations, and stress", log=False)
    published = alt.Chart(inline([PUBLISHED_PEAK])).mark_point(color=INK, size=60)
    marked = right + published.encode(x="y:Q", y="value:Q")
    both: alt.TopLevelMixin = alt.hconcat(left, marked).resolve_scale(color="independent")
    return both


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("averages", type=Path, help="what ww-tbl --statistics wrote")
    parser.add_argument("plot", type=Path, help="the SVG to write")
    parser.add_argument("--re", type=float, default=2800, help="of the run (default: 2800)")
    args = parser.parse_args()
    averages = json.loads(args.averages.read_text(encoding="utf-8").splitlines()[-1])
    channel = Channel(averages, args.re)
    args.plot.write_bytes(FORMATS["svg"](json.dumps(described(chart(channel)))))
    height, value = channel.peak()
    print(
        f"{averages['steps']} steps: shear Reynolds number {channel.shear_reynolds:.1f}, "
        f"C_f {channel.friction:.5f}, U+ {channel.u[-1]:.2f} in the centre, u'+ at most "
        f"{value:.2f} at y+ {height:.1f}, stress off its line by {averages['stress_residual']:.3f}"
    )


if __name__ == "__main__":
    main()
