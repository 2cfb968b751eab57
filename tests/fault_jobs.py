"""What writes runs and studies, each time in a process of its own, with a fault (tests/faults.c).

`python -m tests.fault_jobs JOB`, preloaded, takes lines of FOLDER, LOG, FAULT and CALL, and answers
each with the exit code of its process.
"""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

from waywiser.errors import WaywiserError
from waywiser.measure.profiled import save
from waywiser.store import RunDirectory, finished
from waywiser.store.finish import finish_if_abandoned
from waywiser.store.study import StudyDirectory

BROKEN = 70
"""Exit code after what is no sentence for a user."""

ENDED = ("the run was replaced",)
PLAN = ("# the new one\n", {"point": "new"})


def finish(folder: Path) -> int:
    """A reader makes the run permanent whose `waywiser profile` was killed."""
    files = RunDirectory(folder)
    return int(finish_if_abandoned(files, files.read_run()).status == "running")


def saved(folder: Path) -> int:
    """`waywiser profile` at the end of its program."""
    tempfile.tempdir = str(elsewhere(folder))
    files = RunDirectory(folder)
    started = files.read_run()
    profile = files.merge(started, job_has_ended=True)
    save(files, finished(started, profile, 0, []), profile, started)
    return 0


def run_json(folder: Path) -> int:
    """A run's result, say, is written."""
    files = RunDirectory(folder)
    files.write_run(files.read_run().replace(notes=ENDED))
    return 0


def plan(folder: Path) -> int:
    """A study is begun anew."""
    text, points = PLAN
    StudyDirectory(folder).write_plan(text, points, folder)
    return 0


JOBS: dict[str, Callable[[Path], int]] = {
    job.__name__: job for job in (finish, saved, run_json, plan)
}


def elsewhere(folder: Path) -> Path:
    """Where a run goes that its own folder has no room for."""
    return folder.with_name(f"{folder.name}.elsewhere")


def main() -> None:
    job = JOBS[sys.argv[1]]
    arm = ctypes.CDLL(None).faults_arm
    for line in sys.stdin:
        folder, log, fault, at = line.split()
        process = os.fork()
        if process == 0:
            arm(folder.encode(), log.encode(), fault.encode(), ctypes.c_long(int(at)))
            os._exit(code_of(job, Path(folder)))
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def code_of(job: Callable[[Path], int], folder: Path) -> int:
    try:
        return job(folder)
    except WaywiserError as error:
        return error.exit_code
    except BaseException:
        traceback.print_exc()
        return BROKEN


if __name__ == "__main__":
    main()
