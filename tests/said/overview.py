"""The head of a report: the parts of time, what the efficiency tree lacks, and the next step."""

from __future__ import annotations

from typing import Any

from tests.made_runs import FILES, TEAM, function, rank, summary
from tests.made_said import RECV, of
from tests.said import Cases, Said
from tests.synthetic_sections import with_everything
from tests.unit.test_advice import IMBALANCED, advised
from waywiser.model.efficiencies import efficiencies
from waywiser.model.gate import Gate
from waywiser.model.summary import Summary
from waywiser.model.trace import Trace
from waywiser.report.efficiencies import efficiency_rows
from waywiser.report.overview import next_step, not_in_tree, said, time_shares, without_cpu
from waywiser.report.standing_out import standing_out

TRACED = {"trace": Trace(calls=10, bytes=100)}
ADVICE = advised(IMBALANCED)
UNKNOWN = ADVICE.efficiencies.replace(serialisation=None, transfer=None)


def receiving(*seconds: float) -> Summary:
    """A rank for each time in MPI_Recv, of 10 s."""
    return of(*({RECV: function(time)} for time in seconds))


COMPUTES, SENDS, UNEVEN = receiving(1.0, 1.0), receiving(6.0, 6.0), receiving(1.0, 9.0)


def step(found: Summary, **change: Any) -> Said:
    return lambda: next_step(found.replace(**change))


def tree(**change: Any) -> Said:
    return lambda: not_in_tree(SENDS.replace(**change))


def waited(seconds: float) -> Summary:
    """A traced run whose ranks waited so long in all."""
    found = with_everything()
    assert found.waits is not None
    kind = next(iter(found.waits.seconds))
    return found.replace(waits=found.waits.replace(seconds={kind: seconds}))


def parts(found: Summary) -> Said:
    return lambda: "\n".join(part.name for part in time_shares(found))


def with_team(**change: Any) -> Summary:
    """A rank of 10 s, 8 of them outside of MPI, with a team of two threads."""
    openmp = TEAM.replace(**change)
    return of({RECV: function(2.0)}, change={"openmp": openmp, "posix_io": FILES})


def rows(found: Summary) -> Said:
    """Names and formulas of the efficiencies that a profile has."""
    known = efficiencies(found)
    return lambda: "\n".join(
        f"{one.name}: {one.meaning}." for one in (efficiency_rows(known) if known else ())
    )


SERIAL = with_team(region_seconds=2.0, busy_seconds=[2.0, 2.0], wait_seconds=[0.0, 0.0])
WAITING = with_team(region_seconds=8.0, busy_seconds=[8.0, 2.0], wait_seconds=[0.0, 6.0])
LATE = with_team(region_seconds=8.0, busy_seconds=[8.0, 2.0], wait_seconds=[0.0, 0.0])
WRITES = of({RECV: function(1.0)}, change={"posix_io": FILES.replace(seconds=4.0)})
QUEUED = of({RECV: function(1.0)}, change={"queued_seconds": 1.0})


def queued(found: Summary) -> Said:
    return lambda: getattr(without_cpu(found), "name", "")


def cause(found: Summary) -> Said:
    return lambda: said(found).cause


def strips(found: Summary) -> Said:
    return lambda: "\n".join(f"{one.title}. {one.sentence}" for one in standing_out(found))


ON_TWO_NODES = summary([rank(0, {RECV: function(1.0)}), rank(1, {RECV: function(1.0)}, "n1")])

STANDING_OUT: dict[str, tuple[Said, Said]] = {
    "Computing by rank": (strips(SENDS), strips(of({RECV: function(1.0)}))),
    "Computing by node (mean of its ranks)": (strips(ON_TWO_NODES), strips(SENDS)),
    "{}{} computes {} times the mean of {}, {}.": (strips(UNEVEN), strips(SENDS)),
    "All {} compute alike, {} on average.": (strips(SENDS), strips(UNEVEN)),
}

