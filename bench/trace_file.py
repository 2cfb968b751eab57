"""How fast a trace file is written and read, and how many bytes a call takes in it.

A made solver (halo exchanges and reductions) and made molecular dynamics (longer steps at
irregular intervals) are written by a native program that does nothing else, and read again. Beside
the writing stands a loop that makes the same calls, beside the reading one that sums calls in
memory. Rates are of CPU time: those of one core, also where others use the machine.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.common import (
    NATIVE,
    Record,
    add_compiler,
    add_output_options,
    at_least,
    at_most,
    compiled,
    json_lines,
    raw_samples,
    report_bars,
)

SOURCES = ("base", "trace/encoding", "trace/reading", "trace/writing")

PROGRAMS = ("solver", "dynamics")
READ_CALLS_PER_SECOND = 20e6
WRITE_CALLS_PER_SECOND = 10e6
BYTES_PER_CALL = 6.0
BYTES_GOAL = 3.0
SEQUENCE_GROWTH_BYTES = 0.0
MEMORY_BYTES = 64e6


def build(compiler: str, directory: Path) -> Path:
    sources = [str(file) for name in SOURCES for file in sorted((NATIVE / name).glob("*.cpp"))]
    options = ["-O3", "-DNDEBUG", f"-I{NATIVE}"]
    return compiled(compiler, "trace_file.cpp", directory, *options, *sources)


def run(program: Path, file: Path, name: str, ranks: int, iterations: int) -> dict[str, Record]:
    """What each step took, by its name."""
    done = subprocess.run(
        [str(program), str(file), name, str(ranks), str(iterations)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    steps = {record["step"]: record for record in json_lines(done.stdout)}
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
        at_least(
            READ_CALLS_PER_SECOND,
            f"{name}: calls read per second",
            "absolute",
            median_rate("read"),
            summed_in_memory_per_second=median_rate("sum"),
        ),
        at_least(
            WRITE_CALLS_PER_SECOND,
            f"{name}: calls written per second",
            "absolute",
            median_rate("write"),
            made_per_second=median_rate("make"),
        ),
        at_most(
            BYTES_PER_CALL,
            f"{name}: bytes per call (goal: {BYTES_GOAL:g})",
            "size",
            per_call,
            sequence_bytes_per_call=sequence,
        ),
        at_most(MEMORY_BYTES, f"{name}: bytes of memory to write", "size", peak),
    ]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=8, help="default: 8")
    parser.add_argument(
        "--iterations", type=int, default=20000, help="of each rank (default: 20000)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="default: 3")
    add_compiler(parser, "trace_file.cpp")
    add_output_options(parser, "trace_file")
    args = parser.parse_args(argv)
    if min(args.ranks, args.iterations, args.rounds) < 1:
        parser.error("--ranks, --iterations and --rounds start at 1")

    verdicts: list[Record] = []
    with tempfile.TemporaryDirectory() as directory, raw_samples(args.out) as add:
        program = build(args.compiler, Path(directory))
        file = Path(directory) / "trace.ww"
        for name in PROGRAMS:
            runs = []
            for number in range(args.rounds):
                runs.append(run(program, file, name, args.ranks, args.iterations))
                for record in runs[-1].values():
                    add({"round": number, "program": name, **record})
            verdicts += bars_of(name, runs)
        few, many = (
            run(program, file, "solver", 2, n)["size"]["sequence_bytes"] for n in (10**3, 10**5)
        )
        growth = float(many - few)
        verdicts.append(
            at_most(
                SEQUENCE_GROWTH_BYTES,
                "solver: bytes that the sequence grows from 10^3 to 10^5 iterations",
                "size",
                growth,
                sequence_bytes=float(few),
            )
        )
    return report_bars(verdicts, print_all=True)


if __name__ == "__main__":
    sys.exit(main())
