"""A study is a directory: study.toml, plan.json, runs/POINT/b000, work/, jobs/ and a lock.

`runs/POINT/b007` is the run of that point in block 7; `b007.lost-1` is an earlier attempt that was
cut short, `b007.failed-1` one that failed and was tried again. `work/` has the folders in which
the programs run, `jobs/` the scripts that start them.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from waywiser.errors import InvalidCommand, InvalidRun
from waywiser.model.run import Run
from waywiser.store.directory import RunDirectory
from waywiser.store.durable import make_folder, rename, replace_text
from waywiser.store.finish import finish_if_abandoned
from waywiser.store.live import start_of

RUN_NAME = re.compile(r"b(\d{3,})")
FILE = "study.toml"


@dataclass(frozen=True)
class Place:
    """Where the run of one point in one block is kept."""

    point: str
    block: int

    @property
    def name(self) -> str:
        return f"b{self.block:03}"

    def __str__(self) -> str:
        return f"{self.point}/{self.name}"


class StudyDirectory:
    """The files of one study."""

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
        """Makes the folders; they may be there.

        Raises:
            InvalidCommand: something else has the name, or they cannot be made.
        """
        try:
            if self.path.exists() and not self.file.exists() and any(self.path.iterdir()):
                raise InvalidCommand(
                    f"{self.path} exists and is no study; give another folder with -o"
                )
            for folder in (self._runs, self._work, self.jobs):
                make_folder(folder)
        except OSError as error:
            raise InvalidCommand(f"{self.path} cannot be made: {error.strerror}") from error

    def run(self, place: Place) -> Path:
        return self._runs / place.point / place.name

    def work(self, place: Place) -> Path:
        return self._work / place.point / place.name

    def out_of_time(self, place: Place) -> Path:
        """A file by which a run's script says that it has ended the run."""
        return self.run(place) / "out-of-time"

    def read_plan(self) -> dict[str, str]:
        """Point -> mark of what it runs, as the study was begun; empty before that."""
        return dict(self._plan()["points"])

    def origin(self) -> Path:
        """The folder of the study file that this was begun with."""
        return Path(self._plan()["folder"])

    def _plan(self) -> dict[str, Any]:
        try:
            plan = json.loads(self.plan.read_text(encoding="utf-8"))
            return {"points": dict(plan["points"]), "folder": str(plan["folder"])}
        except FileNotFoundError:
            return {"points": {}, "folder": str(self.path.parent)}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InvalidRun(f"{self.plan} is not as a study leaves it: {error}") from error

    def write_plan(self, text: str, points: dict[str, str], folder: Path) -> None:
        """Keeps the study file, where it was, and the marks of its points.

        Raises:
            NotSaved: the file system does not take them.
        """
        replace_text(self.file, text)
        plan = {"points": points, "folder": str(folder)}
        replace_text(self.plan, json.dumps(plan, indent=1) + "\n")

    def places(self) -> Iterator[Place]:
        """Of every run that has been begun and was not set aside."""
        for folder in _folders(self._runs):
            for run in _folders(folder):
                if match := RUN_NAME.fullmatch(run.name):
                    yield Place(folder.name, int(match[1]))

    def set_aside(self, why: str) -> list[Path]:
        """Attempts that were set aside, "lost" or "failed"."""
        return sorted(self._runs.glob(f"*/b*.{why}-*"))

    def read(self, place: Place) -> Run | None:
        """A run as it stands; None if nothing is known of it, since it was cut short at once.

        A run whose `waywiser profile` was killed is made permanent here.
        """
        files = RunDirectory(self.run(place))
        try:
            run = files.read_run()
        except InvalidRun:
            return None
        return finish_if_abandoned(files, run)

    def has_results(self, place: Place, run: Run) -> bool:
        """False where there was no space for a run's profile."""
        return not run.profiler or RunDirectory(self.run(place)).profile.exists()

    def write(self, place: Place, run: Run) -> None:
        """Replaces a run's run.json."""
        RunDirectory(self.run(place)).write_run(run)

    def set_run_aside(self, place: Place, why: str) -> None:
        """Makes room for another attempt; what there is of this one is kept."""
        folder = self.run(place)
        attempt = 1
        while (aside := folder.with_name(f"{folder.name}.{why}-{attempt}")).exists():
            attempt += 1
        rename(folder, aside)
        shutil.rmtree(self.work(place), ignore_errors=True)

    @contextmanager
    def locked(self, say: Callable[[str], None]) -> Iterator[int]:
        """Keeps others from running the same study.

        The runs inherit the lock's descriptor, which is what this yields. Where the command that
        began a run was killed, the run still holds it, and its end is waited for here.

        Raises:
            InvalidCommand: another command runs this study.
        """
        descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            said = False
            while not _flock(descriptor):
                if owner := self._owner(descriptor):
                    raise InvalidCommand(f"{self.path} is being run by {owner}")
                if not said:
                    say("waiting for the run that an earlier command has left behind")
                    said = True
                time.sleep(0.2)
            mark = {"pid": os.getpid(), "start": start_of(os.getpid()), "host": platform.node()}
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(mark).encode(), 0)
            yield descriptor
        finally:
            os.close(descriptor)

    def _owner(self, descriptor: int) -> str:
        """The living command that holds the lock; "" if it has ended."""
        try:
            mark = json.loads(os.pread(descriptor, 4096, 0))
            pid, start, host = int(mark["pid"]), mark["start"], str(mark["host"])
        except (ValueError, KeyError, TypeError):
            return ""
        if host != platform.node():
            return f"process {pid} on {host}"
        return f"process {pid}" if start_of(pid) == start else ""


def _flock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _folders(path: Path) -> list[Path]:
    try:
        return sorted(Path(entry.path) for entry in os.scandir(path) if entry.is_dir())
    except FileNotFoundError:
        return []
