"""A run is a directory: run.json, stdout, stderr, profile.ww, and parts/ while it is not merged."""

from __future__ import annotations

import os
import platform
import shutil
from pathlib import Path

from pydantic import ValidationError

from waywiser.errors import InvalidCommand, InvalidRun, NotSaved
from waywiser.model.run import Run
from waywiser.model.summary import Summary
from waywiser.native._native import (
    InvalidInput,
    NativeError,
    Profile,
    merge_states,
    read_profile,
    write_profile,
)
from waywiser.store.live import own_state_directory
from waywiser.store.summary import summarise


class RunDirectory:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run_json = path / "run.json"
        self.profile = path / "profile.ww"
        self.parts = path / "parts"

    def create(self) -> None:
        """Makes the directory.

        Raises:
            InvalidCommand: it exists and is not empty, or cannot be made.
        """
        try:
            if self.path.exists() and any(self.path.iterdir()):
                raise InvalidCommand(f"{self.path} exists already; give another name with -o")
            self.parts.mkdir(parents=True)
        except OSError as error:
            raise InvalidCommand(f"{self.path} cannot be made: {error.strerror}") from error

    def write_run(self, run: Run) -> None:
        """Replaces run.json, so that it is always whole.

        Raises:
            NotSaved: the file system does not take it.
        """
        temporary = self.run_json.with_suffix(".tmp")
        try:
            with temporary.open("w", encoding="utf-8") as file:
                file.write(run.model_dump_json(indent=2) + "\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self.run_json)
        except OSError as error:
            raise NotSaved(f"{self.run_json} cannot be written: {error.strerror}") from error

    def read_run(self) -> Run:
        """What run.json says.

        Raises:
            InvalidRun: it is missing, unreadable, or no run.json of this version.
        """
        try:
            return Run.model_validate_json(self.run_json.read_bytes())
        except OSError as error:
            if (self.parts / "state").is_symlink():
                raise InvalidRun(
                    f"{self.path}: `ww-exec --run` has made it, and it is not merged yet: "
                    f"`ww-merge {self.path}`"
                ) from error
            raise InvalidRun(
                f"{self.run_json}: {error.strerror}; a run is a directory that "
                "`waywiser profile -o RUN` has made"
            ) from error
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(map(str, first["loc"])) or "the file"
            newer = key == "format_version" and isinstance(first["input"], int)
            why = "a newer Waywiser has made this run" if newer else first["msg"]
            raise InvalidRun(f"{self.run_json}: {key}: {why}") from error

    def stderr_tail(self, size: int = 65536) -> str:
        """The end of what the command wrote on stderr, at most `size` bytes."""
        try:
            with (self.path / "stderr").open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - size))
                return file.read().decode("utf-8", "replace")
        except OSError:
            return ""

    def states(self, run: Run) -> list[Path]:
        """Saved copies of the ranks' states, and live ones that have no copy yet."""
        saved = sorted(self.parts.glob("*.state"))  # HOST-PID.state
        directory = own_state_directory(run)
        live = sorted(directory.glob("*.state")) if directory else []
        here = platform.node()
        copied = {path.stem for path in saved}
        found = [*saved, *(path for path in live if f"{here}-{path.stem}" not in copied)]
        return [path for path in found if path.is_file()]

    def merge(self, run: Run, *, job_has_ended: bool) -> Profile:
        """Joins the states of the ranks into one profile, in memory."""
        return merge_states([str(path) for path in self.states(run)], job_has_ended)

    def write_profile(self, profile: Profile) -> None:
        """Writes profile.ww.

        Raises:
            NotSaved: the file system does not take it.
        """
        try:
            write_profile(profile, str(self.profile))
        except NativeError as error:
            raise NotSaved(str(error)) from error

    def remove_states(self, run: Run) -> None:
        """Removes what the profile was merged from."""
        shutil.rmtree(self.parts, ignore_errors=True)
        directory = own_state_directory(run)
        if directory is not None:
            shutil.rmtree(directory, ignore_errors=True)

    def read_profile(self, run: Run) -> Profile:
        """profile.ww; of a run that has not ended, what its ranks have written so far.

        Raises:
            InvalidRun: profile.ww is missing or is no profile.
        """
        if not self.profile.exists():
            if run.status != "running":
                raise InvalidRun(f"{self.profile}: is missing, so that nothing is known of the run")
            return self.merge(run, job_has_ended=False)
        try:
            return read_profile(str(self.profile))
        except InvalidInput as error:
            raise InvalidRun(str(error)) from error


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
    run = files.read_run()
    return run, summarise(run, files.read_profile(run))
