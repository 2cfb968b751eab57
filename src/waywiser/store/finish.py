"""How a run ends: by the `waywiser profile` that began it, or without it."""

from __future__ import annotations

import platform
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
    return run.model_copy(
        update={
            "status": status,
            "ended": datetime.now(UTC),
            "exit_code": code,
            "mpi": mpi_of(profile),
            "notes": tuple(notes),
            "state_directory": None,
            "process": None,
        }
    )


def finished_bare(run: Run, code: int | None, notes: list[str]) -> Run:
    """The end of a run without the profiler, of which only the exit code speaks."""
    status: Status = "partial" if code is None else "failed" if code else "complete"
    ended = {"status": status, "ended": datetime.now(UTC), "exit_code": code, "notes": tuple(notes)}
    return run.model_copy(update={**ended, "state_directory": None, "process": None})


def finish_if_abandoned(files: RunDirectory, run: Run) -> Run:
    """Makes a run permanent whose `waywiser profile` was killed, once its processes have ended.

    Returns:
        The finished run; `run` as it is if it was not abandoned, if its processes may still run, or
        if the directory does not take it.
    """
    if run.status != "running" or run.process is None or run.machine.host != platform.node():
        return run
    pid, start = run.process
    if start_of(pid) == start or files.has_processes(run):
        return run
    try:
        if run.profiler:
            profile = files.merge(run, job_has_ended=True)
            files.write_profile(profile)
            trace = files.write_trace(run)
            done = finished(run, profile, None, [ABANDONED]).model_copy(update={"trace": trace})
        else:
            done = finished_bare(run, None, [ABANDONED])
        files.write_run(done)
    except NotSaved:
        return run
    files.remove_states(run)
    return done
