"""Measures the profiler's overhead per MPI call, compared with that of a minimal wrapper.

Every round runs the same calls in several ways, one process each and one after the other. The calls
run alone, under a minimal wrapper (two time stamps, six counters), under Waywiser, and under each
given peer. A tool's overhead is the median of its blocks minus that of the program alone, of the
same round. The same calls also run from C and from Fortran, with Debian's Open MPI if it is
installed, as Open MPI's wheel has no Fortran.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from bench import common
from bench.common import Add, Record
from waywiser.native import PROFILER, SHIM

ADDED_OVER_MINIMAL = 1.5
"""Limit: two time stamps, 18 ns where one takes 9, and the counters as far as they overlap."""

FORTRAN_OVER_C = 1.5
"""Limit: Open MPI's handles are converted (PMPI_Comm_f2c, PMPI_Type_f2c) to get the payload."""

SPIN = 1.5
"""Largest ratio of a loop's time on a pending MPI_Test to that of the program alone."""

MEMORY_MB = 4.0

PEER_SHARE = {"ipm": 1 / 2, "mpip": 1 / 3}
"""Largest overhead of Waywiser, as a share of these peers' overhead."""

Round = dict[str, dict[str, float]]
"""Tool -> call -> median ns."""

ALONE, MINIMAL, WAYWISER = "alone", "minimal", "waywiser"
C_ALONE, C, FORTRAN_ALONE, FORTRAN = "C alone", "C", "Fortran alone", "Fortran"

WITHOUT = {C: C_ALONE, FORTRAN: FORTRAN_ALONE}
"""Tool -> its base, if that is not ALONE."""

FORTRAN_NEEDS = ("mpicc.openmpi", "mpif90.openmpi", "gfortran")


def call_options(module: str, *, blocks: int, calls: int) -> argparse.ArgumentParser:
    """Options for the calls, their number and their MPI library."""
    parser = common.options(
        module,
        {"cpu": 0},
        rounds=(15, "of all tools"),
        blocks=(blocks, "of each call a run"),
        calls=(calls, "in a block"),
        cpu=(0, "that runs it all"),
    )
    mpicc = Path(sys.prefix) / "mpi" / "openmpi" / "bin" / "mpicc"
    kind = common.path_where(shutil.which, "there is no such program; give an MPI's C compiler")
    parser.add_argument("--mpicc", type=kind, default=str(mpicc), help="compiler of the MPI")
    return parser


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = call_options(__name__, blocks=10, calls=20000)
    common.add_peers(parser, "another profiler's library to preload, e.g. ipm=/…/libipm.so")
    return parser.parse_args(argv)


def compile_with(compiler: str | Path, source: str, output: Path, *options: str) -> Path:
    common.run([compiler, "-O2", *options, common.HERE / "profiler" / source, "-o", output])
    return output


def commands(
    args: argparse.Namespace, directory: Path, recorded: dict[str, str]
) -> dict[str, list[str]]:
    """Tool -> command line; `recorded` maps names of our tools to their options."""
    (directory / "run" / "parts").mkdir(parents=True)
    wrapper = compile_with(
        args.mpicc, "minimal_wrapper.c", directory / "minimal.so", "-fPIC", "-shared"
    )
    calls = [str(compile_with(args.mpicc, "calls.c", directory / "calls")), *sizes(args)]
    ours = {tool: [*shim(directory, library), *calls] for tool, library in recorded.items()}
    return {ALONE: calls, MINIMAL: ["env", f"LD_PRELOAD={wrapper}", *calls], **ours}


def sizes(args: argparse.Namespace) -> list[str]:
    return [str(args.blocks), str(args.calls)]


def shim(directory: Path, library: str) -> list[str]:
    return [str(SHIM), str(PROFILER), str(directory / "run"), str(directory / "state"), library]


def beside(args: argparse.Namespace, directory: Path) -> dict[str, list[str]]:
    """Command lines of peers, and of calls from C and from Fortran, by name."""
    calls = [str(directory / "calls"), *sizes(args)]
    tools = {name: ["env", f"LD_PRELOAD={peer}", *calls] for name, peer in args.peer.items()}
    missing = [program for program in FORTRAN_NEEDS if shutil.which(program) is None]
    if missing:
        print(f"bench: Fortran is not measured: there is no {', '.join(missing)}", file=sys.stderr)
        return tools
    in_c = compile_with("mpicc.openmpi", "calls.c", directory / "calls-c")
    in_fortran = compile_with("mpif90.openmpi", "calls.F90", directory / "calls-f")
    alone = {C_ALONE: [str(in_c), *sizes(args)], FORTRAN_ALONE: [str(in_fortran), *sizes(args)]}
    ours = {tool: [*shim(directory, ""), *alone[without]] for tool, without in WITHOUT.items()}
    return tools | alone | ours


