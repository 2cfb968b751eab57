"""Sentences in the report of a study: abstract, method, notes, titles and appendix."""

from __future__ import annotations

from typing import Any

from tests import synthetic_study
from tests.synthetic_sets import of_study
from tests.synthetic_study_reports import SMALL, StudyReport, everywhere, libraries, of
from waywiser.analyse.compare_sets import compare_sets
from waywiser.report.answers.comparison import comparison_text


def compared(change: Any = None, **planted: Any) -> str:
    """Output of `waywiser compare` for two sets of runs."""
    changed = {"change": change} if change else {}
    return comparison_text(compare_sets(of_study("a"), of_study("b", seed=2, **changed, **planted)))


def other_cpu(run: Any) -> Any:
    return run.replace(machine=run.machine.replace(cpu="Z80"))


def hours(values: Any) -> float:
    return 3600 / float(values.get("ranks", 1))


def bowl(values: Any) -> float:
    return 3 + 0.1 * abs(float(values["ndiag"]) - 4) + 0.2 * abs(float(values["ntg"]) - 2)


def trade(seconds: float = 1.0, **settings: object) -> StudyReport:
    """An error of a propagator against its time."""
    return of(
        synthetic_study.PROPAGATION,
        settings=settings,
        seconds=lambda v: seconds * float(v["order"]) / float(v["step"]),
        error=lambda v: 10 * float(v["step"]) / float(v["order"]) ** 2,
        profile=False,
        sections=False,
    )


CONFIGURATIONS = "mpich-r1 mpich-r2 impi-r1 impi-r2"
FAILED = {("impi-r2", 3): "it ended with code 255"}
ELSEWHERE = compared()
"""Another report, for what each report says."""

QUIET = of()
BARE = of(profile=False, sections=False)
SLOW = of(slower={"impi": 1.3})
BUSY = of(slower={"impi": 1.3}, unreliable=everywhere(CONFIGURATIONS))
HALF_BUSY = of(unreliable=everywhere("impi-r2"))
BUSY_ONCE = of(unreliable=frozenset({("impi-r2", 3)}))
FAILING = of(failures=FAILED)
EMPTY = of(failures=dict.fromkeys(everywhere("impi-r2"), "it ended with code 255"))
FEW = of(settings={"repeats": {"blocks": 3}})
COLD = of(settings={"repeats": {"blocks": 8, "warm_up": False}})
ONCE = of(settings={"mpi": ["mpich"], "axes": {"ranks": 2}, "repeats": {"blocks": 1}})
TABLELESS = QUIET.configurations(sections=(), profile=None, metrics=()).but(
    lambda _: {"comparisons": (), "scaling": (), "sweeps": (), "guidelines": ()}
)
ALONE = of(settings={"mpi": ["mpich"]})
ALONE_BUSY = of(settings={"mpi": ["mpich"]}, unreliable=everywhere("r1"), profile=False)
ALONE_UNRELIABLE = of(settings={"mpi": ["mpich"]}, unreliable=everywhere("r1"))
NOISY = of(outliers={("impi-r2", 5): 1.5})
SWEEP = of(synthetic_study.SWEEP, seconds=bowl)
SWEEP_BUSY = of(synthetic_study.SWEEP, seconds=bowl, unreliable=everywhere("ndiag16-ntg1", 10))
SWEEP_RISING = of(synthetic_study.SWEEP, seconds=lambda v: 3 + 0.1 * float(v["ndiag"]))
SWEEP_FLAT = of(synthetic_study.SWEEP, seconds=lambda v: 3.0, noise=0.001)
NODES = of(synthetic_study.SEISSOL, seconds=lambda v: 200 + 4000 / float(v["nodes"]), rate=True)
TRADE = trade()
LIBRARIES = libraries()
CURVES = of(SMALL, settings={"axes": {"ranks": [1, 2], "value": list(range(5))}})
WAITS, BARRIER = of(waiting=0.3), of(waiting=0.9)
SPEECHLESS = FAILING.but(
    lambda findings: {"failed": tuple(r.replace(stderr=()) for r in findings.failed)}
)
LAST_WORDS = FAILING.but(
    lambda findings: {"failed": tuple(r.replace(stderr=("no",)) for r in findings.failed)}
)
STOPPED = QUIET.configurations(
    runs=lambda configuration: configuration.runs - (configuration.name == "impi-r2")
)
FORTY = QUIET.but(
    lambda _: {"commands": {f"p{i}": command for i in range(61) for command in [("x",)]}}
)


MPI = (
    "Application against MPI",
    "MPI time by function",
    "MPI calls by function",
    "Number of MPI calls",
    "Time per MPI call",
    "Message sizes",
)
