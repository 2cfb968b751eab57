"""Sentences on studies and on sets of runs that are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ParamSpec

from tests import synthetic_study
from tests.synthetic_sets import SIZES
from waywiser.analyse.samples import Samples
from waywiser.analyse.study import analyse_study
from waywiser.analyse.system import system
from waywiser.errors import WaywiserError
from waywiser.model.findings import Findings
from waywiser.model.result import Scalar
from waywiser.model.run import Run

GRID: dict[str, Any] = {
    "title": "two settings",
    "application": {"si": {"program": "pw.x"}},
    "axes": {"ranks": 4, "ndiag": [1, 4], "ntg": [1, 2]},
    "repeats": {"blocks": 10},
}
LIMITED = {**GRID, "report": {"within": {"error": 1.0}}}
WEAK = {**SIZES, "report": {"scaling": "weak"}}
NODES = {**SIZES, "axes": {"nodes": [1, 2, 4]}}
FIVE = {**SIZES, "axes": {"ranks": [1, 2, 4, 8, 16]}}
SINGLE = {**SIZES, "axes": {"ranks": 1}}
Values = Mapping[str, Scalar]


Given = ParamSpec("Given")


def answered(of: Callable[Given, str]) -> Callable[Given, str]:
    """A function that returns the printed text or the error."""

    def text(*values: Given.args, **named: Given.kwargs) -> str:
        try:
            return of(*values, **named)
        except WaywiserError as error:
            return str(error)

    return text


def in_result(change: Callable[[Run], Mapping[str, Any]]) -> Callable[[Run], Run]:
    def changed(run: Run) -> Run:
        assert run.result is not None
        return run.replace(result=run.result.replace(**change(run)))

    return changed


def same(run: Run) -> Run:
    return run


def runs_of(document: Mapping[str, Any], change: Callable[[Run], Run], **planted: Any) -> list[Run]:
    return [
        change(run)
        for run in synthetic_study.runs(
            synthetic_study.study(document), synthetic_study.Truth(**planted)
        )
    ]


def sentences_of(findings: Findings) -> str:
    """Sentences that reports are made of."""
    scaling = [
        f"{curve.kind} scaling, {curve.said}; {curve.warning}; "
        f"{curve.fit.remark if curve.fit else ''}"
        for curve in findings.scaling
    ]
    sentences = [sweep.statement for sweep in findings.sweeps] + [
        cheapest.statement for cheapest in findings.cheapest
    ]
    sentences += [reason for run in findings.failed for reason in run.reasons]
    sentences += [configuration.job_time for configuration in findings.configurations]
    return "; ".join([*scaling, *sentences, findings.method.gate, findings.method.timing])


@answered
def study(document: Mapping[str, Any], change: Callable[[Run], Run] = same, **planted: Any) -> str:
    runs = runs_of(document, change, **planted)
    return sentences_of(analyse_study(synthetic_study.study(document), runs))


def no_runs() -> str:
    return sentences_of(analyse_study(synthetic_study.study(SIZES), []))


def bowl(values: Values) -> float:
    """Best at ndiag 4 with ntg 2."""
    return 3 + 0.1 * (4 - float(values["ndiag"])) + 0.3 * (2 - float(values["ntg"]))


def flat(values: Values) -> float:
    return 3.0


def coarse(values: Values) -> float:
    """Good enough in one corner."""
    return 0.5 if values["ndiag"] == 4 and values["ntg"] == 2 else 2.0


def across(values: Values) -> float:
    """Good enough in two corners that are no neighbours."""
    return 0.5 if (values["ndiag"], values["ntg"]) in ((1, 1), (4, 2)) else 2.0


def failing(*configurations: str) -> dict[tuple[str, int], str]:
    return {
        (configuration, block): "no metric"
        for configuration in configurations
        for block in range(11)
    }


BUSY = frozenset(("ndiag4-ntg2", block) for block in range(1, 11))
APART = failing("ndiag4-ntg1", "ndiag1-ntg2")
GRID_OF = partial(study, GRID, seconds=bowl)
ALONE = partial(study, GRID, seconds=bowl, failures=APART)
NO_GRID = partial(study, {**GRID, "axes": {"ranks": 4, "ndiag": [1, 4]}}, seconds=flat)
KEPT = partial(study, LIMITED, seconds=bowl, error=lambda _: 0.5)
CORNER = partial(study, LIMITED, seconds=bowl, error=coarse)


def works(of: Callable[[Values], float | None]) -> Callable[[Run], Run]:
    def work(run: Run) -> Mapping[str, Any]:
        assert run.result is not None
        return {"work": of(run.result.values)}

    return in_result(work)


def ranks(values: Values) -> float:
    return float(values["ranks"])


NO_WORK = works(lambda _: None)


def unread(run: Run) -> Run:
    """The run without its result, if the run is of the first configuration."""
    assert run.result is not None
    first = run.result.configuration == "r1"
    return run.replace(result=None, status="partial") if first else run


def by_srun(run: Run) -> Run:
    return run.replace(command=("/usr/bin/srun", *run.command[1:]))


def facts(runs: int) -> str:
    """The table of the system."""
    known = [
        versioned(run)
        for run in synthetic_study.runs(synthetic_study.study(SIZES), synthetic_study.Truth())[
            :runs
        ]
    ]
    rows = system(Samples(synthetic_study.study(SIZES), known))
    return "; ".join(f"{row.name}: {row.text}" for row in rows)


def versioned(run: Run) -> Run:
    """The run with versions and transport that applications and programs report."""
    assert run.result is not None
    stated = {"version": "22 Jul 2025", "transport": "tcp"}
    reading = run.result.reading.replace(**stated)
    machine = run.machine.replace(governor="performance")
    return run.replace(
        result=run.result.replace(reading=reading),
        program=run.program.replace(build_id="ab12"),
        machine=machine,
    )
