"""Performance guidelines that an MPI library should keep by itself: no collective should be slower
than its emulation by other calls of the same library.

Sources: J. L. Träff, W. D. Gropp, R. Thakur, "Self-Consistent MPI Performance Guidelines", IEEE
Transactions on Parallel and Distributed Systems 21(5), 2010; S. Hunold, A. Carpen-Amarie, F. D.
Lübbe, J. L. Träff, "Automatic Verification of Self-Consistent MPI Performance Guidelines",
Euro-Par 2016 (which of them to check, monotony and split-robustness).

Both sides are times of calls that were measured one by one. The sum of two such times is an upper
bound of both calls together: it assumes that the second call starts only after the first has ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from waywiser.analyse.contention import unreliable
from waywiser.analyse.judged import judged
from waywiser.analyse.samples import Floats, Group, Samples
from waywiser.model.judged import Guideline, Rule
from waywiser.model.reading import Metric, mpi_name, sized
from waywiser.stats.compare import Verdict, compare_sweep, refuse
from waywiser.stats.summary import SAMPLES_NEEDED
from waywiser.units import size_text

Term = tuple[str, int]
"""A benchmark, and the power of the number of ranks by which its message is larger than n."""

PATTERNS: tuple[tuple[str, tuple[Term, ...]], ...] = (
    ("allgather", (("gather", 0), ("bcast", 1))),
    ("allgather", (("alltoall", 0),)),
    ("allgather", (("allreduce", 1),)),
    ("allgather", (("allgatherv", 0),)),
    ("allreduce", (("reduce", 0), ("bcast", 0))),
    ("allreduce", (("reduce_scatter_block", 0), ("allgather", -1))),
    ("alltoall", (("alltoallv", 0),)),
    ("bcast", (("scatter", -1), ("allgather", -1))),
    ("bcast", (("allreduce", 0),)),
    ("gather", (("allgather", 0),)),
    ("gather", (("reduce", 1),)),
    ("gather", (("gatherv", 0),)),
    ("reduce", (("allreduce", 0),)),
    ("reduce", (("reduce_scatter_block", 0), ("gather", -1))),
    ("reduce_scatter_block", (("reduce", 0), ("scatter", -1))),
    ("reduce_scatter_block", (("allreduce", 0),)),
    ("reduce_scatter_block", (("reduce_scatter", 0),)),
    ("scatter", (("bcast", 1),)),
    ("scatter", (("scatterv", 0),)),
)
"""A collective with messages of n bytes, and its equivalent calls, which should not be faster. A
message is a rank's block; of Reduce_scatter, all blocks that a rank gives, as the OSU benchmarks
count."""


@dataclass(frozen=True)
class Case:
    """One guideline at one message size of one configuration."""

    rule: Rule
    group: Group
    benchmark: str
    bytes: int
    alternative: str
    """Calls that could replace the call, for people."""

    cost: Floats
    """Cost of the call in each block, in the unit of the metric."""

    alternative_cost: Floats
    unit: str


def guidelines(samples: Samples) -> tuple[Guideline, ...]:
    """Return every guideline that the runs allow to check, all decided together (Holm).

    Only configurations count whose metrics are times of collectives by message size, as those of
    ww-mpibench.
    """
    cases = [case for group in samples.groups for case in _cases(samples, group)]
    verdicts = compare_sweep(
        [(case.alternative_cost, case.cost) for case in cases],
        margin=samples.study.repeats.margin,
    )
    return tuple(
        _guideline(samples, case, _gated(samples, case, verdict))
        for case, verdict in zip(cases, verdicts, strict=True)
    )


def _cases(samples: Samples, group: Group) -> Iterator[Case]:
    times = _times(group)
    for benchmark, sizes in times.items():
        yield from _by_size(samples, group, benchmark, sizes)
    for benchmark, terms in PATTERNS:
        for size, metric in times.get(benchmark, {}).items():
            parts = _parts(times, terms, size, group.count("ranks"))
            if parts:
                cost = samples.by_block(group, metric.name)
                yield Case(
                    rule="pattern",
                    group=group,
                    benchmark=benchmark,
                    bytes=size,
                    alternative=" + ".join(_call_text(part, size) for part in parts),
                    cost=cost,
                    alternative_cost=np.sum([samples.by_block(group, p.name) for p in parts], 0),
                    unit=metric.unit,
                )


def _times(group: Group) -> dict[str, dict[int, Metric]]:
    """Benchmark -> message size -> its time, in rising order of sizes."""
    by_benchmark: dict[str, dict[int, Metric]] = {}
    for metric in group.metrics.values():
        named = sized(metric.name)
        if named and metric.better == "lower":
            by_benchmark.setdefault(named[0], {})[named[1]] = metric
    return {name: dict(sorted(sizes.items())) for name, sizes in by_benchmark.items()}


def _parts(
    times: dict[str, dict[int, Metric]], terms: Sequence[Term], size: int, ranks: int
) -> list[Metric]:
    """Return the metrics of the other side; none if one of them was not measured."""
    metrics = []
    for benchmark, power in terms:
        if power < 0 and size % ranks:
            return []
        counterpart = size * ranks if power > 0 else size // ranks if power < 0 else size
        metric = times.get(benchmark, {}).get(counterpart)
        if metric is None:
            return []
        metrics.append(metric)
    return metrics


def _by_size(
    samples: Samples, group: Group, benchmark: str, sizes: dict[int, Metric]
) -> Iterator[Case]:
    """Yield monotony: no message takes longer than a larger one. Yield split-robustness: no message
    takes longer than as many smaller ones as have its data."""
    for smaller, larger in pairwise(size for size in sizes if size > 0):
        few, many = (samples.by_block(group, sizes[size].name) for size in (smaller, larger))
        unit, name = sizes[larger].unit, mpi_name(benchmark)
        split = -(-larger // smaller)
        yield Case(
            "monotony", group, benchmark, smaller, f"{name} of {size_text(larger)}", few, many, unit
        )
        yield Case(
            rule="split",
            group=group,
            benchmark=benchmark,
            bytes=larger,
            alternative=f"{split} times {name} of {size_text(smaller)}",
            cost=many,
            alternative_cost=split * few,
            unit=unit,
        )


def _call_text(metric: Metric, size: int) -> str:
    """Return a call of the other side, with its message size if that differs."""
    named = sized(metric.name)
    assert named is not None
    benchmark, own = named
    return mpi_name(benchmark) + (f" of {size_text(own)}" if own != size else "")


def _gated(samples: Samples, case: Case, verdict: Verdict) -> Verdict:
    if verdict.n < SAMPLES_NEEDED:
        return verdict
    return refuse(verdict, unreliable(case.group, samples.name(case.group)))


def _guideline(samples: Samples, case: Case, verdict: Verdict) -> Guideline:
    place = samples.label(samples.others(case.group))
    call = f"{mpi_name(case.benchmark)} of {size_text(case.bytes)}"
    sentence = verdict.sentence(call, case.alternative)
    return Guideline(
        rule=case.rule,
        benchmark=case.benchmark,
        bytes=case.bytes,
        call=call,
        alternative=case.alternative,
        configuration=case.group.name,
        place=place,
        unit=case.unit,
        value=float(np.nanmedian(case.cost)),
        alternative_value=float(np.nanmedian(case.alternative_cost)),
        **judged(verdict, f"{place}: {sentence}" if place else sentence),
    )
