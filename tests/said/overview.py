"""The head of a report: the parts of time, what the efficiency tree lacks, and the next step."""

from __future__ import annotations

from typing import Any

from tests.made_runs import function
from tests.made_said import RECV, of
from tests.said import Cases, Said
from tests.synthetic_sections import with_everything
from tests.unit.test_advice import IMBALANCED, advised
from waywiser.model.gate import Gate
from waywiser.model.summary import Summary
from waywiser.model.trace import Trace
from waywiser.report.overview import next_step, not_in_tree, time_shares

TRACED = {"trace": Trace(calls=10, bytes=100)}
ADVICE = advised(IMBALANCED)
UNKNOWN = ADVICE.efficiencies.model_copy(update={"serialisation": None, "transfer": None})


def receiving(*seconds: float) -> Summary:
    """A rank for each time in MPI_Recv, of 10 s."""
    return of(*({RECV: function(time)} for time in seconds))


COMPUTES, SENDS, UNEVEN = receiving(1.0, 1.0), receiving(6.0, 6.0), receiving(1.0, 9.0)


def step(found: Summary, **change: Any) -> Said:
    return lambda: next_step(found.model_copy(update=change))


def tree(**change: Any) -> Said:
    return lambda: not_in_tree(SENDS.model_copy(update=change))


def waited(seconds: float) -> Summary:
    """A traced run whose ranks waited so long in all."""
    found = with_everything()
    assert found.waits is not None
    kind = next(iter(found.waits.seconds))
    return found.model_copy(
        update={"waits": found.waits.model_copy(update={"seconds": {kind: seconds}})}
    )


def parts(found: Summary) -> Said:
    return lambda: "\n".join(part.name for part in time_shares(found))


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
        tree(**TRACED, advice=ADVICE.model_copy(update={"efficiencies": UNKNOWN})),
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
    "Waiting in MPI": (parts(waited(0.1)), parts(SENDS)),
    "Transfer in MPI": (parts(waited(0.1)), parts(SENDS)),
}

CASES: Cases = {"report.overview": OVERVIEW}
