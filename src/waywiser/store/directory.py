"""The directory of a run: run.json, stdout, stderr, profile.ww, and parts/ until it is merged."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from waywiser.errors import InvalidCommand, InvalidRun, NotSaved
from waywiser.model.run import Run
from waywiser.model.trace import Trace
from waywiser.native._native import (
    CallSite,
    NativeError,
    Profile,
    TraceFile,
    merge_recordings,
    merge_states,
    read_profile,
    write_profile,
)
from waywiser.store.durable import (
    copy_file,
    make_directory,
    remove_temporaries,
    rename,
    replace_text,
    sync_file,
)
from waywiser.store.live import is_alive, own_state_directory

COLLECTORS_SECONDS = 2.0
"""Collectors need milliseconds: after this time, a collector was killed, or its node is lost."""


LOST_SECONDS = 900.0
"""Age of a copy from which its node is lost: three times the longest interval of copies."""


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
        self._merged = path / "parts.merged"

    def create(self) -> None:
        """Creates the directory.

        Raises:
            InvalidCommand: the directory exists and is not empty, or cannot be created.
        """
        try:
            if self.path.exists() and any(self.path.iterdir()):
                raise InvalidCommand(f"{self.path} exists already; give another name with -o")
            make_directory(self.parts)
        except OSError as error:
            raise InvalidCommand(f"{self.path} cannot be made: {error.strerror}") from error

    def discard(self) -> None:
        """Removes the directory with its contents."""
        shutil.rmtree(self.path, ignore_errors=True)

    def discard_results(self) -> None:
        """Removes profile and trace, of which the caller has a copy elsewhere."""
        shutil.rmtree(self.trace.parent, ignore_errors=True)
        with suppress(OSError):
            self.profile.unlink()

    def write_run(self, run: Run) -> None:
        """Replaces run.json atomically.

        Raises:
            NotSaved: the file cannot be written.
        """
        replace_text(self.run_json, run.model_dump_json(indent=2) + "\n")

    def read_run(self) -> Run:
        """Reads run.json.

        Raises:
            InvalidRun: the file is missing, unreadable, or not a run.json of this version.
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
        """The end of the command's stderr, at most `size` bytes."""
        try:
            with (self.path / "stderr").open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - size))
                return file.read().decode("utf-8", "replace")
        except OSError:
            return ""

    def states(self, run: Run) -> list[Path]:
        """The ranks' states: first those in this node's memory, since a collector may be moving
        them into the run's files, and then these files, one for each node.
        """
        directory = own_state_directory(run)
        live = sorted(directory.glob("*.state")) if directory else []
        saved = [path for suffix in ("state", "states", "copy") for path in self._parts(suffix)]
        return [path for path in [*live, *saved] if _has_content(path)]

    def _parts(self, suffix: str) -> list[Path]:
        return sorted(self.parts.glob(f"*.{suffix}"))

    def wait_for_collectors(self, seconds: float = COLLECTORS_SECONDS) -> None:
        """Waits at most `seconds` until every node has saved the states of its killed ranks."""
        deadline = time.monotonic() + seconds
        while any(map(_is_there, self._parts("copy"))) and time.monotonic() < deadline:
            time.sleep(0.01)

    def has_processes(self, run: Run) -> bool:
        """True if the run has processes on this node, or on a node with a recent copy of its
        states, which a collector renews and removes at the end.
        """
        directory = own_state_directory(run)
        if directory is not None and any(map(is_alive, directory.glob("*.state"))):
            return True
        return any(age < LOST_SECONDS for age in map(_age_seconds, self._parts("copy")))

    def merge(self, run: Run, *, job_has_ended: bool) -> Profile:
        """Joins the states of the ranks into one profile, in memory.

        Raises:
            NotSaved: the job has ended, and a possibly complete state cannot be read.
        """
        try:
            profile = merge_states([str(path) for path in self.states(run)], job_has_ended)
        except NativeError as error:
            raise self._not_merged(str(error)) from error
        if job_has_ended:
            self._check_not_merged()
        return profile

    def _not_merged(self, why: str) -> NotSaved:
        return NotSaved(
            f"{why}; what the ranks have left is kept, and `waywiser show {self.path}` merges it"
        )

    def _check_not_merged(self) -> None:
        """Checks that no other process has merged the ranks' files while they were read."""
        if self.is_merged:
            raise NotSaved(f"{self.path}: another process has merged it meanwhile")

    def write_profile(self, profile: Profile) -> None:
        """Writes profile.ww, and syncs the output that was written before it.

        Raises:
            NotSaved: a file cannot be written.
        """
        for output in ("stdout", "stderr"):
            sync_file(self.path / output)
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
        """Writes trace/trace.ww from the ranks' records.

        Args:
            name_places: call sites -> readable names of their places in the program.
            path: path of the trace; None: in this directory.

        Returns:
            None if the run records no trace.

        Raises:
            NotSaved: the trace cannot be written, or the ranks' records cannot be read.
        """
        if "trace" not in run.options:
            return None
        path = path or self.trace
        states = [str(state) for state in self.states(run)]
        calls = [str(calls) for calls in self._parts("calls")]

        def name_places_of_all(sites: Sequence[CallSite]) -> list[str]:
            self._check_not_merged()
            return name_places(sites)

        try:
            held = merge_recordings(states, calls, str(path), name_places_of_all)
            if not held.recorded:
                return None
            return Trace(
                calls=held.calls,
                bytes=path.stat().st_size,
                dropped_calls=held.dropped_calls,
                lost_calls=held.lost_calls,
                lost=tuple(held.lost),
            )
        except (NativeError, OSError) as error:
            raise self._not_merged(str(error)) from error

    def copy_trace(self, source: RunDirectory) -> None:
        """Copies another directory's trace, if it has one.

        Raises:
            NotSaved: the trace cannot be written.
        """
        if not source.trace.exists():
            return
        try:
            make_directory(self.trace.parent)
        except OSError as error:
            raise NotSaved(f"{self.trace} cannot be written: {error.strerror}") from error
        copy_file(source.trace, self.trace)

    @property
    def is_merged(self) -> bool:
        """True if nothing is left to merge."""
        return not self.parts.exists()

    def described_trace(self) -> Trace | None:
        """The size, calls and losses of trace.ww; None if the file does not exist.

        Raises:
            InvalidRun: the trace cannot be read.
        """
        if not self.trace.exists():
            return None
        try:
            job = TraceFile(str(self.trace)).job
        except NativeError as error:
            raise InvalidRun(str(error)) from error
        return Trace(
            calls=sum(stream.calls for stream in job.streams),
            bytes=self.trace.stat().st_size,
            dropped_calls=sum(rank.dropped_calls for rank in job.ranks),
            lost=tuple(job.lost),
        )

    def checked_trace(self, run: Run) -> Trace | None:
        """The run's record of its trace, with the calls that its file has lost since.

        Raises:
            InvalidRun: the trace cannot be read.
        """
        recorded = run.trace
        if recorded is None or (
            self.trace.exists() and self.trace.stat().st_size == recorded.bytes
        ):
            return recorded
        remainder = self.described_trace() or Trace(calls=0, bytes=0)
        missing = max(0, recorded.calls - remainder.calls)
        why = "is not the trace that the run left"
        if remainder.bytes < recorded.bytes:
            why = f"is shorter than the run left it ({remainder.bytes} of {recorded.bytes} bytes)"
        why = why if self.trace.exists() else "is missing"
        lost = (
            *recorded.lost,
            *(sentence for sentence in remainder.lost if sentence not in recorded.lost),
        )
        return recorded.replace(
            calls=remainder.calls,
            bytes=remainder.bytes,
            dropped_calls=recorded.dropped_calls + missing,
            lost_calls=recorded.lost_calls + missing,
            lost=(
                f"trace.ww {why}: {missing} of {recorded.calls} calls are missing; copy it anew, "
                "or record the run again",
                *lost,
            ),
        )

    def remove_left_states(self, run: Run) -> None:
        """Removes the states of an ended run if a crash prevented or interrupted their removal.

        Raises:
            NotSaved: the states cannot be removed.
        """
        if self.parts.exists() or self._merged.exists():
            self.remove_states(run)

    def remove_states(self, run: Run) -> None:
        """Removes the ranks' states after the merged run is on the disk.

        A single rename invalidates them: states that remain after a crash are not merged again.

        Raises:
            NotSaved: the states cannot be removed.
        """
        shutil.rmtree(self._merged, ignore_errors=True)
        with suppress(FileNotFoundError):
            try:
                rename(self.parts, self._merged)
            except OSError as error:
                raise NotSaved(f"{self.parts} cannot be removed: {error.strerror}") from error
        directory = own_state_directory(run)
        if directory is not None:
            shutil.rmtree(directory, ignore_errors=True)
        shutil.rmtree(self._merged, ignore_errors=True)
        for file in (self.run_json, self.profile, self.trace):
            remove_temporaries(file)

    def read_profile(self, run: Run) -> Profile:
        """Reads profile.ww; for a running run, merges the present states of its ranks.

        Raises:
            InvalidRun: profile.ww is missing or is not a profile.
        """
        if not self.profile.exists():
            if run.imported_from:
                raise InvalidRun(f"{self.path}: was imported and has a trace, but no profile")
            if not run.profiler:
                raise InvalidRun(f"{self.path}: was run without the profiler (--bare)")
            if run.status != "running":
                why = "; ".join(run.notes) or "nothing is known of the run"
                raise InvalidRun(f"{self.profile}: is missing: {why}")
            if self.is_merged:
                raise InvalidRun(
                    f"{self.path}: nothing of its ranks is left here; if there was no space, "
                    "`waywiser profile` has kept the run elsewhere and said where"
                )
            return self.merge(run, job_has_ended=False)
        try:
            return read_profile(str(self.profile))
        except NativeError as error:
            raise InvalidRun(str(error)) from error


def _has_content(path: Path) -> bool:
    """True if a file has content; False for the state of a process that has not called MPI, and for
    a removed file."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _age_seconds(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:  # the file has just been removed
        return LOST_SECONDS


def _is_there(path: Path) -> bool:
    """True if the file can be opened: NFS may answer a look-up of its name from a cache for a
    minute."""
    try:
        os.close(os.open(path, os.O_RDONLY))
    except OSError:
        return False
    return True
