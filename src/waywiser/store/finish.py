"""How a run ends: by the `waywiser profile` that began it, or without it."""

from __future__ import annotations

import platform
from contextlib import suppress
from datetime import UTC, datetime

from waywiser.errors import NotSaved
from waywiser.model.run import Run, Status
from waywiser.native._native import Ending, Profile
from waywiser.store.directory import RunDirectory
from waywiser.store.live import start_of
from waywiser.store.mpi import mpi_of

ABANDONED = (
    "waywiser was killed while the program ran, so that its exit code and the rest of its output "
    "are not known"
)


def finished(run: Run, profile: Profile, code: int | None, notes: list[str]) -> Run:
    """The run with its end, and with what the library said of itself.

    Args:
        code: the exit code; None if nobody was there to see it.
    """
    whole = (
        bool(profile.ranks)
        and len(profile.ranks) == profile.world_size
        and all(rank.ending == Ending.finalised for rank in profile.ranks)
        and code is not None
    )
    status: Status = "partial" if not whole else "failed" if code else "complete"
    return run.replace(
        status=status,
        ended=datetime.now(UTC),
        exit_code=code,
        mpi=mpi_of(profile),
        notes=tuple(notes),
        state_directory=None,
        process=None,
    )


def finished_bare(run: Run, code: int | None, notes: list[str]) -> Run:
    """The end of a run without the profiler, of which only the exit code speaks."""
    status: Status = "partial" if code is None else "failed" if code else "complete"
    ended = {"status": status, "ended": datetime.now(UTC), "exit_code": code, "notes": tuple(notes)}
    return run.replace(**ended, state_directory=None, process=None)


def finish_if_abandoned(files: RunDirectory, run: Run) -> Run:
    """Makes a run permanent whose `waywiser profile` was killed, once its processes have ended.

    Returns:
        The finished run; `run` as it is if it was not abandoned, if its processes may still run, or
        if the directory does not take it.

    Raises:
        InvalidRun: nothing is left of it.
    """
    if run.status != "running":
        with suppress(NotSaved):
            files.remove_left_states(run)
        return run
    if not _is_abandoned(files, run):
        return run
    try:
        done = _abandoned(files, run)
        files.write_run(done)
    except NotSaved:
        return files.read_run()  # another process may have finished it meanwhile
    with suppress(NotSaved):
        files.remove_states(run)
    return done


def as_it_stands(files: RunDirectory, run: Run) -> Run:
    """Return the run as `finish_if_abandoned` would, without writing: an abandoned run has no
    profile yet."""
    if run.status != "running" or not _is_abandoned(files, run):
        return run
    return finished_bare(run, None, [ABANDONED]).replace(profiler=None)


def _is_abandoned(files: RunDirectory, run: Run) -> bool:
    """Whether the processes of a run that has not ended are gone, as far as this host tells."""
    if run.process is None or run.machine.host != platform.node():
        return False
    pid, start = run.process
    return start_of(pid) != start and not files.has_processes(run)


def _abandoned(files: RunDirectory, run: Run) -> Run:
    """The end of a run whose profile and trace are written here, if not by ww-merge."""
    if not run.profiler:
        return finished_bare(run, None, [ABANDONED])
    if files.is_merged:
        profile, trace = files.read_profile(run), files.described_trace()
    else:
        profile = files.merge(run, job_has_ended=True)
        trace = files.write_trace(run)
        files.write_profile(profile)
    return finished(run, profile, None, [ABANDONED]).replace(trace=trace)