EFFICIENCIES: dict[str, tuple[Said, Said]] = {
    **dict.fromkeys(
        (
            *("Parallel efficiency", "Load balance", "Communication efficiency"),
            *("mean computing / run time", "mean computing / most computing"),
            *("most computing / run time", "run time where messages take no time / run time"),
            "most computing / run time where messages take no time",
        ),
        (rows(SENDS), rows(of())),
    ),
    **dict.fromkeys(
        (
            *("OpenMP efficiency", "OpenMP load balance"),
            *("OpenMP scheduling", "OpenMP serialisation"),
            "useful thread time / (threads × run time)",
            "useful thread time / (threads × computing)",
            "(useful + idle) / (useful + idle + waiting)",
            "(useful + idle + waiting) / (threads × computing)",
            "useful / (useful + idle outside regions)",
        ),
        (rows(SERIAL), rows(SENDS)),
    ),
    "time outside of files / time from MPI_Init to MPI_Finalize": (rows(WRITES), rows(SENDS)),
}

OVERVIEW: dict[str, tuple[Said, Said]] = {
    "A trace adds serialisation and transfer: record the run with --trace.": (
        tree(),
        tree(**TRACED),
    ),
    "`waywiser advise` adds serialisation and transfer.": (
        tree(**TRACED),
        tree(**TRACED, advice=ADVICE),
    ),
    "Serialisation and transfer are not known: the replay does not describe this run.": (
        tree(**TRACED, advice=ADVICE.replace(efficiencies=UNKNOWN)),
        tree(**TRACED, advice=ADVICE),
    ),
    "Next step: `waywiser advise` says which change would gain how much.": (
        step(SENDS, **TRACED),
        step(SENDS),
    ),
    "Next step: distribute the work evenly; rank {} computes {}, ranks on average {}.": (
        step(UNEVEN),
        step(SENDS),
    ),
    "Next step: record a trace with `waywiser profile --trace`; it separates waiting from transfer "
    "and names the causes of waiting.": (step(SENDS), step(SENDS, **TRACED)),
    "Next step: speed up the computation; perfect balance and free communication would save at "
    "most {} of the run time.": (step(COMPUTES), step(SENDS)),
    "What would help most: {}; the predicted gain is {}.": (
        step(SENDS, advice=ADVICE),
        step(SENDS, advice=ADVICE, gate=Gate(contended=("the node was busy",))),
    ),
    "OpenMP has no branch: {}.": (
        lambda: not_in_tree(with_team(tasks=1)),
        lambda: not_in_tree(SERIAL),
    ),
    "Next step: {}; OpenMP threads are useful {} of the time outside MPI.": (
        step(SERIAL),
        step(SENDS),
    ),
    "run more of the program in parallel regions": (step(SERIAL), step(WAITING)),
    "divide the work of parallel regions evenly among their threads": (step(WAITING), step(LATE)),
    "make parallel regions fewer and longer": (step(LATE), step(SERIAL)),
    "OpenMP serialisation": (cause(SERIAL), cause(WAITING)),
    "Threads are idle outside of parallel regions": (cause(SERIAL), cause(WAITING)),
    "OpenMP load balance": (cause(WAITING), cause(LATE)),
    "Threads wait in barriers and at the ends of parallel regions for others": (
        cause(WAITING),
        cause(LATE),
    ),
    "OpenMP scheduling": (cause(LATE), cause(SERIAL)),
    "Threads begin late in parallel regions, or are in no team": (cause(LATE), cause(SERIAL)),
    "The longest wait is for rank {}, {}: {} over all ranks in {}.": (
        cause(waited(0.1)),
        cause(SENDS),
    ),
    "Next step: read and write fewer and larger pieces, or through MPI-IO; access to files takes "
    "{} of the ranks' time.": (step(WRITES), step(SERIAL)),
    "OpenMP threads waiting or idle": (parts(SERIAL), parts(SENDS)),
    "Files (not through MPI)": (parts(WRITES), parts(SENDS)),
    "Waiting for a CPU": (queued(QUEUED), queued(SENDS)),
    "Waiting in MPI": (parts(waited(0.1)), parts(SENDS)),
    "Transfer in MPI": (parts(waited(0.1)), parts(SENDS)),
}

CASES: Cases = {
    "report.efficiencies": EFFICIENCIES,
    "report.overview": OVERVIEW,
    "report.standing_out": STANDING_OUT,
}
