"""The report's text besides the abstract: method, footnotes, reproduction."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from waywiser.model.configuration_findings import ExcludedRun
from waywiser.model.findings import Findings
from waywiser.report.drawing.plot import Cell, Drawn, Table
from waywiser.report.study.numbers import capital, estimate_text, listed
from waywiser.report.study.plots.curve_panels import series
from waywiser.report.study.plots.scaling import on
from waywiser.report.study.study_plots import MOST_IN_TEXT
from waywiser.units import counted

MOST_LISTED = 60
STEPS = (
    "waywiser study check study.toml",
    "waywiser study run study.toml -o STUDY",
    "waywiser study report STUDY --pdf report.pdf",
)
"""Commands that repeat the study from its file."""


def method(findings: Findings) -> list[str]:
    """The method of the study, in paragraphs."""
    m = findings.method
    warm_up = (
        " A first block warmed the machine up; its runs are kept and not counted."
        if (m.warm_up)
        else ""
    )
    lacking = incomplete(findings)
    in_part = f" Runs of {counted(lacking, 'configuration')} are missing in some blocks."
    judged = (
        "Runs of the same block are compared by the logarithm of their performance; the intervals "
        "hold simultaneously for all comparisons of a metric (Holm). The verdict is "
        '"faster" or "slower" where the interval excludes 0, "no difference larger than '
        f'{100 * m.margin:g} %" where it lies within that margin, else "undecided". Performance is '
        "1 / time where less is better."
    )
    return [
        f"The study has {counted(len(findings.configurations), 'configuration')}. They ran in "
        f"{counted(m.blocks, 'block')}: each block has every configuration once, in a random "
        f"order (seed {m.seed}). So the compared configurations are interleaved, and a drift of "
        f"the machine meets all configurations alike.{in_part if lacking else ''}{warm_up}",
        "The report gives the median of each configuration, with the exact order-statistic "
        "interval at 95 % or the next confidence above (at least 6 runs). It also gives the "
        "relative standard deviation (RSD) and a robust one (1.4826 median absolute deviation over "
        "median). Outliers (modified z score above 3.5) are flagged and counted.",
        *([judged] if findings.comparisons else []),
        "The validity gate: " + m.gate + ".",
    ]


def incomplete(findings: Findings) -> int:
    """The number of configurations that lack a run in a block, since the campaign is not finished
    or they were stopped."""
    failed = Counter(run.configuration for run in findings.failed if not run.warm_up)
    return sum(
        configuration.runs + failed[configuration.name] < findings.method.blocks
        for configuration in findings.configurations
    )


def _within(title: str) -> str:
    """A title within a sentence: "scaling", "MPI time by function"."""
    return title if title[:2].isupper() else title[0].lower() + title[1:]


def results(findings: Findings, plots: Sequence[Drawn]) -> str:
    """The text before the plots; "" without plots."""
    if not plots:
        return ""
    shown, further = plots[:MOST_IN_TEXT], plots[MOST_IN_TEXT:]
    sentences = (
        f"{counted(len(shown), 'plot')} {'shows' if len(shown) == 1 else 'show'} the results of "
        f"{counted(findings.counted, 'valid run')}: "
        f"{listed([_within(plot.title) for plot in shown])}."
    )
    more = [counted(len(further), "further plot")] if further else []
    more += ["tables of their numbers"] if any(plot.table for plot in plots) else []
    return f"{sentences} The appendix has {listed(more)}." if more else sentences


def _score_remarks(findings: Findings) -> list[str]:
    """Remarks on the scores; two scores of an application share theirs."""
    return list(
        dict.fromkeys(
            f"{score.application}: {remark}"
            for score in findings.scores
            for remark in score.remarks
        )
    )


def footnotes(findings: Findings) -> list[str]:
    """Notes on the meaning of the numbers."""
    notes = [findings.method.timing, *_score_remarks(findings)]
    notes += [
        f"Base case of {series(s)}: {on(s, s.base.count)}, {estimate_text(s.base.metric, s.unit)}; "
        f"{s.kind} scaling, {s.said}." + (f" {capital(s.warning)}." if s.warning else "")
        for s in findings.scaling[:8]
    ]
    notes += _excluded(findings)
    times = sorted(
        {
            configuration.job_time
            for configuration in findings.configurations
            if configuration.job_time
        }
    )
    if times and any(configuration.jobs_per_day for configuration in findings.configurations):
        notes.append(
            f"Jobs a day are 86,400 s over the median {' or '.join(times)}, at configurations "
            "whose runs all take a minute or longer: times are aggregated, and only then made "
            "rates."
        )
    return notes


def _excluded(findings: Findings) -> list[str]:
    """Sentences on excluded runs, and on valid runs with a problem."""
    failed, unreliable = len(findings.failed), len(findings.unreliable)
    notes = []
    if failed:
        notes.append(
            f"{counted(failed, 'run')} failed and {'is' if failed == 1 else 'are'} listed with the "
            "reason; failed runs enter no result."
        )
    elif findings.method.warm_up:
        notes.append("Only warm-up runs were excluded.")
    if unreliable:
        notes.append(
            f"{counted(unreliable, 'run')} failed the validity gate; "
            f"medians include {'it' if unreliable == 1 else 'them'}, and a table has the reasons."
        )
    return notes


def excluded_table(caption: str, runs: tuple[ExcludedRun, ...]) -> Table | None:
    """Excluded runs with their reasons; None if there are none."""
    if not runs:
        return None
    rows: list[tuple[Cell, ...]] = [
        (run.run, "yes" if run.warm_up else "", "; ".join(run.reasons), "\n".join(run.stderr))
        for run in runs
    ]
    columns: tuple[str, ...] = ("Run", "Warm-up", "Why", "Last lines of standard error")
    if not any(run.stderr for run in runs):
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
    """The instructions to repeat the study."""

    steps: tuple[str, ...]
    study_file: str
    commands: Table
    scripts: tuple[tuple[str, str], ...]
    """(name, text)."""


def reproduction(
    findings: Findings, study_file: str, scripts: tuple[tuple[str, str], ...]
) -> Reproduction:
    """The appendix: the study file, the command of each configuration, the scripts."""
    rows: list[tuple[Cell, ...]] = [
        (configuration, shlex.join(command)) for configuration, command in findings.commands.items()
    ]
    rest = ""
    if len(rows) > MOST_LISTED:
        rest = (
            f"The first {MOST_LISTED} of {len(rows):,} configurations; each run's run.json has its "
            "command."
        )
    return Reproduction(
        STEPS,
        study_file,
        Table(
            "Command line of each configuration",
            ("Configuration", "Command"),
            tuple(rows[:MOST_LISTED]),
            rest,
        ),
        scripts,
    )
