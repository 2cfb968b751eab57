"""Measures the wait analysis of a trace, compared with reading the same trace call by call.

The trace is a halo exchange on a ring with an Allreduce in each iteration, with jitter and one slow
rank. Each round reads the trace without analysis (the named loop), and analyses it in a separate
process, whose peak memory is that of the analysis. A trace of a tenth of the length shows the
growth of memory with the length.

A second trace, of barriers at random times, is larger than the memory of the process that analyses
it: the limit of its data (RLIMIT_DATA, setrlimit(2)) is half the trace. `--long-rounds` sets the
trace's size.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench.common import HERE, Add, Record, at_least, at_most, options, peak_bytes, runner
from waywiser.native import _native as native

CALLS_PER_SECOND_TARGET = 5e6
GROWTH_TARGET_BYTES = 16e6
"""Largest growth of the peak memory from a trace of a tenth of the length to the whole trace."""

MEMORY_SHARE_TARGET = 0.5
"""Largest memory of the analysis, as a share of the trace's bytes."""


def parameters(
    writer: native.TraceWriter, function: str, **values: object
) -> native.TraceParameters:
    result = native.TraceParameters()
    result.function = writer.function(function)
    for name, value in values.items():
        setattr(result, name, value)
    return result


def schedule(ranks: int, iterations: int) -> list[list[tuple[int, int, int, int]]]:
    """Times at which each rank posts, waits, has received, and has the sum, by iteration [ns]."""
    jitter = random.Random(42).randrange
    now = [0] * ranks
    steps = []
    for _ in range(iterations):
        posts = [
            now[r] + 40_000 + jitter(6000) + (9000 if r == ranks // 3 else 0) for r in range(ranks)
        ]
        waits = [post + 1200 for post in posts]
        received = [
            max(waits[r], posts[r - 1] + 800, posts[(r + 1) % ranks] + 800) + 700 + jitter(500)
            for r in range(ranks)
        ]
        summed = max(received) + 2200
        now = [summed + jitter(800) for _ in range(ranks)]
        steps.append(list(zip(posts, waits, received, now, strict=True)))
    return steps


def begin(path: Path, ranks: int) -> native.TraceWriter:
    """Starts a trace of `ranks` ranks on one host; its object 0 is the communicator of all."""
    writer = native.TraceWriter(str(path))
    stride = native.Stride()
    stride.first, stride.stride, stride.count = 0, 1, ranks
    world = native.TraceObject()
    world.context, world.size, world.members = 1, ranks, [stride]
    number = writer.object(world)
    for rank in range(ranks):
        writer.add_rank(rank, "host", [number])
    return writer


def write_long(path: Path, ranks: int, rounds: int) -> None:
    """Writes a trace of barriers, at some eight bytes a call. In each round, all ranks begin within
    2^32 ns, and then end."""
    writer = begin(path, ranks)
    barrier = parameters(writer, "MPI_Barrier", action=native.Action.collective, object=0)
    for rank in range(ranks):
        writer.begin_stream(rank, 0)
        bits = random.Random(rank).getrandbits
        for i in range(rounds):
            writer.append(barrier, (i << 33) + bits(32), (i << 33) + (1 << 32) + bits(31))
    writer.finish()


def write(path: Path, ranks: int, iterations: int) -> None:
    writer = begin(path, ranks)
    steps = schedule(ranks, iterations)
    action = native.Action
    for rank in range(ranks):
        sides = [(rank - 1) % ranks, (rank + 1) % ranks]
        receives = [
            parameters(
                writer, "MPI_Irecv", action=action.receive, object=0, source=sides[k],
                source_tag=k, request=k, posted=8192,
            )
            for k in (0, 1)
        ]  # fmt: skip
        sends = [
            parameters(
                writer, "MPI_Isend", action=action.send, object=0, peer=sides[k],
                tag=1 - k, request=2 + k, bytes=8192,
            )
            for k in (0, 1)
        ]  # fmt: skip
        done = [native.Completion(k) for k in range(4)]
        wait = parameters(
            writer, "MPI_Waitall", action=action.complete, requests=[0, 1, 2, 3], completed=done
        )
        reduce = parameters(writer, "MPI_Allreduce", action=action.collective, object=0, bytes=8)
        writer.begin_stream(rank, 0)
        append = writer.append
        for step in steps:
            posts, waits, received, summed = step[rank]
            append(receives[0], posts, posts + 200)
            append(receives[1], posts + 300, posts + 500)
            append(sends[0], posts + 600, posts + 800)
            append(sends[1], posts + 800, posts + 1000)
            append(wait, waits, received)
            append(reduce, received + 300, summed)
    writer.finish()


def analyse_here(path: str) -> Record:
    """Analyses in this process, which does nothing else."""
    before = peak_bytes()
    begin = time.process_time()
    calls = native.count_calls(path)
    read = time.process_time()
    analysis = native.analyse_waits(path)
    end = time.process_time()
    return {
        "calls": calls,
        "read_seconds": read - begin,
        "analyse_seconds": end - read,
        "trace_bytes": Path(path).stat().st_size,
        "peak_before_bytes": before,
        "peak_bytes": peak_bytes(),
        "waited_ns": sum(sum(rank.wait_ns) for rank in analysis.ranks),
        "unmatched": analysis.unmatched_sends + analysis.unmatched_receives,
        "remarks": analysis.remarks,
    }


def analyse(path: Path, most_bytes: int = resource.RLIM_INFINITY) -> Record:
    """Analyses in a separate process, whose data may take no more than `most_bytes`."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))

    done = subprocess.run(
        [sys.executable, "-m", "bench", "waits", "--analyse-here", path],
        cwd=HERE.parent,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        preexec_fn=limit,
    )
    record: Record = json.loads(done.stdout)
    return record


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = options(
        __name__,
        {"iterations": 10},
        ranks=(64, "of both traces"),
        iterations=(5000, "of the halo"),
        rounds=(5, "of reading and analysing"),
        long_rounds=(300_000, "of the long trace"),
    )
    parser.add_argument("--analyse-here", metavar="TRACE", help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def measure(args: argparse.Namespace, directory: Path, add: Add) -> list[Record]:
    """Measures and returns the bars."""
    whole, tenth, long = (directory / f"{name}.ww" for name in ("whole", "tenth", "long"))
    write(whole, args.ranks, args.iterations)
    write(tenth, args.ranks, args.iterations // 10)
    samples: list[Record] = []
    short: list[Record] = []
    for number in range(args.rounds):
        for path, kept in ((tenth, short), (whole, samples)):
            kept.append({"trace": path.stem, "round": number, **analyse(path)})
            add(kept[-1])
    write_long(long, args.ranks, args.long_rounds)
    allowed = int(MEMORY_SHARE_TARGET * long.stat().st_size)
    large = {"trace": long.stem, "most_bytes": allowed, **analyse(long, allowed)}
    add(large)
    if any(s["unmatched"] or s["remarks"] for s in samples):
        raise SystemExit("bench/waits: the analysis did not understand the trace")

    def median(key: str, of: list[Record]) -> float:
        return float(statistics.median(sample[key] for sample in of))

    def rate(key: str) -> float:
        return float(statistics.median(sample["calls"] / sample[key] for sample in samples))

    peak, trace_bytes = median("peak_bytes", samples), samples[0]["trace_bytes"]
    return [
        at_least(
            CALLS_PER_SECOND_TARGET,
            f"calls/s analysed, {args.ranks} ranks",
            "absolute",
            rate("analyse_seconds"),
            reading_calls_per_second=rate("read_seconds"),
        ),
        at_most(
            GROWTH_TARGET_BYTES,
            "growth of the peak memory, from a tenth of the trace to the whole",
            "size",
            peak - median("peak_bytes", short),
            peak_bytes=peak,
            trace_bytes=trace_bytes,
        ),
        at_most(
            MEMORY_SHARE_TARGET,
            "peak memory of the analysis, of the bytes of a long trace",
            "ratio",
            large["peak_bytes"] / large["trace_bytes"],
            calls=large["calls"],
            trace_bytes=large["trace_bytes"],
        ),
    ]


def main(argv: list[str] | None = None) -> int:
    if (only := parse(argv).analyse_here) is None:
        return runner(parse, measure, lambda _, bars: bars, lambda _: None)(argv)
    print(json.dumps(analyse_here(only)))
    return 0
