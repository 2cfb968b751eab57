"""Accounts whose use and waiting are known in closed form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HEADER = "JobIDRaw|User|Submit|Start|End|AllocNodes|ReqNodes|State"


@dataclass(frozen=True)
class Job:
    """Dates as 2020-01-31 or 2020-01-31T12:00:00; without a start, it is pending."""

    since: str
    start: str
    end: str
    nodes: int = 1


def moment(date: str) -> str:
    return str(np.datetime64(date, "s")) if date else "Unknown"


def later(date: str, seconds: int) -> str:
    return str(np.datetime64(date, "s") + seconds)


def write_accounts(path: Path, jobs: Iterable[Job]) -> Path:
    lines = [
        f"{number}|alice|{moment(job.since)}|{moment(job.start)}|{moment(job.end)}|"
        f"{job.nodes if job.start else 0}|{job.nodes}|{'COMPLETED' if job.start else 'PENDING'}"
        for number, job in enumerate(jobs, 1)
    ]
    path.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    return path
