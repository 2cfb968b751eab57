"""Measures time and memory of `waywiser machine usage` for the accounts of a million jobs.

Each round reads the lines and counts their separators, as a plain program would, and then runs
`waywiser machine usage` in a separate process. The result is compared with the generated jobs, so
that a reader that omits jobs has no metric.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from pathlib import Path

import numpy as np

from bench.common import Add, Record, at_most, document_of, options, runner

SECONDS_TARGET = 20.0
MEMORY_TARGET_BYTES = 1e9
"""Limit for `JOBS` jobs; fewer jobs have no bars."""

JOBS = 1_000_000
YEAR_SECONDS = 366 * 86400
HEADER = (
    "JobIDRaw|Cluster|Partition|Submit|Eligible|Start|End|ElapsedRaw|AllocNodes|AllocCPUS|"
    "CPUTimeRAW|TimelimitRaw|State|ExitCode|JobName\n"
)


def make_accounts(path: Path, jobs: int) -> float:
    """Writes a year of jobs in the format of `sacct -P`; returns their node-hours."""
    chance = np.random.default_rng(1)
    since = np.sort(chance.integers(0, YEAR_SECONDS, jobs)) + np.datetime64("2020-01-01", "s")
    start = since + chance.exponential(7200, jobs).astype(int)
    runs = chance.exponential(20_000, jobs).astype(int)
    nodes = 2 ** chance.integers(0, 12, jobs)
    columns = (
        *(np.datetime_as_string(moments) for moments in (since, start, start + runs)),
        *(runs.tolist(), nodes.tolist()),
    )
    with path.open("w", encoding="utf-8") as file:
        file.write(HEADER)
        for number, (came, began, ended, run, size) in enumerate(zip(*columns, strict=True), 1):
            file.write(
                f"{number}|bench|normal|{came}|{came}|{began}|{ended}|{run}|{size}|{size * 68}|"
                f"{run * size * 68}|1440|COMPLETED|0:0|job.sh\n"
            )
    return float((runs * nodes).sum() / 3600)


def read_plainly(path: Path) -> Record:
    begin = time.perf_counter()
    with path.open("rb") as file:
        separators = sum(line.count(b"|") for line in file)
    seconds = time.perf_counter() - begin
    return {"step": "read", "seconds": seconds, "separators": separators}


def tell(path: Path, jobs: int, node_hours: float) -> Record:
    begin = time.perf_counter()
    result = document_of("machine", "usage", path, "--nodes", "10000")
    seconds = time.perf_counter() - begin
    if result["all"]["jobs"] != jobs or abs(result["unit_hours"] / node_hours - 1) > 1e-9:
        raise SystemExit(f"bench: expected {jobs} jobs of {node_hours} node-hours, found {result}")
    peak = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return {"step": "usage", "seconds": seconds, "peak_bytes": peak, "jobs": jobs}


def parse(argv: list[str] | None) -> argparse.Namespace:
    return options(
        __name__, jobs=(JOBS, "of a year"), rounds=(3, "of reading and counting")
    ).parse_args(argv)


def measure(args: argparse.Namespace, directory: Path, add: Add) -> Record:
    readings, reports = [], []
    path = directory / "jobs.txt"
    node_hours = make_accounts(path, args.jobs)
    for number in range(args.rounds):
        readings.append(read_plainly(path))
        reports.append(tell(path, args.jobs, node_hours))
        add({"round": number, **readings[-1]})
        add({"round": number, **reports[-1]})
    return {
        "jobs": args.jobs,
        "seconds": statistics.median(report["seconds"] for report in reports),
        "plain": statistics.median(reading["seconds"] for reading in readings),
        "peak": max(report["peak_bytes"] for report in reports),
    }


def bars(args: argparse.Namespace, results: Record) -> list[Record]:
    if args.jobs < JOBS:
        return []
    usage = f"usage of {args.jobs} jobs"
    return [
        at_most(SECONDS_TARGET, f"{usage}, s", "absolute", results["seconds"]),
        at_most(MEMORY_TARGET_BYTES, f"{usage}, B", "absolute", results["peak"]),
    ]


def show(results: Record) -> None:
    print(
        f"{results['jobs']} jobs: {results['seconds']:.2f} s, "
        f"{results['seconds'] / results['plain']:.1f} times reading their lines, "
        f"peak {results['peak'] / 1e6:.0f} MB"
    )


main = runner(parse, measure, bars, show)
