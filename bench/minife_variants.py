"""What the operators and forms of conjugate gradients of ww-minife gain, and on whom.

Every round runs each variant once; with `--peer minife=PATH`, a miniFE.x of the original built
outside this repository, that comes first, so that ratios are of the same moment.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.common import Record, at_least

ASSEMBLED_WANTED = 1.5
MATRIX_FREE_WANTED = 4.0
SOLUTION_WANTED = 10.0
"""The original reads 445 B a row and iteration; blocks without indices 312 or, fused, 304;
half of them 200; no matrix 120 or, fused, 64 (docs/design/021-sparse-cg.md)."""

PEER_SECONDS = re.compile(r"Time per iteration: ([\d.e+-]+)")


@dataclass(frozen=True)
class Variant:
    """Options of ww-minife, and which bar it is to reach, if any."""

    options: tuple[str, ...]
    assembled: bool

    @property
    def name(self) -> str:
        return " ".join(option.partition("=")[2] for option in self.options)


VARIANTS = [
    Variant(("--operator=csr", "--cg=standard"), assembled=True),
    Variant(("--operator=blocks", "--cg=standard"), assembled=True),
    Variant(("--operator=blocks", "--cg=fused"), assembled=True),
    Variant(("--operator=symmetric", "--cg=standard"), assembled=True),
    Variant(("--operator=symmetric", "--cg=fused"), assembled=True),
    Variant(("--operator=matrix-free", "--cg=standard"), assembled=False),
    Variant(("--operator=matrix-free", "--cg=fused"), assembled=False),
    Variant(("--operator=matrix-free", "--cg=pipelined"), assembled=False),
]
SOLVER = ("--operator=matrix-free", "--preconditioner=multigrid")


def launcher(args: argparse.Namespace, ranks: int) -> list[str]:
    return [args.mpirun, *args.mpirun_option, "-n", str(ranks)] if ranks > 1 else []


def run_variant(
    args: argparse.Namespace, ranks: int, options: tuple[str, ...], folder: Path
) -> tuple[float, list[Record]]:
    """Seconds of the whole program, and its samples."""
    file = folder / "variant.jsonl"
    command = [*launcher(args, ranks), str(args.program), *options, f"--json={file}"]
    start = time.monotonic()
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    seconds = time.monotonic() - start
    if run.returncode != 0:
        raise SystemExit(f"bench: {' '.join(command)} ended with {run.returncode}: {run.stderr}")
    return seconds, [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def run_peer(args: argparse.Namespace, ranks: int, nx: int, folder: Path) -> tuple[float, float]:
    """Seconds of the whole program of the original, and of one iteration by its own clock."""
    for old in folder.glob("*.yaml"):
        old.unlink()
    command = [*launcher(args, ranks), str(args.peer), "-nx", str(nx)]
    start = time.monotonic()
    run = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder)
    seconds = time.monotonic() - start
    found = [PEER_SECONDS.search(file.read_text()) for file in folder.glob("*.yaml")]
    if run.returncode != 0 or len(found) != 1 or found[0] is None:
        raise SystemExit(f"bench: {' '.join(command)} left no time per iteration: {run.stderr}")
    return seconds, float(found[0][1])


def of_iteration(samples: list[Record]) -> tuple[float, float]:
    """Seconds, and bytes a row."""
    cg = next(sample for sample in samples if sample["phase"] == "cg")
    iterations = cg["parameters"]["iterations"]
    return cg["seconds"] / iterations, cg["bytes"] / cg["points"] / iterations


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--peer",
        metavar="minife=PATH",
        help="a miniFE.x of the original's ref/src; without it, bars against it are skipped",
    )
    parser.add_argument(
        "--solution-nx",
        type=int,
        default=200,
        help="elements on each axis where whole runs are compared, the peer's once (default: 200)",
    )


def check_options(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    if args.peer is None:
        return
    name, _, path = args.peer.partition("=")
    if name != "minife" or not os.access(path, os.X_OK):
        parser.error(f"--peer takes minife=PATH, of a program, not {args.peer}")
    args.peer = Path(path).resolve()


def measure(
    args: argparse.Namespace, folder: Path, add: Callable[[Record], None]
) -> dict[int, dict[str, list[float]]]:
    """Seconds of one iteration of every round, by ranks and variant; the peer's by "minife"."""
    steps = (f"--nx={args.nx}", f"--iterations={args.iterations}", "--fixed-iterations")
    times: dict[int, dict[str, list[float]]] = {ranks: {} for ranks in args.ranks}
    for number in range(args.rounds):
        for ranks in args.ranks:
            if args.peer is not None:
                whole, seconds = run_peer(args, ranks, args.nx, folder)
                times[ranks].setdefault("minife", []).append(seconds)
                add({"round": number, "ranks": ranks, "peer": "minife", "whole_s": whole})
            for variant in VARIANTS:
                _, samples = run_variant(args, ranks, (*steps, *variant.options), folder)
                seconds, bytes_a_row = of_iteration(samples)
                times[ranks].setdefault(variant.name, []).append(seconds)
                line = {"round": number, "ranks": ranks, "variant": variant.name}
                add({**line, "seconds": seconds, "bytes_a_row": bytes_a_row})
    return times


def ratios(times: dict[str, list[float]], reference: str) -> dict[str, float]:
    """Medians over the rounds of how much faster than the reference each is."""
    return {
        name: statistics.median(r / s for r, s in zip(times[reference], seconds, strict=True))
        for name, seconds in times.items()
    }


def bars(
    args: argparse.Namespace,
    times: dict[int, dict[str, list[float]]],
    folder: Path,
    add: Callable[[Record], None],
) -> list[Record]:
    """Against the peer; none without it."""
    if args.peer is None:
        print("bench: no --peer minife=PATH, the bars against miniFE are skipped")
        return []
    lines = []
    for ranks, of_ranks in times.items():
        gains = ratios(of_ranks, "minife")
        for wanted, assembled in ((ASSEMBLED_WANTED, True), (MATRIX_FREE_WANTED, False)):
            best = max((gains[v.name], v.name) for v in VARIANTS if v.assembled == assembled)
            kind = "assembled" if assembled else "matrix-free"
            title = f"an iteration, {kind}, over miniFE's, {ranks} rank(s): {best[1]}"
            lines.append(at_least(wanted, title, "ratio", best[0]))
    ranks = max(args.ranks)
    peer_s, _ = run_peer(args, ranks, args.solution_nx, folder)
    solve = (f"--nx={args.solution_nx}", *SOLVER)
    runs = [run_variant(args, ranks, solve, folder) for _ in range(args.rounds)]
    seconds = statistics.median(whole for whole, _ in runs)
    add({"solution_nx": args.solution_nx, "ranks": ranks, "peer_s": peer_s, "seconds": seconds})
    title = f"miniFE's whole run over a solution verified to O(h^2), {args.solution_nx}^3"
    lines.append(at_least(SOLUTION_WANTED, title, "ratio", peer_s / seconds, seconds=seconds))
    return lines


def show(args: argparse.Namespace, times: dict[int, dict[str, list[float]]]) -> None:
    reference = "minife" if args.peer is not None else VARIANTS[0].name
    for ranks, of_ranks in times.items():
        print(f"{ranks} rank(s): ms of an iteration, and how much faster than {reference}")
        for name, gain in ratios(of_ranks, reference).items():
            print(f"  {name:28} {1e3 * statistics.median(of_ranks[name]):9.3f} {gain:7.2f}")
