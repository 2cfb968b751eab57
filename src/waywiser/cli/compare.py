"""`waywiser compare A B`: which of two sets of runs is faster, by how much, and is that so?"""

from __future__ import annotations

import argparse
from pathlib import Path

from waywiser.analyse.compare_sets import compare_sets
from waywiser.analyse.sets import RunSet, plain_set, study_set
from waywiser.apps.table import version_in
from waywiser.report.comparison import comparison_text
from waywiser.store.study import FILE
from waywiser.study.campaign import open_campaign
from waywiser.study.collect import output_of
from waywiser.study.status import finished


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Compares two sets of runs, point by point, also from different systems. A "
        "set is a study's directory, one of its points (STUDY.study/runs/POINT), a run, or a "
        "directory of runs."
    )
    parser.add_argument(
        "a", type=Path, metavar="A", help="baseline: a run, a study or a directory of runs"
    )
    parser.add_argument("b", type=Path, metavar="B", help="candidate to compare with the baseline")
    parser.add_argument(
        "--figure",
        action="append",
        default=[],
        metavar="NAME",
        help="compare this figure of merit instead of the headline, e.g. run_time or "
        "mpi_share; may be repeated",
    )
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="VALUE",
        help="match configurations without this value, e.g. mpi, because it differs on "
        "purpose; may be repeated",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(action=run)


def run(arguments: argparse.Namespace) -> int:
    a, b = _names(arguments.a, arguments.b)
    found = compare_sets(
        _read(arguments.a, a), _read(arguments.b, b), arguments.figure, arguments.ignore
    )
    print(found.model_dump_json(indent=1) if arguments.json else comparison_text(found))
    return 0


def _names(a: Path, b: Path) -> tuple[str, str]:
    """Last parts of the paths; whole ones where these are the same."""
    names = a.resolve().name, b.resolve().name
    return names if names[0] != names[1] else (str(a), str(b))


def _read(path: Path, name: str) -> RunSet:
    folder = _study_of(path)
    if folder is None:
        return plain_set(name, path, _version_of)
    campaign = open_campaign(folder)
    directory = campaign.directory
    inside = path.resolve()
    runs = [
        (directory.run(place), run)
        for place, run in finished(campaign).items()
        if inside == folder or directory.run(place).is_relative_to(inside)
    ]
    return study_set(name, path, folder, campaign.study, runs)


def _version_of(directory: Path) -> str:
    return version_in(output_of(directory, directory))


def _study_of(path: Path) -> Path | None:
    """The study's folder that this is, or that it is a part of the runs of; None for others."""
    path = path.resolve()
    for folder in (path, *path.parents[:3]):
        if (folder / FILE).is_file():
            return folder if path == folder or path.is_relative_to(folder / "runs") else None
    return None
