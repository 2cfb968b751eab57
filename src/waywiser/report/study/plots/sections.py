"""The application's own sections: their time, and its changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from waywiser.model.configuration_findings import ConfigurationFindings, SectionTime
from waywiser.model.findings import Findings
from waywiser.model.judged import Comparison, SectionChange
from waywiser.report.drawing.channels import above, names_of_rows, small_title
from waywiser.report.drawing.plot import BLUE, GREY, INK, VERMILION, Drawn, inline, table, tips
from waywiser.report.study.numbers import listed
from waywiser.report.study.plots.comparison import of_headlines
from waywiser.report.study.plots.marks import Drawing
from waywiser.report.study.plots.stacks import OTHER, bars, coloured, cut_to, largest
from waywiser.units import counted, percent_text, seconds_text

LARGE_SHARE = 0.5
LEAST_SHARE = 0.05
"""Smallest share of a configuration's time for which a section matters."""

UNBALANCED = 1.02
"""Factor of the mean that the slowest rank must exceed to count as an imbalance."""

MOST_ROWS = 36
MOST_PARTS = 7
MOST_CHANGES = 6
MOST_SECTIONS = 10

NO_CHANGE = "not significantly different"
CHANGES = {"slower": VERMILION, "faster": BLUE, NO_CHANGE: GREY}


def _timed(findings: Findings) -> list[ConfigurationFindings]:
    """Configurations with a section that took time."""
    return [
        configuration
        for configuration in findings.configurations
        if any(section.seconds > 0 for section in configuration.sections)
    ]


Parts = dict[str, float]
"""Sections that add up to the application's time [s]."""


def parts_of(configurations: Sequence[ConfigurationFindings]) -> list[Parts]:
    """The outermost sections of each configuration. A section with more than half of their time in
    some configuration is replaced by the sections inside it."""
    opened: set[str] = set()
    while True:
        all_parts = [_parts(configuration, opened) for configuration in configurations]
        large = {
            name
            for configuration, parts in zip(configurations, all_parts, strict=True)
            for name, seconds in parts.items()
            if seconds > LARGE_SHARE * sum(parts.values()) and _inside(configuration, name)
        }
        if not large:
            return all_parts
        opened |= large


def _parts(configuration: ConfigurationFindings, opened: set[str]) -> Parts:
    # Sections below a heading, such as Quantum ESPRESSO's "General routines", are in the tree too.
    tops = [section for section in configuration.sections if section.parent is None] or [
        section
        for section in configuration.sections
        if not _is_section(configuration, section.parent)
    ]
    parts: Parts = {}
    while tops:
        section = tops.pop(0)
        inside = _inside(configuration, section.name) if section.name in opened else []
        rest = section.seconds - sum(part.seconds for part in inside)
        if inside:
            parts[f"{section.name}, rest"] = max(0.0, rest)
            tops = [*inside, *tops]
        else:
            parts[section.name] = section.seconds
    return {name: seconds for name, seconds in parts.items() if seconds > 0}


def _inside(configuration: ConfigurationFindings, name: str) -> list[SectionTime]:
    return [section for section in configuration.sections if section.parent == name]


def _is_section(configuration: ConfigurationFindings, name: str | None) -> bool:
    return any(section.name == name for section in configuration.sections)


