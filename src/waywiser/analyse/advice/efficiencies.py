"""POP's efficiencies from a run's time and its replay with messages that take no time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from waywiser.model.advice import Efficiencies


def efficiencies_of(
    computing_seconds: ArrayLike, run_seconds: float, ideal_seconds: float | None
) -> Efficiencies:
    """
    Args:
        computing_seconds: of each rank, outside of MPI.
        run_seconds: of the run, > 0.
        ideal_seconds: of its replay where messages take no time, > 0; None where no replay
            describes the run.

    Sources: see `Efficiencies`.
    """
    computing = np.asarray(computing_seconds, dtype=float)
    most, mean = float(computing.max()), float(computing.mean())
    return Efficiencies(
        parallel=mean / run_seconds,
        load_balance=mean / most if most > 0 else 1.0,
        communication=most / run_seconds,
        serialisation=most / ideal_seconds if ideal_seconds else None,
        transfer=ideal_seconds / run_seconds if ideal_seconds else None,
        computing_mean_seconds=mean,
        computing_most_seconds=most,
        most_rank=int(computing.argmax()),
        ideal_seconds=ideal_seconds,
    )
