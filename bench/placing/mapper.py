"""Maps a job with Waywiser, in a separate process; reports the time, the memory and the order."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bench.common import Record, peak_bytes
from bench.placing.jobs import Job
from bench.placing.networks import (
    Dragonfly,
    FatTree,
    Hierarchy,
    Hypercube,
    Machine,
    Numbers,
    Torus,
)
from waywiser.native import _native as native

ROOT = Path(__file__).resolve().parent.parent.parent


def place(job: Job, objective: str) -> tuple[Numbers, Record]:
    """The machine's slot of each rank, and the mapper's own costs, time and memory."""
    traffic, of_node = job.traffic, job.machine.slots_of_node
    kind, parameters, levels = description(job.machine)
    request_text = {
        "kind": kind,
        "parameters": parameters,
        "levels": levels,
        "objective": objective,
    }
    with tempfile.TemporaryDirectory() as directory:
        job_file, answer = Path(directory) / "job.npz", Path(directory) / "order.npy"
        np.savez(
            job_file,
            ranks=traffic.ranks,
            sources=np.concatenate((traffic.a, traffic.b)).astype(np.uint32),
            targets=np.concatenate((traffic.b, traffic.a)).astype(np.uint32),
            bytes=np.concatenate((traffic.a_to_b, traffic.b_to_a)).astype(np.uint64),
            node=(job.slots // of_node).astype(np.uint32),
            position=(job.slots % of_node).astype(np.uint32),
        )
        done = subprocess.run(
            [sys.executable, "-m", __name__, str(job_file), str(answer), json.dumps(request_text)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return job.slots[np.load(answer)], json.loads(done.stdout)


def description(machine: Machine) -> tuple[str, dict[str, Any], list[tuple[int, int]]]:
    """Kind and parameters of the topology, and the levels within a node, in Waywiser's format."""
    match machine:
        case Torus(lengths, _, wraps):
            return "torus" if wraps else "mesh", {"lengths": list(lengths)}, []
        case Hypercube(dimensions, nodes, _):
            return "hypercube", {"dimensions": dimensions, "nodes_per_switch": nodes}, []
        case Dragonfly(nodes, routers, groups, _):
            return (
                "dragonfly",
                {
                    "nodes_per_switch": nodes,
                    "switches_per_group": routers,
                    "groups": groups,
                    "arrangement": "relative",
                },
                [],
            )
        case FatTree(_, fan_out):
            up = [1, fan_out[0] // 2, *fan_out[1:-1]]
            return "fat-tree", {"down": list(fan_out), "up": up, "routing": "ecmp"}, []
        case Hierarchy(sizes, distances):
            parameters = {"sizes": list(sizes[2:]), "distances": list(distances[2:])}
            return (
                "hierarchy",
                parameters,
                [(sizes[0], distances[0]), (sizes[0] * sizes[1], distances[1])],
            )
    raise AssertionError(machine)


def main(job_file: str, answer: str, request_text: str) -> None:
    request = json.loads(request_text)
    job = {name: array for name, array in np.load(job_file).items()}
    begin = os.times()
    topology = native.make_topology(request["kind"], request["parameters"])
    slots = native.Slots(
        topology, job["node"], job["position"], [tuple(level) for level in request["levels"]]
    )
    pattern = native.Pattern(
        int(job["ranks"]),
        job["sources"],
        job["targets"],
        job["bytes"],
        np.ones_like(job["bytes"]),
    )
    placement = native.place(
        pattern, slots, objective=getattr(native.Objective, request["objective"])
    )
    end = os.times()
    np.save(answer, placement.order)
    record = {
        "method": placement.method,
        "user_seconds": end.user - begin.user,
        "system_seconds": end.system - begin.system,
        "wall_seconds": end.elapsed - begin.elapsed,
        "peak_bytes": peak_bytes(),
        "own_hop_bytes": placement.cost.hop_bytes,
        "own_busiest_link_bytes": placement.cost.busiest_link_bytes,
    }
    print(json.dumps(record))


if __name__ == "__main__":
    main(*sys.argv[1:])
