"""MPI calls: their number, functions, mean time and message sizes."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import Any

import altair as alt

from waywiser.model.configuration_findings import ConfigurationFindings, ConfigurationProfile
from waywiser.model.findings import Findings
from waywiser.report.drawing.channels import above, small_title
from waywiser.report.drawing.plot import GREY, Drawn, inline, tips
from waywiser.report.study.plots.marks import COLOURS, Drawing, log_ticks, panels
from waywiser.report.study.plots.profile import MOST_PIES, profiled
from waywiser.report.study.plots.stacks import OTHER, coloured, cut_to, largest, pies
from waywiser.units import count_text, counted, percent_text, seconds_text, size_text

MOST_FUNCTIONS = 6
MOST_CONFIGURATIONS = 12
MOST_PANELS = 4


def _calling(findings: Findings) -> list[tuple[ConfigurationFindings, ConfigurationProfile]]:
    """Configurations whose ranks call MPI beyond MPI_Init and MPI_Finalize."""
    return [pair for pair in profiled(findings) if _calls(pair[1])]


def _shown(
    findings: Findings, most: int
) -> list[tuple[ConfigurationFindings, ConfigurationProfile]]:
    """The configurations whose calls are shown: at most `most`, those with the most ranks."""
    calling = _calling(findings)
    kept = sorted(range(len(calling)), key=lambda i: (-calling[i][1].ranks, i))[:most]
    return [calling[i] for i in sorted(kept)]


def _calls(profile: ConfigurationProfile) -> dict[str, float]:
    return {name: float(f.calls) for name, f in profile.functions.items() if f.calls}


def calls_pies(findings: Findings) -> Drawn | None:
    """A pie for each configuration; the caption has the most called function of the last."""
    if not _calling(findings):
        return None
    configuration, profile = _calling(findings)[-1]
    calls = _calls(profile)
    name = max(calls, key=lambda function: calls[function])
    caption = (
        f"At {configuration.label}, {percent_text(calls[name] / sum(calls.values()))} of "
        f"{count_text(round(sum(calls.values())))} calls are {name}." + _drawn(findings, MOST_PIES)
    )
    return Drawn("calls-pies", "MPI calls by function", caption, lambda: _pies(findings))


def _pies(findings: Findings) -> Drawing:
    uncut = [(p.label, _calls(profile)) for p, profile in _shown(findings, MOST_PIES)]
    names = largest([stack for _, stack in uncut], MOST_FUNCTIONS)
    stacks = [(label, cut_to(stack, names)) for label, stack in uncut]
    return pies(stacks, coloured([*names, OTHER], {OTHER: GREY}))


def calls(findings: Findings) -> Drawn | None:
    """Grouped bars of calls over configurations, on a logarithmic axis; the caption compares the
    first and the last configuration."""
    calling = _calling(findings)
    if not calling:
        return None
    parts = [
        f"{count_text(round(sum(_calls(profile).values())))} at {configuration.label}"
        for configuration, profile in calling
    ]
    ends = " and ".join(dict.fromkeys((parts[0], parts[-1])))
    caption = (
        f"MPI calls, summed over ranks, on a logarithmic axis: {ends}."
        + _most_called(findings)
        + _drawn(findings)
    )
    return Drawn("calls", "Number of MPI calls", caption, lambda: _bars(_rows(findings)))


def _bars(rows: list[dict[str, Any]]) -> Drawing:
    low = min(row["calls"] for row in rows) / 1.6
    return (
        alt.Chart(inline([row | {"low": low} for row in rows]))
        .mark_bar()
        .encode(
            x=_configurations_axis(),
            xOffset=alt.XOffset("function:N", sort=None),
            y=_log_axis("calls:Q", "calls, all ranks", [row["calls"] for row in rows]),
            y2=alt.Y2("low:Q"),
            color=_colour(),
            tooltip=tips(configuration="Configuration", function="Function", calls=("Calls", ",")),
        )
        .properties(width=670, height=230)
    )


def time_per_call(findings: Findings) -> Drawn | None:
    """A dot for the mean time of a call, on a logarithmic axis; the caption has the drawn function
    whose calls take longest."""
    rows = [row for row in _rows(findings) if row["seconds"] > 0] if _calling(findings) else []
    if not rows:
        return None
    row = max(rows, key=lambda dot: dot["seconds"])
    caption = (
        "Mean time of a call, which includes waiting for other ranks, on a logarithmic axis. The "
        f"longest are those of {row['function']} at {row['configuration']}: "
        f"{seconds_text(row['seconds'])} each." + _most_called(findings) + _drawn(findings)
    )
    return Drawn("time-per-call", "Time per MPI call", caption, lambda: _dots(rows))


def _dots(rows: list[dict[str, Any]]) -> Drawing:
    return (
        alt.Chart(inline(rows))
        .mark_point(filled=True, size=60, opacity=1)
        .encode(
            x=_configurations_axis(),
            y=_log_axis("seconds:Q", "time per call (s)", [row["seconds"] for row in rows]),
            color=_colour(),
            shape=alt.Shape("function:N", sort=None),
            tooltip=tips(
                configuration="Configuration",
                function="Function",
                seconds=("Time per call (s)", ".3~s"),
            ),
        )
        .properties(width=670, height=230)
    )


def sizes(findings: Findings) -> Drawn | None:
    """Calls by message size, stacked by function, at the configurations with the most ranks."""
    profiles = [pair for pair in profiled(findings) if any(pair[1].sizes.values())]
    if not profiles:
        return None
    most = max(profile.ranks for _, profile in profiles)
    profiles = [pair for pair in profiles if pair[1].ranks == most]
    configuration, profile = profiles[0]
    calls: Counter[int] = Counter()
    for by_bound in profile.sizes.values():
        calls.update(dict(by_bound))
    bounds = sorted(calls)
    running = list(accumulate(calls[bound] for bound in bounds))
    half = next(
        bound for bound, so_far in zip(bounds, running, strict=True) if so_far >= running[-1] / 2
    )
    caption = (
        f"Calls by message size at {counted(profile.ranks, 'rank')}, in bins that double. At "
        f"{configuration.label}, half of the calls or more carry up to {size_text(half)}."
    )
    names = {name for _, drawn in profiles[:MOST_PANELS] for name in drawn.sizes}
    if len(names) > MOST_FUNCTIONS:
        caption += f" The {MOST_FUNCTIONS} most called of {len(names)} functions are drawn."
    if len(profiles) > MOST_PANELS:
        caption += f" The first {MOST_PANELS} of {len(profiles)} configurations are drawn."
    return Drawn("sizes", "Message sizes", caption, lambda: _sizes(profiles[:MOST_PANELS]))


def _sizes(profiles: list[tuple[ConfigurationFindings, ConfigurationProfile]]) -> Drawing:
    names = largest(
        [{n: float(sum(c for _, c in s)) for n, s in p.sizes.items()} for _, p in profiles],
        MOST_FUNCTIONS,
    )
    bounds = sorted({bound for _, p in profiles for n in names for bound, _ in p.sizes.get(n, ())})
    charts: list[Drawing] = []
    for configuration, profile in profiles:
        rows = [
            {"size": size_text(bound), "calls": dict(profile.sizes[name]).get(bound, 0),
             "function": name}
            for bound in bounds
            for name in names
            if name in profile.sizes
        ]  # fmt: skip
        axis = alt.Axis(labelAngle=-45, labelOverlap=True, grid=False)
        charts.append(
            alt.Chart(inline(rows), title=small_title(configuration.label))
            .mark_bar()
            .encode(
                x=alt.X("size:N", sort=None, title="message size, up to", axis=axis),
                y=alt.Y("calls:Q", title="calls, all ranks").axis(format="~s"),
                color=_colour(),
                tooltip=tips(size="Up to", function="Function", calls=("Calls", ",")),
            )
            .properties(width=670 if len(profiles) == 1 else 300, height=180)
        )
    return panels(charts, spacing=24)


def _rows(findings: Findings) -> list[dict[str, Any]]:
    shown = _shown(findings, MOST_CONFIGURATIONS)
    names = largest([_calls(profile) for _, profile in shown], MOST_FUNCTIONS)
    return [
        {
            "configuration": configuration.label,
            "function": name,
            "calls": function.calls,
            "seconds": function.seconds / function.calls,
        }
        for configuration, profile in shown
        for name in names
        if (function := profile.functions.get(name)) and function.calls
    ]


def _colour() -> alt.Color:
    return alt.Color("function:N", sort=None, legend=above(columns=6)).scale(range=list(COLOURS))


def _configurations_axis() -> alt.X:
    axis = alt.Axis(labelAngle=-35, labelLimit=170, grid=False, ticks=False)
    return alt.X("configuration:N", sort=None, title=None, axis=axis)


def _log_axis(field: str, title: str, values: list[float]) -> alt.Y:
    low, high = min(values) / 1.6, max(values) * 1.6
    return (
        alt.Y(field, title=title)
        .scale(type="log", domain=[low, high], nice=False)
        .axis(values=log_ticks(low, high), format="~s")
    )


def _most_called(findings: Findings) -> str:
    """Sentence on the drawn functions; "" if all are drawn."""
    names = {
        name for _, profile in _shown(findings, MOST_CONFIGURATIONS) for name in _calls(profile)
    }
    if len(names) <= MOST_FUNCTIONS:
        return ""
    return f" The {MOST_FUNCTIONS} most called of {len(names)} functions are drawn."


def _drawn(findings: Findings, most: int = MOST_CONFIGURATIONS) -> str:
    count = len(_calling(findings))
    if count <= most:
        return ""
    return f" The {most} of {count} configurations with the most ranks are drawn."
