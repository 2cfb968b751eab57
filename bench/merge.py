"""Measures the time to merge the states of a large job into a profile, compared with reading them.

Every round reads and checksums the files (CRC-32, as a plain program would). Then it merges them
into profile.ww in a separate process, whose peak memory is that of the merge. The records of the
result are counted, so that an incomplete merge has no metric.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import time
import zlib
from pathlib import Path

from bench import common
from bench.common import Add, Record

SECONDS_TARGET = 30.0
MEMORY_TARGET_BYTES = 2e9
"""Limit for 16,384 ranks of 40 functions and 64 neighbours; a smaller job has no bars."""

NODES, RANKS_PER_NODE = 256, 64
FUNCTIONS, NEIGHBOURS = 40, 64
"""Numbers of functions and neighbours, as in synthetic_states.cpp."""


def read_and_checksum(files: list[Path]) -> Record:
    begin = time.perf_counter()
    size = checksum = 0
    for path in files:
        block = path.read_bytes()
        size += len(block)
        checksum = zlib.crc32(block, checksum)
    return {"step": "read", "seconds": time.perf_counter() - begin, "bytes": size, "crc": checksum}


def merge_here(directory: Path) -> Record:
    """Merges in this process, which does nothing else."""
    from waywiser.native._native import merge_states, write_profile

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.perf_counter()
    profile = merge_states([str(path) for path in sorted(directory.glob("*.states"))], True)
    merged = time.perf_counter()
    write_profile(profile, str(directory / "profile.ww"))
    written = time.perf_counter()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "step": "merge",
        "seconds": written - begin,
        "merge_seconds": merged - begin,
        "write_seconds": written - merged,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,  # of the whole process
        "peak_bytes": 1024 * usage.ru_maxrss,
        "peak_before_bytes": 1024 * before,
        "profile_bytes": (directory / "profile.ww").stat().st_size,
        "ranks": len(profile.ranks),
        "functions": sum(len(rank.threads[0].functions) for rank in profile.ranks),
        "messages": sum(len(rank.messages) for rank in profile.ranks),
        "lost": profile.lost,
    }


def merge(directory: Path) -> Record:
    command = [sys.executable, "-m", "bench", "merge", "--merge-only", str(directory)]
    record: Record = json.loads(common.run(command))
    return record


def check(record: Record, ranks: int) -> None:
    expected = {
        "ranks": ranks,
        "functions": FUNCTIONS * ranks,
        "messages": len({i * i % ranks for i in range(1, NEIGHBOURS + 1)}) * ranks,
        "lost": [],
    }
    results = {key: record[key] for key in expected}
    if results != expected:
        raise SystemExit(f"bench: expected {expected} of the merge, found {results}")


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = common.options(
        __name__,
        nodes=(NODES, "of the job"),
        ranks_per_node=(RANKS_PER_NODE, "of the job"),
        rounds=(3, "of reading and merging"),
    )
    common.add_compiler(parser, "synthetic_states.cpp")
    parser.add_argument("--merge-only", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def measure(args: argparse.Namespace, directory: Path, add: Add) -> dict[str, float]:
    """Metrics over all rounds."""
    rounds = []
    source, flags = "synthetic_states.cpp", ["-O2", f"-I{common.NATIVE}"]
    generator = common.compiled(args.compiler, source, directory, *flags)
    common.run([generator, directory, str(args.nodes), str(args.ranks_per_node)])
    for number in range(args.rounds):
        reading = read_and_checksum(sorted(directory.glob("*.states")))
        merged = merge(directory)
        check(merged, args.nodes * args.ranks_per_node)
        for record in (reading, merged):
            add({"round": number, **record})
        rounds.append((reading, merged))
    return {
        "reading_seconds": statistics.median(reading["seconds"] for reading, _ in rounds),
        "merge_seconds": statistics.median(merged["seconds"] for _, merged in rounds),
        "peak_bytes": max(merged["peak_bytes"] for _, merged in rounds),
    }


def bars(args: argparse.Namespace, metrics: dict[str, float]) -> list[Record]:
    ranks = args.nodes * args.ranks_per_node
    if ranks < NODES * RANKS_PER_NODE:
        return []
    beside = {"reading_seconds": metrics["reading_seconds"]}
    return [
        common.at_most(
            target, f"merge of {ranks} ranks, {unit}", "absolute", metrics[key], **beside
        )
        for unit, key, target in (
            ("seconds", "merge_seconds", SECONDS_TARGET),
            ("bytes at its peak", "peak_bytes", MEMORY_TARGET_BYTES),
        )
    ]


def show(metrics: dict[str, float]) -> None:
    for name, value in metrics.items():
        print(f"{name:16} {value:14.3f}")


def main(argv: list[str] | None = None) -> int:
    if (only := parse(argv).merge_only) is None:
        return common.runner(parse, measure, bars, show)(argv)
    print(json.dumps(merge_here(only)))
    return 0
