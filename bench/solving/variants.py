"""The gains of ww-minife's operators and forms of conjugate gradients over each other and a peer.

Every round runs all operators, two ranks and two threads, and a whole solution. The original
miniFE.x, built outside this repository and named with `--peer minife=PATH`, runs first in each of
these parts, so that ratios are of the same moment.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench.common import Add, Record, at_least, build_of, launch, run, samples_of

ASSEMBLED_TARGET = 1.5
MATRIX_FREE_TARGET = 4.0
SOLUTION_TARGET = 10.0
"""Required gain of a solution. The original reads 445 B a row and iteration; blocks without indices
312 or, fused, 304; half of them 200; no matrix 120 or, fused, 64 (docs/design/021-sparse-cg.md)."""

RANKS_OVER_THREADS_TARGET = 0.95
"""Required speed of two ranks with one thread over one rank with two threads."""

PEER_SECONDS = re.compile(r"Time per iteration: ([\d.e+-]+)")

RUNS = (
    ("--operator=all", "--cg=standard"),
    ("--operator=all", "--cg=fused"),
    ("--operator=matrix-free", "--cg=pipelined"),
)
"""Runs of ww-minife, each of which measures one operator after the other."""

SOLVER = ("--operator=matrix-free", "--preconditioner=multigrid")

Times = dict[str, list[float]]
"""Seconds of one iteration of every round, by variant; the peer's by "minife"."""


@dataclass
class Measured:
    iterations: dict[tuple[str, int, int], Times] = field(default_factory=dict)
    """Times by part of the benchmark, "iterations" or "solution", elements on an axis and ranks."""
    threads: Times = field(default_factory=dict)
    """Times of one rank with two threads, the base of two ranks."""
    whole_s: dict[str, list[float]] = field(default_factory=dict)
    """Times of whole runs of the peer and of the solver [s]."""


def run_variant(
    args: argparse.Namespace,
    ranks: int,
    options: tuple[str, ...],
    directory: Path,
    threads: int = 1,
) -> tuple[float, list[Record]]:
    """Time of the whole program [s], and its samples."""
    command = [*launch(args, ranks), args.program, *options]
    # Ranks are bound by their launcher; by OpenMP, they would share a core.
    bound = {"OMP_PROC_BIND": "true"} if threads > 1 else {}
    start = time.monotonic()
    samples = samples_of(command, directory, OMP_NUM_THREADS=str(threads), **bound)
    return time.monotonic() - start, samples


def run_peer(args: argparse.Namespace, ranks: int, nx: int, directory: Path) -> tuple[float, float]:
    """Times of the original's whole program, and of one iteration by its own clock [s]."""
    for old in directory.glob("*.yaml"):
        old.unlink()
    start = time.monotonic()
    run([*launch(args, ranks), args.peer, "-nx", str(nx)], directory)
    seconds = time.monotonic() - start
    matches = [PEER_SECONDS.search(file.read_text()) for file in directory.glob("*.yaml")]
    if len(matches) != 1 or matches[0] is None:
        raise SystemExit(f"bench: {args.peer} left no time per iteration")
    return seconds, float(matches[0][1])


def of_iterations(samples: list[Record]) -> dict[str, tuple[float, float]]:
    """Time [s] and bytes a row of one iteration, by operator and form."""
    metrics = {}
    for cg in (sample for sample in samples if sample["phase"] == "cg"):
        iterations = cg["parameters"]["iterations"]
        name = f"{cg['parameters']['operator']} {cg['parameters']['cg']}"
        metrics[name] = (cg["seconds"] / iterations, cg["bytes"] / cg["points"] / iterations)
    return metrics


