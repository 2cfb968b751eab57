"""A run is a directory: run.json, stdout, stderr, profile.ww, and parts/ while it is not merged."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import ValidationError

from waywiser.errors import InvalidCommand, InvalidRun, NotSaved
from waywiser.model.run import Run
from waywiser.model.trace import Trace
from waywiser.native._native import (
    CallSite,
    InvalidInput,
    NativeError,
    Profile,
    merge_recordings,
    merge_states,
    read_profile,
    write_profile,
)
from waywiser.store.live import is_alive, own_state_directory

KEEPERS_SECONDS = 2.0
"""They need milliseconds. One that is not done by then has been killed, or its node is lost."""


LOST_SECONDS = 900.0
"""A copy of this age is of a lost node: three times the longest period of copies."""


def replace_text(path: Path, text: str) -> None:
    """Writes a file so that it is always whole.

    Raises:
        NotSaved: the file system does not take it.
    """
    temporary = path.with_suffix(".tmp")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise NotSaved(f"{path} cannot be written: {error.strerror}") from error


def _names_of_profiler(sites: Sequence[CallSite]) -> list[str]:
    return [site.place for site in sites]


class RunDirectory:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run_json = path / "run.json"
        self.profile = path / "profile.ww"
        self.trace = path / "trace" / "trace.ww"
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

    def discard(self) -> None:
        """Removes the directory and what is in it."""
        shutil.rmtree(self.path, ignore_errors=True)

    def write_run(self, run: Run) -> None:
        """Replaces run.json, so that it is always whole.

        Raises:
            NotSaved: the file system does not take it.
        """
        replace_text(self.run_json, run.model_dump_json(indent=2) + "\n")

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
        """The ranks' states: those in this node's memory first, since a keeper may be moving them
        into the files of the run, one for each node, which come after."""
        directory = own_state_directory(run)
        live = sorted(directory.glob("*.state")) if directory else []
        saved = [path for suffix in ("state", "states", "copy") for path in self._parts(suffix)]
        return [path for path in [*live, *saved] if _has_content(path)]

    def _parts(self, suffix: str) -> list[Path]:
        return sorted(self.parts.glob(f"*.{suffix}"))

    def wait_for_keepers(self, seconds: float = KEEPERS_SECONDS) -> None:
        """Waits, at most so long, until every node has saved what its killed ranks left."""
        deadline = time.monotonic() + seconds
        while any(map(_is_there, self._parts("copy"))) and time.monotonic() < deadline:
            time.sleep(0.01)

    def has_processes(self, run: Run) -> bool:
        """Whether processes of the run are left, as far as can be told from here: those of this
        node are seen, and a keeper, of whatever node, renews its copy and removes it at the end."""
        directory = own_state_directory(run)
        if directory is not None and any(map(is_alive, directory.glob("*.state"))):
            return True
        return any(age < LOST_SECONDS for age in map(_age_seconds, self._parts("copy")))

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

    def write_trace(
        self,
        run: Run,
        name_places: Callable[[Sequence[CallSite]], list[str]] = _names_of_profiler,
        path: Path | None = None,
    ) -> Trace | None:
        """Writes trace/trace.ww of what the ranks have recorded.

        Args:
            name_places: what a person calls each place in the program.
            path: of the trace, where it is not to be in this directory.

        Returns:
            None if no trace was asked for.

        Raises:
            NotSaved: the file system does not take it.
        """
        if "trace" not in run.options:
            return None
        path = path or self.trace
        states = [str(state) for state in self.states(run)]
        calls = [str(calls) for calls in self._parts("calls")]
        try:
            held = merge_recordings(states, calls, str(path), name_places)
            if not held.recorded:
                return None
            return Trace(
                calls=held.calls,
                bytes=path.stat().st_size,
                dropped_calls=held.dropped_calls,
                lost=tuple(held.lost),
            )
        except NativeError as error:
            raise NotSaved(str(error)) from error

    def copy_trace(self, other: RunDirectory) -> None:
        """Copies another directory's trace, if it has one.

        Raises:
            NotSaved: the file system does not take it.
        """
        if not other.trace.exists():
            return
        temporary = self.trace.with_suffix(".tmp")
        try:
            self.trace.parent.mkdir(exist_ok=True)
            shutil.copyfile(other.trace, temporary)
            temporary.replace(self.trace)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise NotSaved(f"{self.trace} cannot be written: {error.strerror}") from error

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
            if run.imported_from:
                raise InvalidRun(f"{self.path}: was imported and has a trace, but no profile")
            if not run.profiler:
                raise InvalidRun(f"{self.path}: was run without the profiler (--bare)")
            if run.status != "running":
                raise InvalidRun(f"{self.profile}: is missing, so that nothing is known of the run")
            return self.merge(run, job_has_ended=False)
        try:
            return read_profile(str(self.profile))
        except InvalidInput as error:
            raise InvalidRun(str(error)) from error


def _has_content(path: Path) -> bool:
    """False for the empty state of a process that has not called MPI, and for what has gone."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _age_seconds(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:  # it has just been removed
        return LOST_SECONDS


def _is_there(path: Path) -> bool:
    """Opens it: to ask for its name alone may be answered from NFS's cache for a minute."""
    try:
        os.close(os.open(path, os.O_RDONLY))
    except OSError:
        return False
    return True
