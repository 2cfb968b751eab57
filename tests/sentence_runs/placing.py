"""Sentences on placements: communication patterns, slots, and positions of ranks."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.closed_form_replay import summary_on_paper
from tests.sentence_runs.studies import answered
from tests.synthetic_placements import placement
from tests.synthetic_runs import rank, summary
from waywiser.analyse.placement import job_of, remarks_of
from waywiser.analyse.placement_check import check_placement, placement_of_run
from waywiser.analyse.traffic import traffic_of_run
from waywiser.machines.allocation import Allocation
from waywiser.machines.library import read_machine, topology_of
from waywiser.model.pairs import Pairs
from waywiser.model.run import Run
from waywiser.model.summary import Matrix


@answered
def sent(*remarks: str, between: int = 2, ranks: int = 2) -> str:
    """Rank 0 sends to another rank, or to itself.

    Args:
        remarks: on collectives that are in no matrix.
    """
    entries = Pairs([(0, between - 1, 8)])
    profile = summary_on_paper((0, 1)).replace(
        matrix=Matrix(bytes=entries, messages=entries), collective_remarks=remarks
    )
    return f"{traffic_of_run(profile, 'run').ranks}"


LEFT_OUT = "MPI_Alltoallw is left out: its members are not known (3 calls)"


@answered
def slots(each: int, on: str = "rig-3") -> str:
    """Ranks, and remarks on the slots, of a job of three ranks on two hosts."""
    machine = read_machine(on)
    allocation = Allocation(hosts=("n0", "n1"), nodes=(0, 1), slots=(1, each))
    traffic = traffic_of_run(summary_on_paper((0, 0, 1)), "run")
    job = job_of(traffic, machine, topology_of(machine), allocation, source="hosts")
    return "; ".join([f"{job.traffic.ranks}", *remarks_of(job, machine)])


@answered
def placed(left: int = 3, ranks: int = 3) -> str:
    """A run of which so many ranks left a profile, against a placement of three."""
    profile = summary([rank(n, {}) for n in range(left)], lost=ranks - left)
    check = check_placement("run", profile, "placed", placement("n0", "n1", "n0"))
    return "; ".join(check.remarks)


@answered
def named(
    command: str = "placed",
    later_s: float = 0,
    given: str | None = None,
    document: Callable[[], str] = lambda: placement("n0", "n1").model_dump_json(),
) -> str:
    """The placement that a run was launched with.

    Args:
        later_s: by which its document is younger than the run.
    """
    with tempfile.TemporaryDirectory() as directory:
        started = datetime.now(UTC) + timedelta(minutes=1)
        file = Path(directory) / "placed.json"
        file.write_text(document(), encoding="utf-8")
        if later_s:
            os.utime(file, (started.timestamp() + later_s,) * 2)
        run: Any = Run.model_construct(
            command=("mpirun", "--map-by", f"rankfile:FILE={command}", "./app"),
            directory=directory,
            environment={},
            started=started,
        )
        path = Path(directory) / given if given else None
        return f"{placement_of_run(Path('run'), run, path)[0]}"
