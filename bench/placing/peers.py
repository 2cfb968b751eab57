"""Scotch and KaHIP on the same jobs, if their packages are installed (scotch; kahip).

Both map several ranks to a site (a node, or a socket of a `hier` machine) and may exceed its slots.
The surplus moves to the nearest site with room. KaHIP supports hierarchies only and gets one whose
levels have the sizes of the machine's.

Sources: F. Pellegrini, J. Roman, "Scotch: a software package for static mapping by dual recursive
bipartitioning of process and architecture graphs", HPCN Europe 1996; C. Schulz, J. L. Träff,
"Better process mapping and sparse quadratic assignment", SEA 2017 (KaHIP's process mapping).
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.common import Record, build_of
from bench.placing.jobs import Job
from bench.placing.networks import (
    Dragonfly,
    FatTree,
    Hierarchy,
    Hypercube,
    Machine,
    Numbers,
    Torus,
    Traffic,
)

ROOT = Path(__file__).resolve().parent.parent.parent
LARGEST_SUM = 1 << 30
"""Largest sum of edge weights, which both tools add up in 32 bits."""

MOST_TERMINALS = 1024
"""Largest number of nodes for Scotch's graph of a machine, which grows with their square."""

Peer = Callable[[Job, Path], tuple[Numbers, float] | None]
"""Job -> site of each rank and user time [s]; None if the tool cannot map the job or takes too
long."""


def installed() -> dict[str, Peer]:
    """The installed peers by name; prints the names of the others."""
    results: dict[str, Peer] = {}
    if shutil.which("scotch_gmap"):
        results["scotch"] = scotch
    else:
        print("skipped: scotch, whose Debian package is not installed", file=sys.stderr)
    if importlib.util.find_spec("kahip"):
        results["kahip"] = kahip
    else:
        print("skipped: kahip, whose package from PyPI is not installed", file=sys.stderr)
    return results


def place(peer: Peer, job: Job) -> tuple[Numbers, Record] | None:
    """The machine's slot of each rank, and the peer's time and moved ranks."""
    with tempfile.TemporaryDirectory() as directory:
        answer = peer(job, Path(directory))
    if answer is None:
        return None
    site, seconds = answer
    slots, moved = fitted(job, site)
    build = BUILDS[peer]()
    return slots, {"user_seconds": seconds, "moved_from_full_sites": moved, **build}


def slots_of_site(machine: Machine) -> int:
    return machine.sizes[0] if isinstance(machine, Hierarchy) else machine.slots_of_node


def fitted(job: Job, site: Numbers) -> tuple[Numbers, int]:
    """Slots of ranks that share sites, and the number of ranks that had to leave their site."""
    capacity = slots_of_site(job.machine)
    order = np.argsort(site, kind="stable")
    begin = np.flatnonzero(np.diff(site[order], prepend=-1))
    place = np.arange(site.size) - np.repeat(begin, np.diff(np.append(begin, site.size)))
    slots = np.full(site.size, -1)
    fits = place < capacity
    slots[order[fits]] = site[order[fits]] * capacity + place[fits]
    free = np.setdiff1d(np.arange(job.slots.size), slots)
    surplus = order[~fits]
    for rank in surplus:
        here = np.full(free.size, site[rank] * capacity)
        chosen = int(np.argmin(job.machine.distance(here, free)))
        slots[rank] = free[chosen]
        free = np.delete(free, chosen)
    return slots, surplus.size


def user_seconds(command: list[str], directory: Path, limit_s: float = 100) -> float | None:
    """User time of a program [s]; None if the program fails or exceeds the limit."""
    with (directory / "log").open("w") as log:
        child = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        timer = threading.Timer(limit_s, child.send_signal, [signal.SIGKILL])
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime if child.returncode == 0 else None


