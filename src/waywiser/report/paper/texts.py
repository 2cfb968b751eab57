"""The paper's running text beside the abstract: method, footnotes, how to do it again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from waywiser.model.findings import Findings
from waywiser.model.point_findings import ExcludedRun
from waywiser.report.figure import Cell, Table
from waywiser.report.paper.figure import estimate_text, listed
from waywiser.report.paper.plots.scaling import on, series
from waywiser.units import counted

MOST_LISTED = 60


def method(findings: Findings) -> list[str]:
    """How the study was made, in paragraphs."""
    m = findings.method
    warm_up = (
        " A first block warmed the machine up; its runs are kept and not counted."
        if (m.warm_up)
        else ""
    )
    return [
        f"The study has {counted(len(findings.points), 'point')}. They ran in "
        f"{counted(m.blocks, 'block')}: each block has every point once, in a random order (seed "
        f"{m.seed}), so that what is compared is interleaved and a drift of the machine meets all "
        f"points alike.{warm_up}",
        "Of each point the median is given, with the exact order-statistic interval at 95 % or the "
        "next confidence above (at least 6 runs), and the relative standard deviation (RSD) beside "
        "a robust one (1.4826 median absolute deviation over median). Outliers (modified z score "
        "above 3.5) are flagged and counted.",
        "Comparisons are of runs in the same block, on the logarithm of performance; their "
        "intervals hold together over all comparisons of a figure of merit (Holm). The verdict is "
        '"faster" or "slower" where the interval excludes 0, "no difference larger than '
        f'{100 * m.margin:g} %" where it lies within that margin, else "undecided". Performance is '
        "1 / time where less is better.",
        f"The validity gate: {m.gate}.",
    ]


def _within(title: str) -> str:
    """A title within a sentence: "scaling", "MPI time by function"."""
    return title if title[:2].isupper() else title[0].lower() + title[1:]


def results(findings: Findings, titles: Sequence[str]) -> str:
    """What stands before the figures; "" where there are none."""
    if not titles:
        return ""
    return (
        f"{counted(len(titles), 'figure')} of {counted(findings.counted, 'run')} that count: "
        f"{listed([_within(title) for title in titles])}. Appendix A has the numbers "
        "behind them."
    )


def footnotes(findings: Findings) -> list[str]:
    """What a reader must know of the numbers."""
    notes = [findings.method.timing]
    notes += [
        f"Base case of {series(s)}: {on(s, s.base.count)}, {estimate_text(s.base.figure, s.unit)}; "
        f"{s.kind} scaling, {s.said}."
        + (f" {s.warning[0].upper()}{s.warning[1:]}." if s.warning else "")
        for s in findings.scaling[:8]
    ]
    excluded = []
    if findings.failed:
        excluded.append(
            f"{counted(len(findings.failed), 'run')} failed and "
            f"{'is' if len(findings.failed) == 1 else 'are'} listed with the reason; none enters "
            "any number"
        )
    if findings.contended:
        excluded.append(
            f"{counted(len(findings.contended), 'run')} on a contended machine "
            f"{'counts' if len(findings.contended) == 1 else 'count'} in medians and "
            f"{'is' if len(findings.contended) == 1 else 'are'} listed"
        )
    notes.append(
        f"Excluded runs: {'; '.join(excluded)}."
        if excluded
        else "No run was excluded but warm-ups."
    )
    times = sorted({point.job_time for point in findings.points if point.job_time})
    if times and any(point.jobs_per_day for point in findings.points):
        notes.append(
            f"Jobs a day are 86,400 s over the median {' or '.join(times)}, where that is a minute "
            "at least: times are aggregated, and only then made rates."
        )
    return notes


def excluded_table(caption: str, runs: tuple[ExcludedRun, ...]) -> Table | None:
    """Runs with the reasons against them; None if there are none."""
    if not runs:
        return None
    rows: list[tuple[Cell, ...]] = [
        (one.run, "yes" if one.warm_up else "", "; ".join(one.reasons), "\n".join(one.stderr))
        for one in runs
    ]
    columns: tuple[str, ...] = ("Run", "Warm-up", "Why", "Last lines of standard error")
    if not any(one.stderr for one in runs):
        columns, rows = columns[:-1], [tuple(row[:-1]) for row in rows]
    rest = ""
    if len(rows) > MOST_LISTED:
        rest = (
            f"The first {MOST_LISTED} of {len(rows):,} runs. All of them: "
            "waywiser study report DIR --json"
        )
    return Table(caption, columns, tuple(rows[:MOST_LISTED]), rest)


@dataclass(frozen=True)
class Reproduction:
    """How the study can be made again."""

    steps: tuple[str, ...]
    study_file: str
    commands: Table
    scripts: tuple[tuple[str, str], ...]
    """(name, text)."""


def reproduction(
    findings: Findings, study_file: str, scripts: tuple[tuple[str, str], ...]
) -> Reproduction:
    """The appendix: the study file, what each point ran, the scripts."""
    rows: list[tuple[Cell, ...]] = [
        (point, shlex.join(command)) for point, command in findings.commands.items()
    ]
    rest = ""
    if len(rows) > MOST_LISTED:
        rest = (
            f"The first {MOST_LISTED} of {len(rows):,} points; each run's run.json has its command."
        )
    return Reproduction(
        (
            "waywiser study check study.toml",
            "waywiser study run study.toml -o STUDY",
            "waywiser study report STUDY --pdf paper.pdf",
        ),
        study_file,
        Table("Command line of each point", ("Point", "Command"), tuple(rows[:MOST_LISTED]), rest),
        scripts,
    )
