"""The end of a run, by its `waywiser profile` or after that was killed."""

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
    """Return the run with its end and the profile's MPI library.

    Args:
        code: the exit code; None if it is unknown.
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
    """Return a run without the profiler with its end, which the exit code alone decides."""
    status: Status = "partial" if code is None else "failed" if code else "complete"
    ended = {"status": status, "ended": datetime.now(UTC), "exit_code": code, "notes": tuple(notes)}
    return run.replace(**ended, state_directory=None, process=None)


def finish_if_abandoned(files: RunDirectory, run: Run) -> Run:
    """Saves a run whose `waywiser profile` was killed, once its processes have ended.

    Returns:
        The finished run; `run` unchanged if it was not abandoned, if its processes may still run,
        or if its directory cannot be written.

    Raises:
        InvalidRun: nothing is left of the run.
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
        return files.read_run()  # another process may have finished the run meanwhile
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
    """True if the processes of an unfinished run are gone, as far as this host can tell."""
    if run.process is None or run.machine.host != platform.node():
        return False
    pid, start = run.process
    return start_of(pid) != start and not files.has_processes(run)


def _abandoned(files: RunDirectory, run: Run) -> Run:
    """Return an abandoned run with its end; write its profile and trace unless ww-merge did."""
    if not run.profiler:
        return finished_bare(run, None, [ABANDONED])
    if files.is_merged:
        profile, trace = files.read_profile(run), files.described_trace()
    else:
        profile = files.merge(run, job_has_ended=True)
        trace = files.write_trace(run)
        files.write_profile(profile)
    return finished(run, profile, None, [ABANDONED]).replace(trace=trace)
