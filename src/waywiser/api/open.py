"""`waywiser.open`: opens a run or a study."""

from __future__ import annotations

import os
from pathlib import Path

from waywiser.api.run import Run
from waywiser.api.study import Study
from waywiser.errors import InvalidRun, not_found
from waywiser.study.campaign import is_study


def open(path: str | os.PathLike[str]) -> Run | Study:
    """Open a run directory, or a study's file or directory.

    Raises:
        InvalidRun: the path is neither.
        InvalidCommand: the study file is not valid.
    """
    place = Path(path)
    if is_study(place):
        return Study(place)
    if not place.is_dir():
        raise InvalidRun(
            f"{not_found(place, 'directory')}; give a run that `waywiser profile -o RUN` has made, "
            "or a study"
        )
    return Run(place)
