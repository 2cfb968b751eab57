"""Other codes that propagate waves, built or installed outside the repository.

Each function runs a peer and returns a record for each mode, with GPoint/s of `propa` or of an
operator of ww-fd.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.common import Record, json_lines, run

OPERATORS = {"second-1": 0, "second-2": 1, "second-3": 2, "laplacian": 3}
"""Operator of hpcscan -> its position in the log."""

SIDE_BY_SIDE = 8
"""Order of peers other than hpcscan: YASK's program has one order."""


@dataclass(frozen=True)
class Job:
    """A peer's job: `points` on each axis, in fp32."""

    points: int
    steps: int
    threads: int
    order: int
    directory: Path

    @property
    def variables(self) -> dict[str, str]:
        return {"OMP_NUM_THREADS": str(self.threads), "OMP_PROC_BIND": "true"}


def call(command: list[str], job: Job) -> str:
    return run(command, job.directory, **job.variables)


def hpcscan(program: str, job: Job, case: str) -> list[Record]:
    """Records of hpcscan in both modes, including the exchange of halos. It exits with 0 even if
    its checks fail."""
    log = job.directory / f"hpcscan.perf.{case}.log"
    records: list[Record] = []
    for mode in ("Baseline", "CacheBlk"):
        log.unlink(missing_ok=True)
        axes = [word for axis in "123" for word in (f"-n{axis}", str(job.points))]
        options = ["-testCase", case, "-testMode", mode, "-fdOrder", str(job.order), *axes]
        options += ["-nt", str(job.steps), "-snapInc", str(job.steps + 1)]
        options += ["-ntry", "2", "-cb2", "16", "-cb3", "16"]
        call([program, *options], job)
        words = log.read_text(encoding="utf-8").split("\n")[0].split()
        numbers = [float(word) for word in words if word.replace(".", "", 1)[:1].isdigit()][9:]
        places = {"propa": 0} if case == "Propa" else OPERATORS
        rates = {name: numbers[6 * place + 2] for name, place in places.items()}
        records.append({"mode": mode, "GPoint_per_s": rates})
    return records


def devito(python: str, job: Job) -> list[Record]:
    """Records of Devito, one for each shape of blocks. It has no boundary, and three fields, not
    two."""
    if job.order != SIDE_BY_SIDE:
        return []
    script = Path(__file__).with_name("devito_waves.py")
    numbers = [str(number) for number in (job.points, job.order, job.steps)]
    return [
        {
            "mode": str(record["blocks"]),
            "devito": record["version"],
            "GPoint_per_s": {"propa": record["GPoint_per_s"]},
        }
        for record in json_lines(call([python, str(script), *numbers], job))
    ]


def yask(program: str, job: Job) -> list[Record]:
    """Records of iso3dfd with tiles in space, and with tiles in time too; it has no boundary."""
    if job.order != SIDE_BY_SIDE:
        return []
    size = ["-g", str(job.points), "-no-pre_auto_tune", "-num_trials", "2", "-sleep", "0"]
    size += ["-trial_steps", str(job.steps)]
    tiles = ["-Mbt", "4", "-bt", "4", "-bx", "64", "-by", "64", "-bz", str(job.points)]
    records = []
    for mode, options in {"yask": [], "yask temporal": tiles}.items():
        output = call([program, *size, *options], job)
        match = re.search(r"best-throughput \(num-points/sec\): *([0-9.]+)([KMG])", output)
        if match is None:
            raise SystemExit(f"bench: {program} does not say its best throughput")
        rate = float(match[1]) * {"K": 1e-6, "M": 1e-3, "G": 1.0}[match[2]]
        records.append({"mode": mode, "GPoint_per_s": {"propa": rate}})
    return records


PEERS: dict[str, Callable[[str, Job], list[Record]]] = {
    "hpcscan": lambda program, job: hpcscan(program, job, "Propa"),
    "yask": yask,
    "devito": devito,
}
"""Name of a peer -> function that runs it."""
