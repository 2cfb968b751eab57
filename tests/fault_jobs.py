"""Jobs that write runs and studies, each in its own process with a fault (tests/faults.c).

`python -m tests.fault_jobs JOB`, preloaded, takes lines of DIRECTORY, LOG, FAULT and CALL, and
answers each with the exit code of its process.
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


def finish(directory: Path) -> int:
    """A reader makes the run permanent whose `waywiser profile` was killed."""
    files = RunDirectory(directory)
    return int(finish_if_abandoned(files, files.read_run()).status == "running")


def saved(directory: Path) -> int:
    """`waywiser profile` at the end of its program."""
    tempfile.tempdir = str(elsewhere(directory))
    files = RunDirectory(directory)
    started = files.read_run()
    profile = files.merge(started, job_has_ended=True)
    save(files, finished(started, profile, 0, []), profile, started)
    return 0


def run_json(directory: Path) -> int:
    """A run's result, say, is written."""
    files = RunDirectory(directory)
    files.write_run(files.read_run().replace(notes=ENDED))
    return 0


def plan(directory: Path) -> int:
    """A study is begun anew."""
    text, points = PLAN
    StudyDirectory(directory).write_plan(text, points, directory)
    return 0


JOBS: dict[str, Callable[[Path], int]] = {
    job.__name__: job for job in (finish, saved, run_json, plan)
}


def elsewhere(directory: Path) -> Path:
    """Directory for a run that does not fit into its own directory."""
    return directory.with_name(f"{directory.name}.elsewhere")


def main() -> None:
    job = JOBS[sys.argv[1]]
    arm = ctypes.CDLL(None).faults_arm
    for line in sys.stdin:
        directory, log, fault, at = line.split()
        process = os.fork()
        if process == 0:
            arm(directory.encode(), log.encode(), fault.encode(), ctypes.c_long(int(at)))
            os._exit(code_of(job, Path(directory)))
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def code_of(job: Callable[[Path], int], directory: Path) -> int:
    try:
        return job(directory)
    except WaywiserError as error:
        return error.exit_code
    except BaseException:
        traceback.print_exc()
        return BROKEN


if __name__ == "__main__":
    main()
