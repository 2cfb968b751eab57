"""MPI calls: how many, of which functions, how long each, and of which sizes."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import altair as alt

from waywiser.model.findings import Findings
from waywiser.model.point_findings import PointFindings, PointProfile
from waywiser.report.figure import GREY, inline, tips
from waywiser.report.paper.plots.marks import COLOURS, Drawing, log_ticks
from waywiser.report.paper.plots.profile import MOST_PIES, profiled
from waywiser.report.paper.plots.stacks import OTHER, coloured, cut_to, largest, pies
from waywiser.units import count_text, counted, percent_text, seconds_text, size_text

MOST_FUNCTIONS = 6
MOST_POINTS = 12
MOST_PANELS = 4


def supported(findings: Findings) -> bool:
    return bool(_calling(findings))


def _calling(findings: Findings) -> list[tuple[PointFindings, PointProfile]]:
    """Points whose ranks call MPI beyond MPI_Init and MPI_Finalize."""
    return [one for one in profiled(findings) if _calls(one[1])]


def _shown(findings: Findings, most: int) -> list[tuple[PointFindings, PointProfile]]:
    """The points whose calls are shown: those with the most ranks, where there are too many."""
    found = _calling(findings)
    kept = sorted(range(len(found)), key=lambda i: (-found[i][1].ranks, i))[:most]
    return [found[i] for i in sorted(kept)]


def _calls(profile: PointProfile) -> dict[str, float]:
    return {name: float(f.calls) for name, f in profile.functions.items() if f.calls}


def pies_chart(findings: Findings) -> Drawing:
    found = [(p.label, _calls(profile)) for p, profile in _shown(findings, MOST_PIES)]
    names = largest([stack for _, stack in found], MOST_FUNCTIONS)
    stacks = [(label, cut_to(stack, names)) for label, stack in found]
    return pies(stacks, coloured([*names, OTHER], {OTHER: GREY}))


def pies_caption(findings: Findings) -> str:
    """The most called function at the last point."""
    point, profile = _calling(findings)[-1]
    calls = _calls(profile)
    name = max(calls, key=lambda one: calls[one])
    return (
        f"MPI calls by function. At {point.label}, "
        f"{percent_text(calls[name] / sum(calls.values()))} of "
        f"{count_text(round(sum(calls.values())))} calls are {name}." + _drawn(findings, MOST_PIES)
    )


def _rows(findings: Findings) -> list[dict[str, Any]]:
    found = _shown(findings, MOST_POINTS)
    names = largest([_calls(profile) for _, profile in found], MOST_FUNCTIONS)
    return [
        {
            "point": point.label,
            "function": name,
            "calls": function.calls,
            "seconds": function.seconds / function.calls,
        }
        for point, profile in found
        for name in names
        if (function := profile.functions.get(name)) and function.calls
    ]


def _colour() -> alt.Color:
    return alt.Color(
        "function:N",
        sort=None,
        scale=alt.Scale(range=list(COLOURS)),
        legend=alt.Legend(title=None, orient="top", columns=6),
    )


def _points_axis() -> alt.X:
    return alt.X(
        "point:N",
        sort=None,
        title=None,
        axis=alt.Axis(labelAngle=-35, labelLimit=170, grid=False, ticks=False),
    )


def _log_axis(field: str, title: str, values: list[float]) -> alt.Y:
    low, high = min(values) / 1.6, max(values) * 1.6
    return alt.Y(
        field,
        title=title,
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(values=log_ticks(low, high), format="~s"),
    )


def bars_chart(findings: Findings) -> Drawing:
    """Grouped bars of calls over points, on a logarithmic axis."""
    rows = _rows(findings)
    y = _log_axis("calls:Q", "calls, all ranks", [row["calls"] for row in rows])
    low = min(row["calls"] for row in rows) / 1.6
    return (
        alt.Chart(inline([row | {"low": low} for row in rows]))
        .mark_bar()
        .encode(
            x=_points_axis(),
            xOffset=alt.XOffset("function:N", sort=None),
            y=y,
            y2=alt.Y2("low:Q"),
            color=_colour(),
            tooltip=tips(point="Configuration", function="Function", calls=("Calls", ",")),
        )
        .properties(width=670, height=230)
    )


def bars_caption(findings: Findings) -> str:
    """Caption that compares the first and the last point."""
    said = [
        f"{count_text(round(sum(_calls(profile).values())))} at {point.label}"
        for point, profile in _calling(findings)
    ]
    ends = " and ".join(dict.fromkeys((said[0], said[-1])))
    return (
        f"MPI calls, summed over ranks, on a logarithmic axis: {ends}."
        + _most_called(findings)
        + _drawn(findings)
    )


def _most_called(findings: Findings) -> str:
    """Sentence on the functions that are drawn; "" if all are."""
    names = {name for _, profile in _shown(findings, MOST_POINTS) for name in _calls(profile)}
    if len(names) <= MOST_FUNCTIONS:
        return ""
    return f" The {MOST_FUNCTIONS} most called of {len(names)} functions are drawn."


def _drawn(findings: Findings, most: int = MOST_POINTS) -> str:
    found = len(_calling(findings))
    if found <= most:
        return ""
    return f" The {most} of {found} configurations with the most ranks are drawn."


def time_chart(findings: Findings) -> Drawing:
    """A dot for the mean time of a call, on a logarithmic axis."""
    rows = [row for row in _rows(findings) if row["seconds"] > 0]
    return (
        alt.Chart(inline(rows))
        .mark_point(filled=True, size=60, opacity=1)
        .encode(
            x=_points_axis(),
            y=_log_axis("seconds:Q", "time per call (s)", [row["seconds"] for row in rows]),
            color=_colour(),
            shape=alt.Shape("function:N", sort=None),
            tooltip=tips(
                point="Configuration", function="Function", seconds=("Time per call (s)", ".3~s")
            ),
        )
        .properties(width=670, height=230)
    )


def time_supported(findings: Findings) -> bool:
    return supported(findings) and any(row["seconds"] > 0 for row in _rows(findings))


def time_caption(findings: Findings) -> str:
    """The function whose calls take longest, of those that are drawn."""
    row = max(_rows(findings), key=lambda one: one["seconds"])
    return (
        "Mean time of a call, which includes waiting for other ranks, on a logarithmic axis. The "
        f"longest are those of {row['function']} at {row['point']}: "
        f"{seconds_text(row['seconds'])} each." + _most_called(findings) + _drawn(findings)
    )


def _sized(findings: Findings) -> list[tuple[PointFindings, PointProfile]]:
    """The points with message sizes that have the most ranks."""
    found = [one for one in profiled(findings) if any(one[1].sizes.values())]
    most = max((profile.ranks for _, profile in found), default=0)
    return [one for one in found if one[1].ranks == most]


def sizes_supported(findings: Findings) -> bool:
    return bool(_sized(findings))


def sizes_chart(findings: Findings) -> Drawing:
    """Calls by message size, stacked by function."""
    found = _sized(findings)[:MOST_PANELS]
    names = largest(
        [{n: float(sum(c for _, c in s)) for n, s in p.sizes.items()} for _, p in found],
        MOST_FUNCTIONS,
    )
    bounds = sorted({bound for _, p in found for n in names for bound, _ in p.sizes.get(n, ())})
    charts: list[Drawing] = []
    for point, profile in found:
        rows = [
            {"size": size_text(bound), "calls": dict(profile.sizes[name]).get(bound, 0),
             "function": name}
            for bound in bounds
            for name in names
            if name in profile.sizes
        ]  # fmt: skip
        charts.append(
            alt.Chart(
                inline(rows),
                title=alt.Title(point.label, fontSize=12, fontWeight="normal"),
            )
            .mark_bar()
            .encode(
                x=alt.X(
                    "size:N",
                    sort=None,
                    title="message size, up to",
                    axis=alt.Axis(labelAngle=-45, labelOverlap=True, grid=False),
                ),
                y=alt.Y("calls:Q", title="calls, all ranks", axis=alt.Axis(format="~s")),
                color=_colour(),
                tooltip=tips(size="Up to", function="Function", calls=("Calls", ",")),
            )
            .properties(width=670 if len(found) == 1 else 300, height=180)
        )
    return charts[0] if len(charts) == 1 else alt.concat(*charts, columns=2, spacing=24)


def sizes_caption(findings: Findings) -> str:
    """Caption on the sizes of the calls."""
    point, profile = _sized(findings)[0]
    calls: dict[int, int] = {}
    for sizes in profile.sizes.values():
        for bound, count in sizes:
            calls[bound] = calls.get(bound, 0) + count
    bounds = sorted(calls)
    running = list(accumulate(calls[bound] for bound in bounds))
    half = next(
        bound for bound, so_far in zip(bounds, running, strict=True) if so_far >= running[-1] / 2
    )
    said = (
        f"Calls by message size at {counted(profile.ranks, 'rank')}, in bins that double. At "
        f"{point.label}, half of the calls or more carry up to {size_text(half)}."
    )
    names = {name for _, one in _sized(findings)[:MOST_PANELS] for name in one.sizes}
    if len(names) > MOST_FUNCTIONS:
        said += f" The {MOST_FUNCTIONS} most called of {len(names)} functions are drawn."
    if len(_sized(findings)) > MOST_PANELS:
        said += f" The first {MOST_PANELS} of {len(_sized(findings))} configurations are drawn."
    return said