def sections(findings: Findings) -> Drawn | None:
    """A bar for each configuration, its sections stacked; applications have panels of their own.
    The caption has the longest section and the most unbalanced one."""
    configurations = _timed(findings)
    if not configurations:
        return None
    parts = parts_of(configurations)
    name, seconds = max(parts[-1].items(), key=lambda item: item[1])
    share = seconds / sum(parts[-1].values())
    caption = (
        "Time in the application's own sections, medians over runs of the mean over ranks. At "
        f"{configurations[-1].label}, {name} takes longest: {seconds_text(seconds)}, "
        f"{percent_text(share)} of the time in sections."
    )
    worst = _most_unbalanced(configurations)
    if worst:
        configuration, section, factor = worst
        caption += (
            f" Of sections with {100 * LEAST_SHARE:g} % of the time or more, {section.name} at "
            f"{configuration.label} is the most unbalanced: its slowest rank takes {factor:.2f} "
            "times the mean."
        )
    if len(configurations) > MOST_ROWS:
        caption += (
            f" The first {MOST_ROWS} of {len(configurations)} configurations are drawn; the table "
            "has all."
        )
    rows = (
        (
            configuration.label,
            f"{section.parent} / {section.name}" if section.parent else section.name,
            *(
                "–" if seconds is None else seconds_text(seconds)
                for seconds in (section.seconds, section.minimum, section.maximum)
            ),
        )
        for configuration in findings.configurations
        for section in configuration.sections
    )
    columns = ("Configuration", "Section", "Mean over ranks", "Fastest rank", "Slowest rank")
    return Drawn(
        "sections",
        "Sections of the application",
        caption,
        lambda: _chart(configurations[:MOST_ROWS], parts),
        table("Sections of each configuration, medians over runs", columns, rows),
    )


def _chart(configurations: list[ConfigurationFindings], parts: list[Parts]) -> Drawing:
    by_application: dict[str, list[tuple[str, Parts]]] = {}
    for configuration, own in zip(configurations, parts, strict=False):
        by_application.setdefault(str(configuration.values.get("application", "")), []).append(
            (configuration.label, own)
        )
    charts = [_bars(stacks) for stacks in by_application.values()]
    if len(charts) == 1:
        return charts[0]
    return alt.vconcat(*charts, spacing=20).resolve_scale(color="independent")


def _bars(uncut: Sequence[tuple[str, Parts]]) -> Drawing:
    names = largest([stack for _, stack in uncut], MOST_PARTS)
    rest = _rest_name(names)
    stacks = [(label, cut_to(stack, names, rest)) for label, stack in uncut]
    if all(stack[rest] == 0 for _, stack in stacks):
        stacks = [(n, {k: v for k, v in stack.items() if k != rest}) for n, stack in stacks]
    return bars(stacks, coloured([*names, rest], {rest: GREY}), "time in the section (s)")


def _rest_name(names: list[str]) -> str:
    """A name for the sum of small sections; LAMMPS itself has a section called Other."""
    return "All others" if OTHER in names else OTHER


def _most_unbalanced(
    configurations: list[ConfigurationFindings],
) -> tuple[ConfigurationFindings, SectionTime, float] | None:
    """The most unbalanced section that takes at least 5 % of a configuration's time; None if all
    are balanced."""
    imbalances = [
        (configuration, section, section.maximum / section.seconds)
        for configuration, parts in zip(configurations, parts_of(configurations), strict=True)
        for section in configuration.sections
        if section.maximum is not None
        and section.seconds >= LEAST_SHARE * sum(parts.values())
        and section.maximum > UNBALANCED * section.seconds
        and configuration.values.get("ranks") != 1
    ]
    return max(imbalances, key=lambda imbalance: imbalance[2], default=None)


def changed(findings: Findings) -> list[Comparison]:
    """Comparisons with sections, the largest change first."""
    comparisons = [
        comparison
        for comparison in of_headlines(findings)
        if comparison.sections and comparison.change is not None
    ]
    return sorted(comparisons, key=lambda comparison: -abs(comparison.change or 0))


def section_changes(findings: Findings) -> Drawn | None:
    """Each section's difference in each comparison; the caption has the sections that took longer,
    with their seconds and verdicts."""
    comparisons = changed(findings)
    if not comparisons:
        return None
    grey = any(s.kind not in CHANGES for comparison in comparisons for s in comparison.sections)
    parts = [
        "Candidate minus base.",
        *change_sentences(findings, 3),
        "Bars are medians of differences within a block"
        + ("; the difference of a grey one may be noise." if grey else "."),
    ]
    if len(comparisons) > MOST_CHANGES:
        parts.append(
            f"The {MOST_CHANGES} of {len(comparisons)} comparisons that changed most are drawn; "
            "the table has all."
        )
    if any(len(comparison.sections) > MOST_SECTIONS for comparison in comparisons):
        parts.append(f"Of each, the {MOST_SECTIONS} sections that changed most are drawn.")
    rows = (
        (
            *(comparison.label, section.name, seconds_text(section.base_seconds)),
            seconds_text(section.candidate_seconds),
            *(seconds_text(section.difference_seconds), section.kind),
        )
        for comparison in of_headlines(findings)
        for section in comparison.sections
    )
    columns = ("Comparison", "Section", "Base", "Candidate", "Difference", "Is")
    return Drawn(
        "section-changes",
        "Changes of sections",
        " ".join(parts),
        lambda: _changes(comparisons),
        table("Sections of the compared configurations", columns, rows),
    )


