"""Two sets of runs: each is a study, a part of a study, or a directory of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from waywiser.analyse.compare_sets import compare_sets
from waywiser.analyse.sets import RunSet, plain_set, study_set
from waywiser.apps.table import version_in
from waywiser.model.comparison import SetComparison
from waywiser.store.study import FILE
from waywiser.study.campaign import open_campaign
from waywiser.study.collect import output_of
from waywiser.study.status import finished


def compared(
    a: Path, b: Path, metrics: Sequence[str] = (), ignored: Sequence[str] = ()
) -> SetComparison:
    """
    Args:
        a: the baseline.
        metrics: metrics to compare in place of the headline.
        ignored: names of values that may differ between matched configurations.

    Raises:
        WaywiserError: a set has no runs, or the sets cannot be compared.
    """
    name_a, name_b = _names(a, b)
    return compare_sets(_read(a, name_a), _read(b, name_b), metrics, ignored)


def _names(a: Path, b: Path) -> tuple[str, str]:
    """Names of the sets: the last parts of their paths, or the whole paths if these are the
    same."""
    names = a.resolve().name, b.resolve().name
    return names if names[0] != names[1] else (str(a), str(b))


def _read(path: Path, name: str) -> RunSet:
    root = _study_of(path)
    if root is None:
        return plain_set(name, path, _version_of)
    campaign = open_campaign(root)
    directory = campaign.directory
    inside = path.resolve()
    runs = [
        (directory.run(place), run)
        for place, run in finished(campaign).items()
        if inside == root or directory.run(place).is_relative_to(inside)
    ]
    return study_set(name, path, root, campaign.study, runs)


def _version_of(directory: Path) -> str:
    return version_in(output_of(directory, directory))


def _study_of(path: Path) -> Path | None:
    """The directory of the study that this path is, or whose runs it contains; None for others."""
    path = path.resolve()
    for directory in (path, *path.parents[:3]):
        if (directory / FILE).is_file():
            return (
                directory if path == directory or path.is_relative_to(directory / "runs") else None
            )
    return None
