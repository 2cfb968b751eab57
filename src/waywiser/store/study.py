"""The directory of a study: study.toml, plan.json, runs/CONFIGURATION/b000, work/, jobs/, a lock.

`runs/CONFIGURATION/b007` is the run of that configuration in block 7; `b007.lost-1` is an earlier
attempt that was cut short, `b007.failed-1` an attempt that failed and was repeated. `work/` has the
directories in which the programs run, `jobs/` the scripts that start them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from waywiser.errors import InvalidCommand, InvalidRun
from waywiser.model.run import Run
from waywiser.store.directory import RunDirectory
from waywiser.store.durable import make_directory, rename, replace_text
from waywiser.store.finish import as_it_stands, finish_if_abandoned
from waywiser.store.lock import locked

RUN_NAME = re.compile(r"b(\d{3,})")
FILE = "study.toml"


@dataclass(frozen=True)
class Place:
    """The configuration and block of a run."""

    configuration: str
    block: int

    @property
    def name(self) -> str:
        return f"b{self.block:03}"

    def __str__(self) -> str:
        return f"{self.configuration}/{self.name}"


class StudyDirectory:
    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.file = self.path / FILE
        self.plan = self.path / "plan.json"
        self.jobs = self.path / "jobs"
        self._runs = self.path / "runs"
        self._work = self.path / "work"
        self._lock = self.path / "lock"

    @cached_property
    def exists(self) -> bool:
        return self.file.exists()

    def create(self) -> None:
        """Creates the directories that do not exist.

        Raises:
            InvalidCommand: the path is not a study, or a directory cannot be created.
        """
        try:
            directories = (self._runs, self._work, self.jobs)
            started = self.file.exists() or all(directory.is_dir() for directory in directories)
            if not started and self.path.exists() and set(self.path.iterdir()) - set(directories):
                raise InvalidCommand(
                    f"{self.path} exists and is not a study; give another directory with -o"
                )
            for directory in directories:
                make_directory(directory)
        except OSError as error:
            raise InvalidCommand(f"{self.path} cannot be made: {error.strerror}") from error

    def run(self, place: Place) -> Path:
        return self._runs / place.configuration / place.name

    def work(self, place: Place) -> Path:
        return self._work / place.configuration / place.name

    def outputs(self, place: Place) -> Path:
        """The directory of the files that a study keeps of a run."""
        return self.run(place) / "outputs"

    def out_of_time(self, place: Place) -> Path:
        """A file that shows that the run's script stopped the run at its time limit."""
        return self.run(place) / "out-of-time"

    def warm_up_failed(self, configuration: str) -> Path:
        """A file that shows that a configuration's warm-up failed: the scripts of its other runs,
        which may be submitted already, then skip their runs."""
        return self.run(Place(configuration, 0)) / "failed"

    def read_plan(self) -> dict[str, str]:
        """Configuration -> mark of its setting at the study's start; empty before the start."""
        return dict(self._plan()["configurations"])

    def origin(self) -> Path:
        """The directory of the original study file."""
        return Path(self._plan()["origin"])

    def _plan(self) -> dict[str, Any]:
        try:
            plan = json.loads(self.plan.read_text(encoding="utf-8"))
            origin = plan["origin"] if "origin" in plan else plan["folder"]  # until version 0.1
            # Plans of earlier versions have another key.
            marks = plan["configurations"] if "configurations" in plan else plan["points"]
            return {"configurations": dict(marks), "origin": str(origin)}
        except FileNotFoundError:
            return {"configurations": {}, "origin": str(self.path.parent)}
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise InvalidRun(f"{self.plan} is not as a study leaves it: {error}") from error

    def write_plan(self, text: str, configurations: dict[str, str], origin: Path) -> None:
        """Saves the study file, its original directory, and the marks of its configurations.

        Raises:
            NotSaved: a file cannot be written.
        """
        replace_text(self.file, text)
        plan = {"configurations": configurations, "origin": str(origin)}
        replace_text(self.plan, json.dumps(plan, indent=1) + "\n")

    def places(self) -> Iterator[Place]:
        """The place of every started run that was not set aside."""
        for directory in _directories(self._runs):
            for run in _directories(directory):
                if match := RUN_NAME.fullmatch(run.name):
                    yield Place(directory.name, int(match[1]))

    def set_aside(self, why: str) -> list[Path]:
        """Attempts that were set aside, "lost" or "failed"."""
        return sorted(self._runs.glob(f"*/b*.{why}-*"))

    def read(self, place: Place, *, finish: bool = False) -> Run | None:
        """A run in its present state; None if it has no valid run.json, as after an early kill.

        Args:
            finish: save a run whose `waywiser profile` was killed; else nothing is written.
        """
        files = RunDirectory(self.run(place))
        try:
            run = files.read_run()
        except InvalidRun:
            return None
        return finish_if_abandoned(files, run) if finish else as_it_stands(files, run)

    def has_results(self, place: Place, run: Run) -> bool:
        """False if there was no space for a run's profile."""
        return not run.profiler or RunDirectory(self.run(place)).profile.exists()

    def write(self, place: Place, run: Run) -> None:
        """Replaces a run's run.json."""
        RunDirectory(self.run(place)).write_run(run)

    def set_run_aside(self, place: Place, why: str) -> None:
        """Renames the run's directory to make room for another attempt."""
        directory = self.run(place)
        attempt = 1
        while (aside := directory.with_name(f"{directory.name}.{why}-{attempt}")).exists():
            attempt += 1
        rename(directory, aside)
        shutil.rmtree(self.work(place), ignore_errors=True)

    def locked(self, say: Callable[[str], None]) -> AbstractContextManager[int]:
        """Keeps others from running the same study; the runs inherit the lock's descriptor.

        Raises:
            InvalidCommand: another command runs this study.
        """
        return locked(self._lock, self.path, say)


def _directories(path: Path) -> list[Path]:
    try:
        return sorted(Path(entry.path) for entry in os.scandir(path) if entry.is_dir())
    except FileNotFoundError:
        return []
