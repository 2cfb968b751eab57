"""The scores of a study's benchmarks: the best configuration of each, beside the machine's peak."""

from __future__ import annotations

from collections.abc import Iterator

from waywiser.analyse.configurations import metric_summary
from waywiser.analyse.samples import Group, Samples
from waywiser.errors import InvalidCommand
from waywiser.machines.library import read_machine
from waywiser.model.findings import Score

SCORES: dict[str, dict[str, str]] = {
    "hpl": {"performance": "HPL"},
    "hpcc": {"hpl": "HPCC HPL"},
    "hpcg": {"performance": "HPCG"},
    "graph500": {"bfs": "Graph500 BFS", "sssp": "Graph500 SSSP"},
    "nas": {"performance": "NPB"},
    "io500": {"score": "IO500"},
}
"""The metrics of each reader that are scores, and the names of their benchmarks."""

GFLOPPS = {"GFLOP/s": 1.0, "TFLOP/s": 1e3}


def scores(samples: Samples) -> tuple[Score, ...]:
    """Return the scores of a study's applications, in the order of the study file."""
    return tuple(
        score
        for name, application in samples.study.application.items()
        for metric, title in SCORES.get(application.reader, {}).items()
        for score in _best(samples, name, metric, title)
    )


def _best(samples: Samples, application: str, metric: str, title: str) -> Iterator[Score]:
    configurations = [
        (group, metric_summary(group, group.metrics[metric]))
        for group in samples.groups
        if group.values.get("application") == application and group.counted
        if metric in group.metrics
    ]
    if configurations:
        group, summary = max(configurations, key=lambda configuration: configuration[1].median)
        yield Score(
            benchmark=title,
            application=application,
            configuration=group.name,
            nodes=group.count("nodes"),
            score=summary.median,
            unit=summary.unit,
            of_peak=_of_peak(samples, group, summary.median, summary.unit),
            remarks=tuple(
                dict.fromkeys(
                    remark for sample in group.counted for remark in sample.result.reading.remarks
                )
            ),
        )


def node_peak(machine: str) -> float:
    """Return the peak of a machine's node, in GFLOP/s.

    Args:
        machine: its name, or a machine file.

    Raises:
        InvalidCommand: the machine is not found, or lacks a peak.
    """
    peak = read_machine(machine).node.peak_GFLOPps
    if peak is None:
        raise InvalidCommand(
            f"{machine} has no node.peak_GFLOPps; add it to the machine file, or give "
            "node_peak_GFLOPps in [report]"
        )
    return peak


def _of_peak(samples: Samples, group: Group, score: float, unit: str) -> float | None:
    peak = samples.study.report.node_peak_GFLOPps
    if peak is None or unit not in GFLOPPS:
        return None
    return score * GFLOPPS[unit] / (peak * group.count("nodes"))
