"""Batch systems that cannot run here: what their commands answer, as test_schedulers.py has it."""

from __future__ import annotations

import json
from typing import ClassVar

COMMANDS = """\
#!/bin/sh
# Every submission gets the next number; what the queue says is in a file.
cd DIRECTORY
case "$(basename "$0") $1" in
"qsub "* | "flux batch" | "sbatch "*)
    if [ -e refusal ]; then cat refusal >&2; exit 1; fi
    number=$(($(cat number) + 1))
    echo $number >number
    echo "ID" | sed "s/NUMBER/$number/" ;;
"flux getattr") echo "$FLUX" ;;
"scontrol "*) echo "MaxArraySize = 1001" ;;
"qstat "* | "flux jobs" | "squeue "*) if [ -e silent ]; then exit 1; else cat queue; fi ;;
*) exit 1 ;;
esac
"""


class BatchSystem:
    """The commands of one batch system, and its names for jobs and states."""

    commands: tuple[str, ...]
    id: str
    """Id of job NUMBER, as it is printed."""

    states: ClassVar[dict[str, dict[str, object] | str]]

    def listing(self, number: int, state: str) -> str:
        """The queue's listing of a job; of none for the state "gone"."""
        raise NotImplementedError

    def environment(self, number: int) -> dict[str, str]:
        """The variables in the environment of a job's script."""
        raise NotImplementedError


class Pbs(BatchSystem):
    commands = ("qsub", "qstat")
    id = "NUMBER.pbs"
    states: ClassVar = {
        "waiting": {"job_state": "Q"},
        "running": {"job_state": "R"},
        "timeout": {"job_state": "F", "Exit_status": -29},
        "out of memory": {"job_state": "F", "Exit_status": -27},
        "node failed": {"job_state": "F", "Exit_status": -20},
        "cancelled": {"job_state": "F", "substate": 91},
    }

    def listing(self, number: int, state: str) -> str:
        jobs = {f"{number}.pbs": self.states[state]} if state != "gone" else {}
        return json.dumps({"Jobs": jobs})

    def environment(self, number: int) -> dict[str, str]:
        return {"PBS_JOBID": f"{number}.pbs"}


class Flux(BatchSystem):
    commands = ("flux",)
    id = "ƒNUMBER"
    states: ClassVar = {
        "waiting": {"state": "SCHED"},
        "running": {"state": "RUN"},
        "timeout": {"state": "INACTIVE", "result": "TIMEOUT"},
        "node failed": {
            **{"state": "INACTIVE", "result": "FAILED"},
            "exception": {"type": "node-failure"},
        },
        "cancelled": {"state": "INACTIVE", "result": "CANCELED"},
    }

    def listing(self, number: int, state: str) -> str:
        job = self.states.get(state)
        return json.dumps(
            {"jobs": [{"jobid": f"ƒ{number}", **job}] if isinstance(job, dict) else []}
        )

    def environment(self, number: int) -> dict[str, str]:
        return {"FLUX": f"ƒ{number}"}


class Slurm(BatchSystem):
    commands = ("sbatch", "squeue", "scontrol", "sacct", "sacctmgr")
    id = "NUMBER"
    states: ClassVar = {
        "waiting": "PENDING",
        "running": "RUNNING",
        "timeout": "TIMEOUT",
        "out of memory": "OUT_OF_MEMORY",
        "node failed": "NODE_FAIL",
        "preempted": "PREEMPTED",
        "cancelled": "CANCELLED",
    }

    def listing(self, number: int, state: str) -> str:
        return f"{number}|{number}|N/A|{self.states[state]}\n" if state != "gone" else ""

    def environment(self, number: int) -> dict[str, str]:
        return {"SLURM_JOB_ID": str(number)}


SYSTEMS: dict[str, BatchSystem] = {"pbs": Pbs(), "flux": Flux(), "slurm": Slurm()}