def run_calls(command: list[str], cpu: int, directory: Path) -> list[Record]:
    # One process without a launcher; no transport but the one to itself.
    printed = common.run(["taskset", "-c", str(cpu), *command], directory, OMPI_MCA_btl="self")
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def ns_per_call(records: list[Record]) -> dict[str, float]:
    """Call -> median over its blocks."""
    blocks: defaultdict[str, list[float]] = defaultdict(list)
    for record in records:
        if "call" in record:
            blocks[record["call"]].append(record["ns"] / record["calls"])
    return {call: statistics.median(times) for call, times in blocks.items()}


def in_rounds(
    args: argparse.Namespace, directory: Path, add: Add, tools: dict[str, list[str]]
) -> Iterator[dict[str, list[Record]]]:
    """Samples of each round, by tool."""
    for number in range(args.rounds):
        results = {tool: run_calls(command, args.cpu, directory) for tool, command in tools.items()}
        for tool, records in results.items():
            peer = getattr(args, "peer", {}).get(tool)
            for record in records:
                add(
                    {
                        "round": number,
                        "tool": tool,
                        **(common.build_of(peer) if peer else {}),
                        **record,
                    }
                )
        yield results


def medians(results: dict[str, list[Record]]) -> Round:
    return {tool: ns_per_call(records) for tool, records in results.items()}


def measure(args: argparse.Namespace, directory: Path, add: Add) -> tuple[list[Round], list[float]]:
    """The rounds, and Waywiser's additional memory in each [MB]."""
    rounds: list[Round] = []
    memory_MB: list[float] = []
    tools = commands(args, directory, {WAYWISER: ""}) | beside(args, directory)
    for result in in_rounds(args, directory, add, tools):
        rounds.append(medians(result))
        kB = result[WAYWISER][-1]["resident_kB"] - result[ALONE][-1]["resident_kB"]
        memory_MB.append(kB * 1024e-6)
    return rounds, memory_MB


def added(by_tool: Round, tool: str) -> float:
    """Overhead of a tool, summed over the calls [ns]; for Fortran alone, its layer's over C."""
    alone = by_tool[WITHOUT.get(tool, ALONE)]
    return sum(by_tool[tool][call] - ns for call, ns in alone.items())


def median_added(rounds: list[Round], tool: str) -> float:
    return statistics.median(added(by_tool, tool) for by_tool in rounds)


def spin_of(rounds: list[Round], tool: str) -> float:
    """Ratio of the time of the loop on MPI_Test to that of the program alone."""
    return statistics.median(times[tool]["Test"] / times[ALONE]["Test"] for times in rounds)


def bars(args: argparse.Namespace, measured: tuple[list[Round], list[float]]) -> list[Record]:
    rounds, memory_MB = measured
    minimal, own = median_added(rounds, MINIMAL), median_added(rounds, WAYWISER)
    results = [
        common.at_most(
            ADDED_OVER_MINIMAL,
            "added time of five calls over the minimal wrapper's",
            "ratio",
            statistics.median(added(r, WAYWISER) / added(r, MINIMAL) for r in rounds),
            waywiser_ns=own,
            minimal_ns=minimal,
        ),
        common.at_most(
            SPIN,
            "a loop on a pending MPI_Test over the same alone",
            "ratio",
            spin_of(rounds, WAYWISER),
            minimal=spin_of(rounds, MINIMAL),
        ),
        common.at_most(
            MEMORY_MB, "memory of the profiler, MB", "size", statistics.median(memory_MB)
        ),
    ]
    if FORTRAN in rounds[0]:
        results.append(
            common.at_most(
                FORTRAN_OVER_C,
                "added time of five calls in Fortran over the same in C",
                "ratio",
                statistics.median(added(r, FORTRAN) / added(r, C) for r in rounds),
                fortran_ns=median_added(rounds, FORTRAN),
                c_ns=median_added(rounds, C),
            )
        )
    for name in args.peer:
        theirs = median_added(rounds, name)
        share = PEER_SHARE.get(name.lower(), 1.0)
        title = f"added time of five calls over that of {name}"
        results.append(common.at_most(share, title, "ratio", own / theirs, peer_ns=theirs))
    return results


def show(rounds: list[Round]) -> None:
    print(f"{len(rounds)} rounds: median ns per call")
    for tool in rounds[0]:
        calls = {call: statistics.median(r[tool][call] for r in rounds) for call in rounds[0][tool]}
        metrics = "  ".join(f"{call} {ns:6.1f}" for call, ns in calls.items())
        print(f"  {tool:13} {metrics}  added in all {median_added(rounds, tool):6.1f}")


main = common.runner(parse, measure, bars, lambda results: show(results[0]))
