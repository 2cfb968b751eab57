"""Measures the speed of writing and reading a trace file, and its bytes per call.

A native program writes the traces of a synthetic solver (halo exchanges and reductions) and of
synthetic molecular dynamics (longer steps at irregular intervals), and reads them again. Writing is
compared with a loop that makes the same calls, and reading with a loop that sums calls in memory.
Rates are by CPU time: those of one core, even if other programs use the machine.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from bench import common
from bench.common import Add, Record

SOURCES = ("base", "trace/encoding", "trace/reading", "trace/writing")

PROGRAMS = ("solver", "dynamics")
READ_CALLS_PER_SECOND = 20e6
WRITE_CALLS_PER_SECOND = 10e6
BYTES_PER_CALL = 6.0
BYTES_GOAL = 3.0
SEQUENCE_GROWTH_BYTES = 0.0
MEMORY_BYTES = 64e6


def build(compiler: str, directory: Path) -> Path:
    sources = [
        str(file) for name in SOURCES for file in sorted((common.NATIVE / name).glob("*.cpp"))
    ]
    options = ["-O3", "-DNDEBUG", f"-I{common.NATIVE}"]
    return common.compiled(compiler, "trace_file.cpp", directory, *options, *sources)


def run_steps(
    program: Path, file: Path, name: str, ranks: int, iterations: int
) -> dict[str, Record]:
    """The time and calls of each step, by name."""
    output = common.run([program, file, name, str(ranks), str(iterations)])
    steps = {record["step"]: record for record in common.json_lines(output)}
    if steps["read"]["checksum"] != steps["make"]["checksum"]:
        raise SystemExit(f"bench: the calls of {name} that were read are not those written")
    return steps


def rate(steps: dict[str, Record], step: str) -> float:
    """Calls per second."""
    calls: float = steps[step]["calls"] / max(steps[step]["cpu_seconds"], 1e-9)
    return calls


def bars_of(name: str, runs: list[dict[str, Record]]) -> list[Record]:
    def median_rate(step: str) -> float:
        return statistics.median(rate(steps, step) for steps in runs)

    steps = runs[0]
    size = steps["size"]
    whole = size["tables_bytes"] + size["sequence_bytes"] + size["times_bytes"]
    per_call = whole / steps["read"]["calls"]
    sequence = size["sequence_bytes"] / steps["read"]["calls"]
    peak = max(steps["write"]["peak_bytes"] for steps in runs)
    return [
        common.at_least(
            READ_CALLS_PER_SECOND,
            f"{name}: calls read per second",
            "absolute",
            median_rate("read"),
            summed_in_memory_per_second=median_rate("sum"),
        ),
        common.at_least(
            WRITE_CALLS_PER_SECOND,
            f"{name}: calls written per second",
            "absolute",
            median_rate("write"),
            written_per_second=median_rate("make"),
        ),
        common.at_most(
            BYTES_PER_CALL,
            f"{name}: bytes per call (goal: {BYTES_GOAL:g})",
            "size",
            per_call,
            sequence_bytes_per_call=sequence,
        ),
        common.at_most(MEMORY_BYTES, f"{name}: bytes of memory to write", "size", peak),
    ]


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = common.options(
        __name__,
        ranks=(8, "of the program"),
        iterations=(20000, "of each rank"),
        rounds=(3, "of both programs"),
    )
    common.add_compiler(parser, "trace_file.cpp")
    return parser.parse_args(argv)


def measure(args: argparse.Namespace, directory: Path, add: Add) -> list[Record]:
    """Measures and returns the bars."""
    verdicts: list[Record] = []
    program, file = build(args.compiler, directory), directory / "trace.ww"
    for name in PROGRAMS:
        runs = []
        for number in range(args.rounds):
            runs.append(run_steps(program, file, name, args.ranks, args.iterations))
            for record in runs[-1].values():
                add({"round": number, "program": name, **record})
        verdicts += bars_of(name, runs)
    few, many = (
        run_steps(program, file, "solver", 2, n)["size"]["sequence_bytes"] for n in (10**3, 10**5)
    )
    title = "solver: bytes that the sequence grows from 10^3 to 10^5 iterations"
    beside, growth = {"sequence_bytes": float(few)}, float(many - few)
    return [*verdicts, common.at_most(SEQUENCE_GROWTH_BYTES, title, "size", growth, **beside)]


main = common.runner(parse, measure, lambda _, bars: bars)
