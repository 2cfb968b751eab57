"""What the profiler adds to an MPI call, compared with the least that a wrapper can cost.

Every round runs the same calls in several ways, one process each and one after the other. The calls
run alone, under a minimal wrapper (two time stamps, six counters), under Waywiser, and under each
peer that is given. What a tool adds is the median of its blocks over that of the program alone, of
the same round. Beside them run the same calls from C and from Fortran, over Debian's Open MPI,
where it is installed: its wheel brings no Fortran.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from bench.common import (
    Record,
    add_output_options,
    at_most,
    build_of,
    raw_samples,
    report_bars,
    run,
)
from waywiser.native import PROFILER, SHIM

HERE = Path(__file__).resolve().parent

ADDED_OVER_MINIMAL = 1.5
"""Limit: two time stamps, 18 ns where one takes 9, and what overlaps of the counters."""

FORTRAN_OVER_C = 1.5
"""Limit: Open MPI's handles are converted (PMPI_Comm_f2c, PMPI_Type_f2c) to learn the payload."""

SPIN = 1.5
"""A loop on a pending MPI_Test may take this much longer."""

MEMORY_MB = 4.0

PEER_SHARE = {"ipm": 1 / 2, "mpip": 1 / 3}
"""Largest overhead of Waywiser, as a share of what these peers add."""

Round = dict[str, dict[str, float]]
"""Tool -> call -> median ns."""

ALONE, MINIMAL, WAYWISER = "alone", "minimal", "waywiser"
C_ALONE, C, FORTRAN_ALONE, FORTRAN = "C alone", "C", "Fortran alone", "Fortran"

WITHOUT = {C: C_ALONE, FORTRAN: FORTRAN_ALONE}
"""What a tool is compared with, if not ALONE."""

FORTRAN_NEEDS = ("mpicc.openmpi", "mpif90.openmpi", "gfortran")


def add_call_options(parser: argparse.ArgumentParser, *, blocks: int, calls: int) -> None:
    """What is called, how often and where."""
    mpicc = Path(sys.prefix) / "mpi" / "openmpi" / "bin" / "mpicc"
    parser.add_argument("--mpicc", default=str(mpicc), help="compiler of the MPI")
    parser.add_argument("--rounds", type=int, default=15, help="of all tools (default: 15)")
    parser.add_argument(
        "--blocks", type=int, default=blocks, help=f"of each call a run (default: {blocks})"
    )
    parser.add_argument("--calls", type=int, default=calls, help=f"in a block (default: {calls})")
    parser.add_argument("--cpu", type=int, default=0, help="that runs it all (default: 0)")