def _changes(comparisons: list[Comparison]) -> Drawing:
    """A panel for each comparison, with each section's difference, the largest growth on top."""
    charts: list[Drawing] = []
    for comparison in comparisons[:MOST_CHANGES]:
        kept = sorted(comparison.sections, key=lambda s: -abs(s.difference_seconds))[:MOST_SECTIONS]
        rows: list[dict[str, Any]] = [
            {
                "section": section.name,
                "seconds": section.difference_seconds,
                "kind": section.kind if section.kind in CHANGES else NO_CHANGE,
            }
            for section in sorted(kept, key=lambda s: -s.difference_seconds)
        ]
        zero = alt.Chart(inline([{"zero": 0.0}])).mark_rule(color=INK).encode(x=alt.X("zero:Q"))
        panel = (
            alt.Chart(inline(rows))
            .mark_bar(height=12)
            .encode(
                y=names_of_rows("section", labelPadding=6, labelLimit=120),
                x=alt.X("seconds:Q", title="difference (s)").axis(tickCount=4, format=",~f"),
                color=alt.Color("kind:N", legend=above(symbolType="square")).scale(
                    domain=list(CHANGES), range=list(CHANGES.values())
                ),
                tooltip=tips(section="Section", seconds=("Difference (s)", "+.4~g"), kind="Is"),
            )
        )
        title = small_title(comparison.label, limit=300)
        charts.append(
            alt.layer(panel, zero).properties(width=262, height=alt.Step(18), title=title)
        )
    return alt.concat(*charts, columns=2, spacing=24)


def change_sentences(findings: Findings, most: int) -> list[str]:
    """A sentence for each comparison: the significantly slower sections, or the section that took
    longest more without significance."""
    return [
        f"{slower_sentence(comparison) or _longer_sentence(comparison)}."
        for comparison in changed(findings)[:most]
    ]


def slower_sentence(comparison: Comparison) -> str:
    """Text on the significantly slower sections; "" if there are none."""
    slower = [s for s in comparison.sections if s.kind == "slower" and s.difference_seconds > 0]
    parts = [f"{s.name} by {_change_text(s)}" for s in slower[:3]]
    if len(slower) > 3:
        parts.append(counted(len(slower) - 3, "other section"))
    if not parts:
        return ""
    at = f"At {comparison.place}, " if comparison.place else ""
    sections = "section" if len(slower) == 1 else "sections"
    return (
        f"{at}{comparison.candidate_name} is slower than {comparison.base_name} in {sections} "
        f"{listed(parts)}"
    )


def _longer_sentence(comparison: Comparison) -> str:
    """Text on the largest difference above 0 that is not significant."""
    longer = [s for s in comparison.sections if s.difference_seconds > 0 and _agrees(s)]
    if not longer:
        return f"{comparison.label}: no section took longer"
    most = max(longer, key=lambda section: section.difference_seconds)
    why = (
        f"no verdict: {comparison.reason}"
        if most.kind == "refused"
        else "not statistically significant"
    )
    return f"{comparison.label}: {most.name} took {_change_text(most)} longer, {why}"


def _agrees(section: SectionChange) -> bool:
    """True if the medians of both sides differ in the direction of the blocks' differences."""
    return section.candidate_seconds > section.base_seconds


def _change_text(section: SectionChange) -> str:
    text = seconds_text(section.difference_seconds)
    if not _agrees(section):
        return f"{text} (median of the differences within a block)"
    ends = (section.base_seconds, section.candidate_seconds)
    return f"{text} (from {' to '.join(map(seconds_text, ends))})"
