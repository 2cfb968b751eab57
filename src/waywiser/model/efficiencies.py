"""POP's efficiencies: of any profile, and of a run whose replay is known."""

from __future__ import annotations

from collections.abc import Sequence

from waywiser.model.advice import Efficiencies
from waywiser.model.progress import without_progress
from waywiser.model.summary import Summary


def efficiencies_of(
    computing_seconds: Sequence[float], run_seconds: float, ideal_seconds: float | None = None
) -> Efficiencies:
    """
    Args:
        computing_seconds: of each rank, outside of MPI.
        run_seconds: of the run, > 0.
        ideal_seconds: of its replay where messages take no time, > 0; None where no replay
            describes the run.

    Sources: see `Efficiencies`.
    """
    most = max(computing_seconds)
    mean = sum(computing_seconds) / len(computing_seconds)
    return Efficiencies(
        parallel=mean / run_seconds,
        load_balance=mean / most if most > 0 else 1.0,
        communication=most / run_seconds,
        serialisation=most / ideal_seconds if ideal_seconds else None,
        transfer=ideal_seconds / run_seconds if ideal_seconds else None,
        computing_mean_seconds=mean,
        computing_most_seconds=most,
        most_rank=computing_seconds.index(most),
        ideal_seconds=ideal_seconds,
    )


def efficiencies(summary: Summary) -> Efficiencies | None:
    """Those of the advice, which knows the replay; else those of the profile's times.

    The run then lasts from the end of MPI_Init to the start of MPI_Finalize, of the rank where that
    is longest. A rank whose threads all call MPI computes as long as they do on average; threads
    that only make progress are left out.

    Returns:
        None where no rank left a time.
    """
    if summary.advice is not None:
        return summary.advice.efficiencies
    ranks = without_progress(summary)[0].per_rank or ()
    run = max((r.wall_seconds - r.init_seconds - r.finalize_seconds for r in ranks), default=0.0)
    if run <= 0:
        return None
    found = efficiencies_of([r.application_seconds / max(1, r.mpi_threads) for r in ranks], run)
    return found.model_copy(update={"most_rank": ranks[found.most_rank].rank})