class Bench:
    """Runs rounds, and passes raw samples to `add`."""

    def __init__(self, args: argparse.Namespace, directory: Path, add: Add) -> None:
        self.args, self.directory, self.add = args, directory, add
        self.measured = Measured()

    def round_of_iterations(
        self, number: int, nx: int, ranks: int, part: str = "iterations"
    ) -> float | None:
        """Runs the peer and all variants on a mesh of nx^3; returns the peer's time [s]."""
        times = self.measured.iterations.setdefault((part, nx, ranks), {})
        whole = self._peer(number, nx, ranks, times)
        for options in RUNS:
            self._variants(number, nx, ranks, 1, options, times)
        return whole

    def round_of_threads(self, number: int, nx: int) -> None:
        for options in RUNS[:2]:
            self._variants(number, nx, 1, 2, options, self.measured.threads)

    def round_of_solutions(self, number: int, nx: int, ranks: int) -> None:
        """A round of iterations that also keeps the time of the peer's whole solution."""
        whole = self.round_of_iterations(number, nx, ranks, "solution")
        if whole is not None:
            self.measured.whole_s.setdefault("minife", []).append(whole)
        seconds, _ = run_variant(self.args, ranks, (f"--nx={nx}", *SOLVER), self.directory)
        self.measured.whole_s.setdefault("solution", []).append(seconds)
        self.add({"round": number, "nx": nx, "ranks": ranks, "solution_s": seconds})

    def _peer(self, number: int, nx: int, ranks: int, times: Times) -> float | None:
        """Time of the peer's whole run [s]; None without a peer."""
        if self.args.peer is None:
            return None
        whole, seconds = run_peer(self.args, ranks, nx, self.directory)
        times.setdefault("minife", []).append(seconds)
        line = {"round": number, "nx": nx, "ranks": ranks, "peer": "minife"}
        self.add({**line, **build_of(self.args.peer), "whole_s": whole, "seconds": seconds})
        return whole

    def _variants(
        self,
        number: int,
        nx: int,
        ranks: int,
        threads: int,
        options: tuple[str, ...],
        times: Times,
    ) -> None:
        steps = (f"--nx={nx}", f"--iterations={self.args.iterations}", "--fixed-iterations")
        _, samples = run_variant(self.args, ranks, (*steps, *options), self.directory, threads)
        for name, (seconds, bytes_a_row) in of_iterations(samples).items():
            times.setdefault(name, []).append(seconds)
            line = {"round": number, "nx": nx, "ranks": ranks, "threads": threads}
            self.add({**line, "variant": name, "seconds": seconds, "bytes_a_row": bytes_a_row})


def measure(args: argparse.Namespace, directory: Path, add: Add) -> Measured:
    bench = Bench(args, directory, add)
    for number in range(args.rounds):
        for ranks in args.ranks:
            bench.round_of_iterations(number, args.nx, ranks)
        if 2 in args.ranks:
            bench.round_of_threads(number, args.nx)
    for number in range(args.solution_rounds):
        bench.round_of_solutions(number, args.solution_nx, max(args.ranks))
    return bench.measured


def ratios(times: Times, reference: list[float]) -> dict[str, float]:
    """Gain of each variant over the reference: the median of the rounds' ratios."""
    return {
        name: statistics.median(r / s for r, s in zip(reference, seconds, strict=True))
        for name, seconds in times.items()
    }


def bars(args: argparse.Namespace, measured: Measured) -> list[Record]:
    """Bars of ranks over threads, and against the peer if it is given."""
    lines = []
    if measured.threads:
        of_ranks = measured.iterations["iterations", args.nx, 2]
        for name in ("csr standard", "blocks standard", "matrix-free fused"):
            gain = ratios({name: of_ranks[name]}, measured.threads[name])[name]
            title = f"minife {name}, two ranks of one thread over one rank of two"
            lines.append(at_least(RANKS_OVER_THREADS_TARGET, title, "ratio", gain))
    if args.peer is None:
        print("bench: no --peer minife=PATH, the bars against miniFE are skipped")
        return lines
    for (part, nx, ranks), times in measured.iterations.items():
        gains = ratios(times, times["minife"])
        free = [name for name in gains if name.startswith("matrix-free")]
        assembled = [name for name in gains if name not in free and name != "minife"]
        for target, kind, names in (
            (ASSEMBLED_TARGET, "assembled", assembled),
            (MATRIX_FREE_TARGET, "matrix-free", free),
        ):
            best = max(names, key=gains.__getitem__)
            where = f"{nx}^3, {ranks} rank(s)" + (", beside the solution" * (part == "solution"))
            title = f"an iteration, {kind}, over miniFE's, {where}: {best}"
            lines.append(at_least(target, title, "ratio", gains[best]))
    whole = measured.whole_s
    gain = ratios({"solution": whole["solution"]}, whole["minife"])["solution"]
    title = f"miniFE's whole run over a solution verified to O(h^2), {args.solution_nx}^3"
    seconds = statistics.median(whole["solution"])
    lines.append(at_least(SOLUTION_TARGET, title, "ratio", gain, seconds=seconds))
    return lines


def show(measured: Measured) -> None:
    for (_, nx, ranks), times in measured.iterations.items():
        reference = "minife" if "minife" in times else "csr standard"
        print(f"{nx}^3, {ranks} rank(s): ms of an iteration, and how much faster than {reference}")
        for name, gain in ratios(times, times[reference]).items():
            print(f"  {name:28} {1e3 * statistics.median(times[name]):9.3f} {gain:7.2f}")
    if measured.threads:
        print("one rank of two threads: ms of an iteration")
        for name, seconds in measured.threads.items():
            print(f"  {name:28} {1e3 * statistics.median(seconds):9.3f}")
    for name, seconds in measured.whole_s.items():
        print(f"whole run at {nx}^3, {name}: {statistics.median(seconds):.2f} s")
