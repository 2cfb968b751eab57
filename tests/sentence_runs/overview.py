"""The head of a report: the parts of time, what the efficiency tree lacks, and the next step."""

from __future__ import annotations

from typing import Any

from tests.synthetic_runs import FILES, TEAM, function, rank, summary
from tests.synthetic_sections import with_everything
from tests.synthetic_sentences import RECV, of
from tests.unit.test_advice import IMBALANCED, advised
from waywiser.analyse.efficiencies import efficiency_rows
from waywiser.analyse.next_step import next_step
from waywiser.analyse.standing_out import standing_out
from waywiser.model.efficiencies import efficiencies
from waywiser.model.gate import Gate
from waywiser.model.summary import Summary
from waywiser.model.trace import Trace
from waywiser.report.run.overview import diagnosis_sentences, not_in_tree, time_shares, without_cpu

TRACED = {"trace": Trace(calls=10, bytes=100)}
ADVICE = advised(IMBALANCED)
UNKNOWN = ADVICE.efficiencies.replace(serialisation=None, transfer=None)


def receiving(*seconds: float) -> Summary:
    """A rank for each time in MPI_Recv, of 10 s."""
    return of(*({RECV: function(time)} for time in seconds))


COMPUTES, SENDS, UNEVEN = receiving(1.0, 1.0), receiving(6.0, 6.0), receiving(1.0, 9.0)


def step(profile: Summary, **change: Any) -> str:
    return getattr(next_step(profile.replace(**change)), "sentence", "")


def tree(**change: Any) -> str:
    return not_in_tree(SENDS.replace(**change))


def waited(seconds: float) -> Summary:
    """A traced run whose ranks waited so long in all."""
    profile = with_everything()
    assert profile.waits is not None
    kind = next(iter(profile.waits.seconds))
    return profile.replace(waits=profile.waits.replace(seconds={kind: seconds}))


def parts(profile: Summary) -> str:
    return "\n".join(part.name for part in time_shares(profile))


def with_team(**change: Any) -> Summary:
    """A rank of 10 s, 8 of them outside of MPI, with a team of two threads."""
    openmp = TEAM.replace(**change)
    return of({RECV: function(2.0)}, change={"openmp": openmp, "posix_io": FILES})


def rows(profile: Summary) -> str:
    """Names and formulas of the efficiencies that a profile has."""
    known = efficiencies(profile)
    return "\n".join(
        f"{row.name}: {row.meaning}." for row in (efficiency_rows(known) if known else ())
    )


SERIAL = with_team(region_seconds=2.0, busy_seconds=[2.0, 2.0], wait_seconds=[0.0, 0.0])
WAITING = with_team(region_seconds=8.0, busy_seconds=[8.0, 2.0], wait_seconds=[0.0, 6.0])
LATE = with_team(region_seconds=8.0, busy_seconds=[8.0, 2.0], wait_seconds=[0.0, 0.0])
WRITES = of({RECV: function(1.0)}, change={"posix_io": FILES.replace(seconds=4.0)})
QUEUED = of({RECV: function(1.0)}, change={"queued_seconds": 1.0})


def queued(profile: Summary) -> str:
    return getattr(without_cpu(profile), "name", "")


def cause(profile: Summary) -> str:
    return diagnosis_sentences(profile).cause


def strips(profile: Summary) -> str:
    return "\n".join(f"{strip.title}. {strip.sentence}" for strip in standing_out(profile))


ON_TWO_NODES = summary([rank(0, {RECV: function(1.0)}), rank(1, {RECV: function(1.0)}, "n1")])