def check_call_options(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Refuses what cannot be."""
    if args.rounds < 1 or args.blocks < 1 or args.calls < 1:
        parser.error("--rounds, --blocks and --calls start at 1")
    if shutil.which(args.mpicc) is None:
        parser.error(f"--mpicc: there is no {args.mpicc}; give an MPI's C compiler")


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_call_options(parser, blocks=10, calls=20000)
    parser.add_argument(
        "--peer",
        action="append",
        default=[],
        metavar="NAME=LIBRARY",
        help="another profiler's library to preload, e.g. ipm=/…/libipm.so; may be repeated",
    )
    add_output_options(parser, "profiler")
    args = parser.parse_args(argv)
    check_call_options(parser, args)
    for peer in args.peer:
        name, _, library = peer.partition("=")
        if not name or not Path(library).is_file():
            parser.error(f"--peer: expected NAME=LIBRARY with an existing file, got {peer}")
    return args


def compile_with(compiler: str, source: str, output: Path, *options: str) -> Path:
    command = [compiler, "-O2", *options, str(HERE / "profiler" / source), "-o", str(output)]
    subprocess.run(command, check=True)
    return output


def commands(args: argparse.Namespace, directory: Path) -> dict[str, list[str]]:
    """Tool -> command line."""
    (directory / "run" / "parts").mkdir(parents=True)
    sizes = [str(args.blocks), str(args.calls)]
    shim = [str(SHIM), str(PROFILER), str(directory / "run"), str(directory / "state"), ""]
    wrapper = compile_with(
        args.mpicc, "minimal_wrapper.c", directory / "minimal.so", "-fPIC", "-shared"
    )
    calls = [str(compile_with(args.mpicc, "calls.c", directory / "calls")), *sizes]
    tools = {
        ALONE: calls,
        MINIMAL: ["env", f"LD_PRELOAD={wrapper}", *calls],
        WAYWISER: [*shim, *calls],
    }
    for peer in args.peer:
        name, _, library = peer.partition("=")
        tools[name] = ["env", f"LD_PRELOAD={library}", *calls]
    missing = [program for program in FORTRAN_NEEDS if shutil.which(program) is None]
    if missing:
        print(f"bench: Fortran is not measured: there is no {', '.join(missing)}", file=sys.stderr)
        return tools
    in_c = compile_with("mpicc.openmpi", "calls.c", directory / "calls-c")
    in_fortran = compile_with("mpif90.openmpi", "calls.F90", directory / "calls-f")
    tools |= {C_ALONE: [str(in_c), *sizes], FORTRAN_ALONE: [str(in_fortran), *sizes]}
    return tools | {tool: [*shim, *tools[alone]] for tool, alone in WITHOUT.items()}


def run_calls(command: list[str], cpu: int, directory: Path) -> list[Record]:
    # One process without a launcher; no transport but the one to itself.
    printed = run(["taskset", "-c", str(cpu), *command], directory, OMPI_MCA_btl="self")
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def ns_per_call(records: list[Record]) -> dict[str, float]:
    """Call -> median over its blocks."""
    blocks: defaultdict[str, list[float]] = defaultdict(list)
    for record in records:
        if "call" in record:
            blocks[record["call"]].append(record["ns"] / record["calls"])
    return {call: statistics.median(times) for call, times in blocks.items()}


def measure(args: argparse.Namespace) -> tuple[list[Round], list[float]]:
    """The rounds, and the memory that Waywiser added in each in MB."""
    rounds: list[Round] = []
    memory_MB: list[float] = []
    with tempfile.TemporaryDirectory() as name, raw_samples(args.out) as add:
        directory = Path(name)
        tools = commands(args, directory)
        peers = dict(peer.partition("=")[::2] for peer in args.peer)
        for number in range(args.rounds):
            records = {
                tool: run_calls(command, args.cpu, directory) for tool, command in tools.items()
            }
            for tool, of_tool in records.items():
                build = build_of(Path(peers[tool])) if tool in peers else {}
                for record in of_tool:
                    add({"round": number, "tool": tool, **build, **record})
            rounds.append({tool: ns_per_call(of_tool) for tool, of_tool in records.items()})
            kB = records[WAYWISER][-1]["resident_kB"] - records[ALONE][-1]["resident_kB"]
            memory_MB.append(kB * 1024e-6)
    return rounds, memory_MB


def added(by_tool: Round, tool: str) -> float:
    """What a tool adds, summed over the calls; Fortran alone, what its layer adds to C [ns]."""
    alone = by_tool[WITHOUT.get(tool, ALONE)]
    return sum(by_tool[tool][call] - ns for call, ns in alone.items())


def median_added(rounds: list[Round], tool: str) -> float:
    return statistics.median(added(by_tool, tool) for by_tool in rounds)


def bars(rounds: list[Round], memory_MB: list[float], peers: list[str]) -> list[Record]:
    minimal, own = median_added(rounds, MINIMAL), median_added(rounds, WAYWISER)
    spin = statistics.median(r[WAYWISER]["Test"] / r[ALONE]["Test"] for r in rounds)
    minimal_spin = statistics.median(r[MINIMAL]["Test"] / r[ALONE]["Test"] for r in rounds)
    found = [
        at_most(
            ADDED_OVER_MINIMAL,
            "added time of five calls over the minimal wrapper's",
            "ratio",
            statistics.median(added(r, WAYWISER) / added(r, MINIMAL) for r in rounds),
            waywiser_ns=own,
            minimal_ns=minimal,
        ),
        at_most(
            SPIN,
            "a loop on a pending MPI_Test over the same alone",
            "ratio",
            spin,
            minimal=minimal_spin,
        ),
        at_most(MEMORY_MB, "memory of the profiler, MB", "size", statistics.median(memory_MB)),
    ]
    if FORTRAN in rounds[0]:
        found.append(
            at_most(
                FORTRAN_OVER_C,
                "added time of five calls in Fortran over the same in C",
                "ratio",
                statistics.median(added(r, FORTRAN) / added(r, C) for r in rounds),
                fortran_ns=median_added(rounds, FORTRAN),
                c_ns=median_added(rounds, C),
            )
        )
    for name in peers:
        theirs = median_added(rounds, name)
        share = PEER_SHARE.get(name.lower(), 1.0)
        what = f"added time of five calls over that of {name}"
        found.append(at_most(share, what, "ratio", own / theirs, peer_ns=theirs))
    return found


def show(rounds: list[Round]) -> None:
    print(f"{len(rounds)} rounds: median ns per call")
    for tool in rounds[0]:
        calls = {call: statistics.median(r[tool][call] for r in rounds) for call in rounds[0][tool]}
        figures = "  ".join(f"{call} {ns:6.1f}" for call, ns in calls.items())
        print(f"  {tool:13} {figures}  added in all {median_added(rounds, tool):6.1f}")


def main(argv: list[str] | None = None) -> int:
    args = parse(argv)
    rounds, memory_MB = measure(args)
    peers = [peer.partition("=")[0] for peer in args.peer]
    if not args.bars:
        show(rounds)
    return report_bars(bars(rounds, memory_MB, peers), print_all=args.bars)


if __name__ == "__main__":
    sys.exit(main())
