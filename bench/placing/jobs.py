"""Jobs to be placed: communication, a machine, the job's slots, and the best known cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.placing import stencils
from bench.placing.networks import Machine, Numbers, Traffic, parse
from waywiser.store.matrix_market import read_matrix_market


@dataclass(frozen=True)
class Job:
    name: str
    target: str
    """A machine in the notation of networks.parse()."""
    traffic: Traffic
    slots: Numbers
    """Slots of the machine, in the order that ranks take by default."""
    best_hop_bytes: float | None = None
    """The smallest known hop bytes; None if unknown."""
    proven: bool = False
    """True if no order has less than `best_hop_bytes`."""

    @property
    def machine(self) -> Machine:
        return parse(self.target)


def whole(name: str, target: str, traffic: Traffic, **known: Any) -> Job:
    return Job(name, target, traffic, np.arange(traffic.ranks), **known)


def folded(name: str, target: str, shape: tuple[int, int, int], seed: int) -> Job:
    """A shuffled 3-D halo on the torus of its 4 x 2 x 2 tiles, which is the best placement.

    A node of 16 ranks keeps at most 28 edges of a 3-D grid within itself, and every other edge
    goes at least one hop.
    """
    traffic = stencils.shuffled(stencils.halo3d7(*shape), seed)
    off_node = traffic.a.size - traffic.ranks // 16 * 28
    known = {"best_hop_bytes": stencils.FACE * off_node, "proven": True}
    return whole(name, target, traffic, **known)


def generated(largest: int) -> Iterator[Job]:
    """Stencils of up to `largest` ranks, generated on demand."""
    if largest >= 1 << 10:
        yield folded("halo3d7 1k shuffled", "torus:4,4,4,16", (16, 8, 8), 1)
        yield whole("halo2d5 1k", "dfly:2,4,8,16", stencils.halo2d5(32, 32))
    if largest >= 1 << 13:
        yield folded("halo3d7 8k shuffled", "torus:8,8,8,16", (32, 16, 16), 2)
        corners = stencils.shuffled(stencils.halo3d27(32, 16, 16), 3)
        yield whole("halo3d27 8k shuffled", "ftree:32,16,16", corners)
        # An edge that leaves a node takes two hops, and one more if it leaves the switch. In the
        # 4-D grid, a node of 16 ranks keeps at most 32 edges, a switch of 8 nodes at most 352.
        qcd = stencils.shuffled(stencils.qcd4d(8, 8, 8, 8), 4)
        known = {"best_hop_bytes": 1_056_964_608, "proven": True}
        yield whole("qcd4d 4k shuffled", "hcube:5,8,16", qcd, **known)
    if largest >= 1 << 16:
        yield folded("halo3d7 64k shuffled", "torus:16,16,16,16", (64, 32, 32), 5)
        qcd = stencils.shuffled(stencils.qcd4d(16, 16, 16, 16), 6)
        yield whole("qcd4d 64k shuffled", "torus:16,16,16,16", qcd, best_hop_bytes=9_663_676_416)
    if largest >= 1 << 20:
        yield folded("halo3d7 1M shuffled", "torus:32,64,32,16", (128, 128, 64), 7)
        halo = stencils.shuffled(stencils.halo3d7(128, 128, 64), 8)
        yield whole("halo3d7 1M shuffled", "dfly:16,32,128,16", halo)


def awkward() -> Iterator[Job]:
    """Nodes of 24, 28 and 56 ranks: all of a machine, 70 % of its nodes, unequal slots."""
    machines = ("hcube:5,9,24", "dfly:4,8,8,28", "torus:8,4,4,56")
    for seed, target in enumerate(machines):
        rng = np.random.default_rng(seed)
        machine = parse(target)
        of_node = machine.slots_of_node
        every = np.arange(machine.nodes * of_node).reshape(-1, of_node)
        some = every[np.sort(rng.permutation(machine.nodes)[: machine.nodes * 7 // 10])]
        kept = np.arange(of_node) < rng.integers(of_node // 2, of_node + 1, len(some))[:, None]
        for allocation, slots in (("whole", every), ("70 %", some), ("unequal", some[kept])):
            yield Job(f"halo3d7 {allocation}", target, halo_for(slots.size, seed), slots.ravel())


def halo_for(slots: int, seed: int) -> Traffic:
    """A shuffled 3-D halo that leaves few slots free."""
    side = int(slots ** (1 / 3))
    return stencils.shuffled(stencils.halo3d7(slots // side**2, side, side), seed)


def of_directory(directory: Path) -> Iterator[Job]:
    """The jobs of an index.json and its matrices, whose entries are bytes each way."""
    index = json.loads((directory / "index.json").read_text(encoding="utf-8"))
    for name, instance in index["instances"].items():
        traffic = of_file(directory / f"{name}.mtx.gz")
        for target, known in instance["targets"].items():
            yield whole(
                name,
                target,
                traffic,
                best_hop_bytes=known["best_J"],
                proven=known["proven_optimal"],
            )


def of_file(path: Path) -> Traffic:
    matrix = read_matrix_market(path)
    sources, targets = matrix.sources.astype(np.int64), matrix.targets.astype(np.int64)
    sent = matrix.bytes.astype(np.int64)
    pair = np.minimum(sources, targets) * matrix.ranks + np.maximum(sources, targets)
    pairs, number = np.unique(pair, return_inverse=True)
    up, down = sources < targets, sources > targets
    a_to_b, b_to_a = np.zeros(pairs.size, np.int64), np.zeros(pairs.size, np.int64)
    np.add.at(a_to_b, number[up], sent[up])
    np.add.at(b_to_a, number[down], sent[down])
    return Traffic(matrix.ranks, pairs // matrix.ranks, pairs % matrix.ranks, a_to_b, b_to_a)
