"""Captions, tables and axes of the report's plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests import synthetic_study
from tests.sentence_runs.study_report import (
    ALONE,
    ALONE_BUSY,
    ALONE_UNRELIABLE,
    BARE,
    BUSY,
    BUSY_ONCE,
    COLD,
    CURVES,
    FEW,
    LIBRARIES,
    NODES,
    NOISY,
    QUIET,
    SLOW,
    SWEEP,
    TRADE,
    trade,
)
from tests.synthetic_study_reports import StudyReport, everywhere, libraries, of
from waywiser.model.findings import Findings
from waywiser.model.judged import SectionChange
from waywiser.model.result import FunctionShare

Change = Callable[[Findings], Mapping[str, Any]]


def many(report: StudyReport, number: int = 20) -> StudyReport:
    """The report with `number` times the configurations and comparisons."""
    return report.times("configurations", number).times("comparisons", number)


def sections(**change: Any) -> StudyReport:
    """Sections of each comparison, changed."""

    def changed(findings: Findings) -> Mapping[str, Any]:
        return {
            "comparisons": tuple(
                comparison.replace(sections=tuple(s.replace(**change) for s in comparison.sections))
                for comparison in findings.comparisons
            )
        }

    return QUIET.but(changed)


def balanced(configuration: Any) -> Any:
    return tuple(s.replace(maximum=s.seconds) for s in configuration.sections)


def profiled(**change: Any) -> StudyReport:
    return QUIET.configurations(
        profile=lambda configuration: configuration.profile.replace(**change)
    )


def functions(number: int) -> StudyReport:
    """A report with `number` MPI functions, each with sizes."""
    share = FunctionShare(calls=10, seconds=0.1, bytes=8)
    names = [f"MPI_F{i}" for i in range(number)]
    sizes = {name: ((8, 10),) for name in names}
    return profiled(functions=dict.fromkeys(names, share), sizes=sizes)


LAW = of(settings={"mpi": ["mpich"], "axes": {"ranks": [1, 2, 4, 8, 16]}})
LAW_BUSY = of(
    settings={"mpi": ["mpich"], "axes": {"ranks": [1, 2, 4, 8, 16]}}, unreliable=everywhere("r16")
)
OUTLIER = of(outliers={("impi-r2", 5): 3.0})

UNMEASURED = QUIET.configurations(metrics=()).but(lambda _: {"comparisons": (), "scaling": ()})
STEADY = of(noise=1e-4)
GRID = of(
    synthetic_study.SWEEP
    | {"axes": {"ranks": 4, "ndiag": [1, 4], "ntg": [1, 2], "k": list(range(5))}},
    seconds=lambda v: float(v["ndiag"]) + float(v["ntg"]),
)
LIMIT_OF_ZERO = trade(report={"within": {"error": 0.0}})
FLAWLESS = of(
    synthetic_study.PROPAGATION,
    seconds=lambda v: float(v["order"]) / float(v["step"]),
    error=lambda v: 0.0 if v["order"] == 8 else 2.0,
    profile=False,
)
BROKEN = libraries(lambda _, name, __: 3.0 if name == "allreduce" else 1.0)
JAGGED = libraries(lambda _, name, size: 9.0 if (name, size) == ("bcast", 64) else 1.0)
HEAVY = libraries(lambda _, name, size: 9.0 if name == "bcast" and size > 4096 else 1.0)
HEADLINE = LIBRARIES.but(
    lambda findings: {
        "headlines": dict.fromkeys(findings.headlines, findings.comparisons[-1].metric)
    }
)
LINES = BARE.but(lambda _: {"comparisons": LIBRARIES.findings.comparisons}).but(
    lambda findings: {
        "comparisons": tuple(
            comparison.replace(place=f"{i} ranks")
            for comparison in findings.comparisons
            for i in range(9)
        )
    }
)
REFUSED_IN_PART = QUIET.but(
    lambda findings: {
        "comparisons": (
            findings.comparisons[0],
            findings.comparisons[1].replace(kind="refused", change=None),
        )
    }
)
MANY_SECTIONS = QUIET.but(
    lambda findings: {
        "comparisons": tuple(
            comparison.replace(sections=comparison.sections * 2)
            for comparison in findings.comparisons
        )
    }
)
SLOWER: SectionChange = SectionChange(
    name="Kspace", base_seconds=2.0, candidate_seconds=3.0, difference_seconds=1.0, kind="slower"
)
ODD = {"base_seconds": 3.0, "candidate_seconds": 2.0, "difference_seconds": 1.0}
SOME_RUNS = QUIET.but(
    lambda findings: {
        "configurations": tuple(
            configuration.replace(
                metrics=tuple(f.replace(values=f.values * 200) for f in configuration.metrics)
            )
            for configuration in findings.configurations
        )
    }
)
