"""POP's global efficiency along a count: parallel efficiency times computation scaling.

Source: M. Wagner, S. Mohr, J. Gimenez, J. Labarta, "A structured approach to performance
analysis", Parallel Tools Workshop 2017, Springer 2019. For a problem that grows with the count,
useful time is per count.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from waywiser.analyse.samples import Floats, Group, Samples
from waywiser.errors import NotEnoughData
from waywiser.model.configuration_findings import Estimate
from waywiser.model.curves import ScalingEfficiencies
from waywiser.model.efficiency_tree import Efficiencies
from waywiser.stats import scaling as stats
from waywiser.stats.summary import summarise

AXES = ("nodes", "ranks")
"""Axes along which all programs have efficiencies; along threads, only OpenMP has known useful time
of all threads."""


def scaling_efficiencies(
    samples: Samples, axis: str, groups: Sequence[Group], *, weak: bool
) -> Sequence[ScalingEfficiencies | None]:
    """Return the efficiencies of each group, the first of which is the base; all are None if a
    group has none."""
    by_group = [_of_runs(group) for group in groups]
    unknown = [None] * len(groups)
    divided = {run.openmp is not None for runs in by_group for run in runs}
    if not all(by_group) or len(divided) > 1 or (axis not in AXES and divided != {True}):
        return unknown
    counts = [group.count(axis) for group in groups]
    useful = np.stack([_useful(samples, group) for group in groups])
    try:
        ratios = [point.speedup for point in stats.strong_scaling(counts, useful)]
    except NotEnoughData:
        return unknown  # no block has both the base and another configuration
    growth = [count / counts[0] if weak else 1.0 for count in counts]
    return [
        _at_count(runs, ratio.times(factor))
        for runs, ratio, factor in zip(by_group, ratios, growth, strict=True)
    ]


def _of_runs(group: Group) -> list[Efficiencies]:
    runs = (s.result.mpi.efficiencies for s in group.counted if s.result.mpi is not None)
    return [run for run in runs if run is not None and run.useful_seconds]


def _useful(samples: Samples, group: Group) -> Floats:
    """Return useful time in s, shape (blocks,); NaN where no run counts."""
    table = np.full(len(samples.blocks), np.nan)
    for sample in group.counted:
        mpi = sample.result.mpi
        if mpi is not None and mpi.efficiencies is not None and mpi.efficiencies.useful_seconds:
            table[samples.blocks.index(sample.result.block)] = mpi.efficiencies.useful_seconds
    return table


def _at_count(runs: Sequence[Efficiencies], computation: stats.Estimate) -> ScalingEfficiencies:
    parallel = summarise([run.parallel for run in runs])
    return ScalingEfficiencies(
        global_efficiency=parallel.median * computation.value,
        parallel=Estimate(value=parallel.median, low=parallel.low, high=parallel.high),
        computation=Estimate(value=computation.value, low=computation.low, high=computation.high),
        load_balance=float(np.median([run.load_balance for run in runs])),
        communication=float(np.median([run.communication for run in runs])),
        openmp=_median([run.openmp for run in runs]),
        io=_median([run.io for run in runs]),
    )


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.median(known)) if len(known) == len(values) else None
