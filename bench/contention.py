"""Measures the cost of a tolerance of rates on shared links, and the speed of whole replays.

The first is the table of docs/design/017-contention.md: patterns of messages on several networks,
with the tolerance of replays, with none, and by LogGP. Speeds are user time of replays of a halo
exchange on a fat tree of 4096 nodes, from the trace file. Replays without links and a loop that
copies memory are measured for comparison.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.common import Add, Record, at_least, options, runner
from tests.job import Job
from waywiser.native import simulate
from waywiser.native._native import Speeds, flow_arrivals_ns, make_topology

MESSAGES_TARGET = 1e6
"""Messages per second at 4096 ranks that issue 8 requires."""

BYTES_PER_NS = 12.5
TOLERANCE = 0.1
"""Relative tolerance of rates: the default of replays."""

NODES = 4096
SHAPE = (16, 16, 16)

NETWORKS: dict[str, tuple[str, dict[str, Any]]] = {
    "fat tree": ("k-ary-n-tree", {"k": 6, "n": 3}),
    "fat tree 2:1": ("fat-tree", {"down": [6, 6, 6], "up": [1, 3, 3]}),
    "fat tree, ECMP": ("k-ary-n-tree", {"k": 4, "n": 3, "routing": "ecmp"}),
    "torus": ("torus", {"lengths": [6, 6, 6]}),
    "hypercube": ("hypercube", {"dimensions": 5, "nodes_per_switch": 6}),
    "dragonfly": ("dragonfly", {"nodes_per_switch": 3, "switches_per_group": 6, "groups": 13}),
}
PATTERNS = ("shift", "transpose", "permutation", "all to all", "incast", "neighbours", "at random")

Messages = tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64]]


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = options(__name__, seeds=(5, "patterns drawn"), iterations=(10, "of the halo"))
    parser.add_argument("--speeds", action="store_true", help="without the table of errors")
    return parser.parse_args(argv)


def pattern(name: str, count: int, random: np.random.Generator) -> Messages:
    """Messages between `count` nodes, equally many to each node."""
    every = np.arange(count)
    alone_ns = 1e6 / BYTES_PER_NS
    starts = random.uniform(0, 0.2 * alone_ns, count)
    if name == "shift":
        pairs = every, (every + random.integers(1, count)) % count
    elif name == "transpose":
        side = int(np.sqrt(count))
        pairs = every, np.where(every < side**2, every % side * side + every // side, every)
    elif name == "permutation":
        pairs = every, random.permutation(count)
    elif name == "all to all":
        some = random.permutation(count)[:64]
        pairs = np.repeat(some, 64), np.tile(some, 64)
        starts = np.repeat(starts[:64], 64)
    elif name == "incast":
        pairs = every, every % 3 * 7
    else:
        pairs = np.repeat(every, 6), random.integers(0, count, 6 * count)
        starts = np.repeat(starts, 6)
        if name == "at random":
            starts = random.uniform(0, 12 * alone_ns, 6 * count)
    sizes = np.full(starts.size, 1e6)
    if name == "at random":
        sizes = random.exponential(1e6, starts.size)
    others = pairs[0] != pairs[1]
    a, b = (ends[others].astype(np.uint32) for ends in pairs)
    return a, b, starts[others], sizes[others]


def errors(seeds: int) -> Iterator[Record]:
    for network, arguments in NETWORKS.items():
        topology = make_topology(*arguments)
        for name in PATTERNS:
            for seed in range(seeds):
                messages = pattern(name, topology.nodes, np.random.default_rng(seed))
                exact, near = (
                    np.asarray(flow_arrivals_ns(topology, Speeds(BYTES_PER_NS), *messages, by))
                    for by in (0, TOLERANCE)
                )
                alone = messages[3] / BYTES_PER_NS
                took, predicted = exact - messages[2], near - messages[2]
                off = predicted / took - 1
                yield {
                    "network": network,
                    "pattern": name,
                    "seed": seed,
                    "messages": len(exact),
                    "slowdown": float(took.sum() / alone.sum()),
                    "mean_error": float(np.abs(off).mean()),
                    "bias": float(predicted.sum() / took.sum() - 1),
                    "last_error": float(near.max() / exact.max() - 1),
                    "loggp_last_error": float((messages[2] + alone).max() / exact.max() - 1),
                }


def halo(path: Path, size: int, iterations: int) -> None:
    """A trace of a periodic halo: 10 to 12 us of computing, six messages each way, a wait."""
    random = np.random.default_rng(1)
    ranks = np.arange(NODES).reshape(SHAPE)
    partners = np.stack(
        [np.roll(ranks, by, axis).ravel() for axis in range(3) for by in (1, -1)], axis=1
    ).tolist()
    computation_ns = random.integers(10_000, 12_000, (NODES, iterations)).tolist()
    job = Job(NODES)
    for rank in range(NODES):
        now = 0
        for i in range(iterations):
            now += computation_ns[rank][i]
            for face, peer in enumerate(partners[rank]):
                ends = {"source": peer, "source_tag": face ^ 1, "posted": size, "request": face}
                job.call(rank, "Irecv", now, now + 10, **ends)
                now += 10
            for face, peer in enumerate(partners[rank]):
                ends = {"peer": peer, "tag": face, "bytes": size, "request": 6 + face}
                job.call(rank, "Isend", now, now + 10, **ends)
                now += 10
            every = list(range(12))
            job.call(rank, "Waitall", now, now + 1000, requests=every, completed=every)
            now += 1000
    job.write(path)


def settings(name: str) -> simulate.Settings:
    """Settings of replays: without links, or on the links of a fat tree with ranks in order or at
    random."""
    result = simulate.Settings()
    cost = simulate.Cost(None, 1000.0, 100.0, 50.0, 1 / BYTES_PER_NS, 0.0)
    result.within = result.between = simulate.Messages([cost], 1 << 30)
    result.asynchronous = False
    nodes = np.arange(NODES)
    if name == "ranks at random":
        nodes = np.random.default_rng(2).permutation(NODES)
    result.node_of_rank = nodes.tolist()
    if name != "no links":
        topology = make_topology("k-ary-n-tree", {"k": 16, "n": 3})
        result.interconnect = simulate.Interconnect(topology, Speeds(BYTES_PER_NS), TOLERANCE)
    return result


def replay(path: Path, size: int, name: str) -> Record:
    chosen = settings(name)
    begin = time.process_time()
    result = simulate.replay(str(path), chosen)
    seconds = time.process_time() - begin
    return {
        "replay": name,
        "bytes": size,
        "messages": result.messages,
        "makespan_ns": result.makespan_ns,
        "delays_ns": result.links.delays_ns,
        "user_seconds": seconds,
        "messages_per_s": result.messages / seconds,
        "copied_bytes_per_s": copied_bytes_per_second(),
    }


def copied_bytes_per_second() -> float:
    block = np.ones(1 << 23)
    block.copy()
    begin = time.process_time()
    block.copy()
    return 2 * block.nbytes / (time.process_time() - begin)


def speeds(directory: Path, iterations: int) -> Iterator[Record]:
    for size in (1_000, 100_000):
        path = directory / f"{size}.ww"
        halo(path, size, iterations)
        for name in ("no links", "fat tree", "ranks at random"):
            yield replay(path, size, name)


def table(samples: list[Record]) -> None:
    columns = ("slowdown", "mean_error", "bias", "last_error", "loggp_last_error")
    print(f"{'':16}{'':14}" + "".join(f"{name:>18}" for name in columns))
    for network in NETWORKS:
        for name in PATTERNS:
            own = [s for s in samples if (s["network"], s["pattern"]) == (network, name)]
            means = (np.mean([sample[column] for sample in own]) for column in columns)
            print(f"{network:16}{name:14}" + "".join(f"{mean:18.3f}" for mean in means))


def measure(args: argparse.Namespace, directory: Path, add: Add) -> list[Record]:
    """Measures and returns the bars, and prints each table when it is ready."""
    bars, results = [], list(errors(0 if args.speeds else args.seeds))
    for sample in results:
        add(sample)
    if results and not args.bars:
        table(results)
    for sample in speeds(directory, args.iterations):
        add(sample)
        name, rate = f"{sample['replay']}, halo of {sample['bytes']} B", sample["messages_per_s"]
        if not args.bars:
            print(f"{name}: {rate / 1e6:.2f} M messages/s")
        if sample["replay"] == "fat tree":
            title, beside = f"messages replayed per s, {name}", sample["copied_bytes_per_s"]
            bars.append(
                at_least(MESSAGES_TARGET, title, "absolute", rate, copied_bytes_per_s=beside)
            )
    return bars


main = runner(parse, measure, lambda _, bars: bars, lambda _: None)
