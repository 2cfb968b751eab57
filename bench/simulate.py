"""Measures speed and memory of replaying a trace file on another machine.

The trace is a periodic halo exchange in three dimensions (six receives, six sends of 1 kB, one wait
an iteration). A native program makes it and another run of the program replays it; a million ranks
are extrapolated from the traces of 64, 128 and 256 ranks. Progress is within calls only, the
default of `waywiser whatif`. If all messages are eager, that makes no difference, so that the gain
of two threads is also measured with a handshake for every message. Rates are by CPU time: those of
one core, even if other programs use the machine. Each rate is accompanied by that of a loop over
numbers in memory in the same process, which shows a slow moment of the machine. The gain of two
threads is measured in wall time, with one and two threads alternately. It is accompanied by the
gain of two simultaneous replays, each a process with one thread, which is the most that the
machine's second core can give here.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench import common
from bench.common import Add, Record

BUILT = common.NATIVE.parent / "build" / "release" / "native"
ROOMS = ("extrapolate", "simulate", "mpi", "collectives", "machine", "trace", "base")

CASES = (
    ("halo, 1 000 ranks", (10, 10, 10), 100, 10e6),
    ("halo, 65 536 ranks", (64, 32, 32), 20, 5e6),
)
MILLION = ("halo, 10^6 ranks x 30 messages", (100, 100, 100), 5)
EXTRAPOLATED = ("halo, 2^20 ranks x 30 messages, extrapolated", 2**20)
RECORDED = ((4, 4, 4), (8, 4, 4), (8, 8, 4))
MILLION_SECONDS = 10.0
MILLION_BYTES = 4e9
TWO_THREADS = 1.5
EAGER_BYTES, HANDSHAKES = 16384, 0
"""Eager limits: with the first, all messages are eager; with the second, all have a handshake."""


def build(compiler: str, directory: Path) -> Path:
    """Links the program with the libraries that `make setup` has built and that users have."""
    libraries = [BUILT / room / f"libwaywiser_{room}.a" for room in ROOMS]
    for library in libraries:
        if not library.exists():
            raise SystemExit(f"bench: {library} is missing; `make setup` builds it")
    flags = ["-O3", "-DNDEBUG", f"-I{common.NATIVE}", "-pthread"]
    group = ["-Wl,--start-group", *map(str, libraries), "-Wl,--end-group"]
    return common.compiled(compiler, "simulate.cpp", directory, *flags, *group)


def make(program: Path, file: Path, grid: tuple[int, int, int], iterations: int) -> None:
    common.run([program, "make", file, *map(str, grid), str(iterations)])


def start_replay(
    program: Path, file: Path, threads: int, eager_bytes: int = EAGER_BYTES
) -> subprocess.Popen[str]:
    command = [str(program), "replay", str(file), str(threads), str(eager_bytes)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def ended(replay: subprocess.Popen[str], file: Path) -> Record:
    printed, _ = replay.communicate()
    if replay.returncode != 0:
        raise subprocess.CalledProcessError(replay.returncode, replay.args)
    record: Record = json.loads(printed)
    return {"trace_bytes": file.stat().st_size, **record}


def replay(program: Path, file: Path, threads: int, eager_bytes: int = EAGER_BYTES) -> Record:
    return ended(start_replay(program, file, threads, eager_bytes), file)


def two_at_once(program: Path, file: Path, eager_bytes: int) -> list[Record]:
    both = [start_replay(program, file, 1, eager_bytes) for _ in range(2)]
    return [ended(process, file) for process in both]


def extrapolate(program: Path, ranks: int, files: Sequence[Path]) -> Record:
    record: Record = json.loads(common.run([program, "extrapolate", str(ranks), *files]))
    return record


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = common.options(__name__, rounds=(5, "of each replay"))
    parser.add_argument(
        "--million",
        action="store_true",
        help="also 10^6 ranks from a file, which takes minutes to write, and 4 GB",
    )
    common.add_compiler(parser, "simulate.cpp")
    return parser.parse_args(argv)


def measure(args: argparse.Namespace, directory: Path, add: Add) -> list[Record]:
    """Measures and returns the bars."""
    program, file = build(args.compiler, directory), directory / "trace.ww"

    def kept(name: str, runs: list[Record]) -> list[Record]:
        for number, run in enumerate(runs):
            add({"round": number, "case": name, **run})
        return runs

    def replays(name: str, grid: tuple[int, int, int], iterations: int) -> list[Record]:
        make(program, file, grid, iterations)
        return kept(name, [replay(program, file, 1) for _ in range(args.rounds)])

    def of_threads(name: str, eager_bytes: int = EAGER_BYTES) -> Record:
        """The bar of replays of the present file by one and two threads."""
        gains, most = [], []
        for number in range(2 * args.rounds):
            one, two = (replay(program, file, threads, eager_bytes) for threads in (1, 2))
            both = two_at_once(program, file, eager_bytes)
            for how, runs in (("one", [one]), ("two", [two]), ("two at once", both)):
                for each in runs:
                    add({"round": number, "case": name, "threads": how, **each})
            gains.append(one["wall_seconds"] / two["wall_seconds"])
            most.append(2 * one["wall_seconds"] / max(run["wall_seconds"] for run in both))
        title, beside = f"{name}: two threads, times as fast as one", statistics.median(most)
        gain = statistics.median(gains)
        return common.at_least(TWO_THREADS, title, "ratio", gain, two_replays_at_once=beside)

    bars: list[Record] = []
    for name, grid, iterations, target in CASES:
        runs = replays(name, grid, iterations)
        bars.append(
            common.at_least(
                target,
                f"{name}: messages replayed per second, from the file",
                "absolute",
                statistics.median(run["messages"] / run["cpu_seconds"] for run in runs),
                summed_in_memory_per_second=statistics.median(
                    run["sums_per_second"] for run in runs
                ),
                peak_bytes=max(run["peak_bytes"] for run in runs),
            )
        )
        bars.append(of_threads(name))
        if name == CASES[0][0]:
            bars.append(of_threads(f"{name}, a handshake for every message", HANDSHAKES))
    if args.million:
        bars += of_million(MILLION[0], replays(*MILLION))
    name, ranks = EXTRAPOLATED
    files = [directory / f"{number}.ww" for number in range(len(RECORDED))]
    for recorded, grid in zip(files, RECORDED, strict=True):
        make(program, recorded, grid, MILLION[2])
    extrapolations = [extrapolate(program, ranks, files) for _ in range(args.rounds)]
    return bars + of_million(name, kept(name, extrapolations))


def of_million(name: str, runs: list[Record]) -> list[Record]:
    seconds = statistics.median(run["cpu_seconds"] for run in runs)
    peak = float(max(run["peak_bytes"] for run in runs))
    return [
        common.at_most(MILLION_SECONDS, f"{name}: seconds", "absolute", seconds),
        common.at_most(MILLION_BYTES, f"{name}: bytes of memory", "size", peak),
    ]


main = common.runner(parse, measure, lambda _, bars: bars)
