"""A run as its readers get it."""

from __future__ import annotations

from pathlib import Path

from waywiser.errors import InvalidRun
from waywiser.model.run import Run
from waywiser.model.summary import Summary
from waywiser.store.directory import RunDirectory
from waywiser.store.finish import finish_if_abandoned
from waywiser.store.summary import summarise
from waywiser.store.waits import read_waits


def read_run(directory: Path) -> tuple[Run, Summary]:
    """Reads a run directory; nothing in it is executed.

    Raises:
        InvalidRun: it is not one, or its files are unreadable.
    """
    files = RunDirectory(directory)
    if not directory.is_dir():
        raise InvalidRun(
            f"{directory}: there is no such directory; a run is one that "
            "`waywiser profile -o RUN` has made"
        )
    run = finish_if_abandoned(files, files.read_run())
    summary = summarise(run, files.read_profile(run))
    return run, summary.model_copy(update={"waits": read_waits(directory)})