def graph(traffic: Traffic) -> tuple[Numbers, Numbers, Numbers]:
    """Compressed rows of the symmetric graph: first entry of each rank, neighbours, weights."""
    source = np.concatenate((traffic.a, traffic.b))
    target = np.concatenate((traffic.b, traffic.a))
    weight = traffic.a_to_b + traffic.b_to_a
    weight = weight // np.gcd.reduce(weight)
    weight = np.maximum(weight // -(-int(weight.sum()) // LARGEST_SUM), 1)
    order = np.lexsort((target, source))
    first = np.searchsorted(source[order], np.arange(traffic.ranks + 1))
    return first, target[order], np.concatenate((weight, weight))[order]


# --- Scotch ------------------------------------------------------------------------------


def scotch(job: Job, directory: Path) -> tuple[Numbers, float] | None:
    source, target, mapping = (directory / name for name in ("ranks.grf", "machine.tgt", "map"))
    write_scotch_graph(source, *graph(job.traffic))
    if not write_scotch_target(job.machine, target, directory):
        return None
    seconds = user_seconds(
        ["scotch_gmap", str(source), str(target), str(mapping), "-Cd"], directory
    )
    if seconds is None:
        return None
    site = np.empty(job.traffic.ranks, np.int64)
    rows = np.loadtxt(mapping, np.int64, skiprows=1)
    site[rows[:, 0]] = rows[:, 1]
    return site, seconds


def write_scotch_graph(path: Path, first: Numbers, neighbour: Numbers, weight: Numbers) -> None:
    with path.open("w", encoding="ascii") as out:
        out.write(f"0\n{first.size - 1} {neighbour.size}\n0 010\n")
        for begin, end in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
            edges = np.column_stack((weight[begin:end], neighbour[begin:end])).ravel()
            out.write(f"{end - begin} {' '.join(map(str, edges.tolist()))}\n")


def write_scotch_target(machine: Machine, target: Path, directory: Path) -> bool:
    match machine:
        case Torus(lengths, _, wraps):
            kind = "torusXD" if wraps else "meshXD"
            text = f"{kind} {len(lengths)} {' '.join(map(str, lengths))}"
        case FatTree(_, fan_out):
            text = tree(fan_out, [2] * len(fan_out))
        case Hierarchy(sizes, distances):
            steps = np.diff(distances).tolist()
            text = tree(sizes[1:], steps)
        case _:
            return write_scotch_terminals(machine, target, directory)
    target.write_text(text + "\n", encoding="ascii")
    return True


def tree(sizes: tuple[int, ...], steps: list[int]) -> str:
    """Scotch's text for a tree, with levels from the root; the machine's are from the leaves."""
    levels = [f"{size} {step}" for size, step in zip(reversed(sizes), reversed(steps), strict=True)]
    return f"tleaf {len(levels)} {' '.join(levels)}"


def write_scotch_terminals(machine: Machine, target: Path, directory: Path) -> bool:
    """Writes a machine as a graph of nodes and switches, of which nodes take ranks."""
    if machine.nodes > MOST_TERMINALS:
        return False
    edges = switch_edges(machine)
    source = np.concatenate((edges[0], edges[1]))
    neighbour = np.concatenate((edges[1], edges[0]))
    order = np.argsort(source, kind="stable")
    first = np.searchsorted(source[order], np.arange(source.max() + 2))
    network, terminals = directory / "machine.grf", directory / "nodes"
    write_scotch_graph(network, first, neighbour[order], np.ones(source.size, np.int64))
    numbers = " ".join(map(str, range(machine.nodes)))
    terminals.write_text(f"{machine.nodes}\n{numbers}\n", encoding="ascii")
    command = ["amk_grf", str(network), str(target), f"-l{terminals}"]
    return user_seconds(command, directory) is not None


def switch_edges(machine: Machine) -> tuple[Numbers, Numbers]:
    """Edges of nodes and switches, and between switches, which are numbered after the nodes."""
    nodes = np.arange(machine.nodes)
    match machine:
        case Hypercube(dimensions, nodes_of_switch, _):
            switch = np.arange(2**dimensions)
            pairs = [(switch, switch ^ 1 << bit) for bit in range(dimensions)]
            joined = [(a[a < b], b[a < b]) for a, b in pairs]
        case Dragonfly(nodes_of_switch, routers, groups, _):
            a, b = np.triu_indices(routers, 1)
            group = np.repeat(np.arange(groups), a.size) * routers
            g, h = np.triu_indices(groups, 1)
            joined = [
                (group + np.tile(a, groups), group + np.tile(b, groups)),
                (machine.gateway(g, h), machine.gateway(h, g)),
            ]
        case _:
            raise AssertionError(machine)
    a = np.concatenate([nodes, *(machine.nodes + begins for begins, _ in joined)])
    b = np.concatenate(
        [machine.nodes + nodes // nodes_of_switch, *(machine.nodes + ends for _, ends in joined)]
    )
    return a, b


# --- KaHIP -------------------------------------------------------------------------------


def kahip(job: Job, directory: Path) -> tuple[Numbers, float] | None:
    job_file, answer = directory / "job.npz", directory / "site.npy"
    first, neighbour, weight = graph(job.traffic)
    sizes = levels(job.machine)
    distances = 10 ** np.arange(len(sizes))
    np.savez(
        job_file, first=first, neighbour=neighbour, weight=weight, sizes=sizes, distances=distances
    )
    command = [sys.executable, "-m", __name__, str(job_file), str(answer)]
    seconds = user_seconds(command, directory)
    return None if seconds is None else (np.load(answer).astype(np.int64), seconds)


def levels(machine: Machine) -> list[int]:
    """Parts at each level of a hierarchy of sites that resembles the machine, innermost first."""
    match machine:
        case Torus(lengths, _, _):
            sizes = list(lengths)
        case Hypercube(dimensions, nodes, _):
            sizes = [nodes] + [2] * dimensions
        case Dragonfly(nodes, routers, groups, _):
            sizes = [nodes, routers, groups]
        case FatTree(_, fan_out):
            sizes = list(fan_out)
        case Hierarchy(of_level, _):
            sizes = list(of_level[1:])
        case _:
            raise AssertionError(machine)
    return sizes


def _library_of_kahip() -> Path:
    spec = importlib.util.find_spec("kahip.kahip")
    return Path((spec and spec.origin) or "")


def map_with_kahip(job_file: str, answer: str) -> None:
    """Maps with KaHIP in this process, through the C interface that its Python module includes."""
    library = ctypes.CDLL(str(_library_of_kahip()))
    job = {name: array.astype(np.int32) for name, array in np.load(job_file).items()}
    ranks = ctypes.c_int(job["first"].size - 1)
    site = np.empty(ranks.value, np.int32)
    cut, cost, imbalance = ctypes.c_int(), ctypes.c_int(), ctypes.c_double(0.0)
    multisection, eco, quiet, seed = 0, 1, True, 1

    def pointer(array: NDArray[np.int32]) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    library.process_mapping(
        ctypes.byref(ranks),
        None,
        pointer(job["first"]),
        pointer(job["weight"]),
        pointer(job["neighbour"]),
        pointer(job["sizes"]),
        pointer(job["distances"]),
        ctypes.c_int(job["sizes"].size),
        ctypes.c_int(eco),
        ctypes.c_int(multisection),
        ctypes.byref(imbalance),
        ctypes.c_bool(quiet),
        ctypes.c_int(seed),
        ctypes.byref(cut),
        ctypes.byref(cost),
        pointer(site),
    )
    np.save(answer, site)


BUILDS: dict[Peer, Callable[[], Record]] = {
    scotch: lambda: build_of(Path(shutil.which("scotch_gmap") or "")),
    kahip: lambda: build_of(_library_of_kahip(), "kahip"),
}

if __name__ == "__main__":
    map_with_kahip(*sys.argv[1:])
