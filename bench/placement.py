"""Measures quality and speed of placements: J and the busiest link of stencils and instances.

Every job is mapped in a separate process, whose user time and peak memory count. The placement is
judged by bench.placing.networks, which shares no code with the mapper. `--instances` takes a
directory with an index.json of the best known costs; without it, its bars are skipped. Scotch and
KaHIP map the same jobs if they are installed.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.common import Add, Record, at_most, options, runner
from bench.placing import jobs, mapper, peers
from bench.placing.jobs import Job
from bench.placing.networks import Numbers, cost

MEAN_RATIO_TARGET = 0.98
WORST_RATIO_TARGET = 1.02
QCD_TARGET = 9.7e9
MPAS_LINK_TARGET = 0.83
"""Limits of issue 6; the last is a share of the default order's busiest link, on a hypercube."""

SECONDS_TARGET = {1 << 10: 0.2, 1 << 13: 2.0, 1 << 16: 15.0, 1 << 20: 200.0}
"""Limit of the user time [s], by the largest number of ranks to which it applies."""

MEMORY_TARGET = 4_000_000_000

PEERS_UP_TO = 1 << 16
"""Largest number of ranks for peers, whose time grows faster than the mapper's."""


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = options(__name__, largest=(1 << 20, "job, in ranks"))
    parser.add_argument("--instances", type=Path, metavar="DIR", help="with index.json")
    parser.add_argument("--only", default="", metavar="TEXT", help="jobs whose name contains it")
    parser.add_argument(
        "--no-peers", action="store_true", help="neither Scotch nor KaHIP, even if installed"
    )
    args = parser.parse_args(argv)
    if args.instances and not (args.instances / "index.json").is_file():
        parser.error(f"--instances: there is no {args.instances / 'index.json'}")
    return args


def plain_loop_seconds() -> float:
    """Time of a loop that shows the present speed of the machine."""
    begin = time.process_time()
    total = 0
    for number in range(2_000_000):
        total += number
    return time.process_time() - begin


def judged(job: Job, slots: Numbers, tool: str, objective: str, used: Record) -> Record:
    """A sample with the cost of a placement and the cost of the default order."""
    default, placed = (
        cost(job.machine, job.traffic, order) for order in (job.slots[: job.traffic.ranks], slots)
    )
    of_node = job.machine.slots_of_node
    offered = np.bincount(job.slots // of_node, minlength=job.machine.nodes)
    used_slots = np.bincount(slots // of_node, minlength=job.machine.nodes)
    return {
        "job": job.name,
        "target": job.target,
        "ranks": job.traffic.ranks,
        "tool": tool,
        "objective": objective,
        "hop_bytes": placed.hop_bytes,
        "default_hop_bytes": default.hop_bytes,
        "best_hop_bytes": job.best_hop_bytes,
        "proven": job.proven,
        "busiest_link_bytes": placed.busiest_link_bytes,
        "default_busiest_link_bytes": default.busiest_link_bytes,
        "busiest_cable_bytes": placed.busiest_cable_bytes,
        "default_busiest_cable_bytes": default.busiest_cable_bytes,
        "overfull_nodes": int((used_slots > offered).sum()),
        "slots_used_twice": int(slots.size - np.unique(slots).size),
        **used,
    }


def samples_of(job: Job, with_peers: dict[str, peers.Peer], *, whole: bool) -> Iterator[Record]:
    loop = {"plain_loop_seconds": plain_loop_seconds()}
    objectives = ["hop_bytes"]
    if job.traffic.ranks <= PEERS_UP_TO:
        objectives.append("busiest_link")
    for objective in objectives:
        slots, used = mapper.place(job, objective)
        yield judged(job, slots, "waywiser", objective, used | loop)
    if whole and job.traffic.ranks <= PEERS_UP_TO:
        for name, peer in with_peers.items():
            if answer := peers.place(peer, job):
                yield judged(job, answer[0], name, "hop_bytes", answer[1] | loop)


def measure(args: argparse.Namespace, _: Path, add: Add) -> list[Record]:
    with_peers = {} if args.no_peers else peers.installed()
    instances = jobs.of_directory(args.instances) if args.instances else iter(())
    if not args.instances:
        print("skipped: instances of the issue, without --instances", file=sys.stderr)
    sources = (
        ("instances", instances),
        ("generated", jobs.generated(args.largest)),
        ("awkward", jobs.awkward()),
    )
    samples = []
    for source, job in ((name, job) for name, of in sources for job in of):
        if job.traffic.ranks > args.largest or args.only not in f"{job.name} {job.target}":
            continue
        for sample in samples_of(job, with_peers, whole=source != "awkward"):
            samples.append({"source": source, **sample})
            add(samples[-1])
            if not args.bars:
                print(line(sample), flush=True)
    if not samples:
        raise SystemExit(f"bench: no job's name contains '{args.only}'")
    return samples


def line(sample: Record) -> str:
    over_default = ratio(sample["hop_bytes"], sample["default_hop_bytes"])
    link = ratio(sample["busiest_cable_bytes"], sample["default_busiest_cable_bytes"])
    tool = f"{sample['tool']} {sample['objective'] if sample['tool'] == 'waywiser' else ''}"
    return (
        f"{sample['job']:24} {sample['target']:30} {tool:22} J {over_default:7.4f},"
        f" busiest link {link:7.4f} of default, {sample['user_seconds']:8.2f} s user"
        f" {sample.get('method', '')}"
    )


def table(samples: list[Record]) -> Iterator[str]:
    """J of each tool over the best known J, or over the default order's if none is known."""
    rows: dict[tuple[str, str], dict[str, float]] = {}
    for sample in samples:
        if sample["objective"] == "hop_bytes":
            reference = sample["best_hop_bytes"] or sample["default_hop_bytes"]
            row = rows.setdefault((sample["job"], sample["target"]), {})
            row[sample["tool"]] = ratio(sample["hop_bytes"], reference)
    tools = list(dict.fromkeys(sample["tool"] for sample in samples))
    yield f"{'':55} {''.join(f'{tool:>10}' for tool in tools)}"
    for (job, target), row in rows.items():
        metrics = [f"{row[tool]:10.4f}" if tool in row else f"{'-':>10}" for tool in tools]
        yield f"{job:24} {target:30} {''.join(metrics)}"


def ratio(value: float, reference: float) -> float:
    return value / reference if reference else 1.0


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def bars(_: argparse.Namespace, samples: list[Record]) -> list[Record]:
    ours = [sample for sample in samples if sample["tool"] == "waywiser"]
    by_hops = [sample for sample in ours if sample["objective"] == "hop_bytes"]
    by_link = [sample for sample in ours if sample["objective"] == "busiest_link"]
    return [
        *ratio_bars([sample for sample in by_hops if sample["source"] == "instances"], samples),
        *known_bars(by_hops),
        *agreement_bars(ours),
        *default_bars(by_hops, by_link),
        *capacity_bars(ours),
        *resource_bars(by_hops),
    ]


def ratio_bars(instances: list[Record], samples: list[Record]) -> Iterator[Record]:
    """Bars of the ratios to the best hop bytes of `--instances`, with the peers' ratios."""
    if not instances:
        return
    ratios = [sample["hop_bytes"] / sample["best_hop_bytes"] for sample in instances]
    beside: dict[str, float] = {"instances": len(ratios)}
    for tool in {sample["tool"] for sample in samples} - {"waywiser"}:
        theirs = [
            sample["hop_bytes"] / sample["best_hop_bytes"]
            for sample in samples
            if sample["tool"] == tool and sample["source"] == "instances"
        ]
        beside |= {f"{tool}_mean": geometric_mean(theirs), f"{tool}_instances": len(theirs)}
    yield at_most(
        MEAN_RATIO_TARGET,
        "J over the best known, geometric mean",
        "ratio",
        geometric_mean(ratios),
        **beside,
    )
    worst = instances[int(np.argmax(ratios))]
    name = f"J over the best known, worst instance ({worst['job']} on {worst['target']})"
    yield at_most(WORST_RATIO_TARGET, name, "ratio", max(ratios))


def known_bars(by_hops: list[Record]) -> Iterator[Record]:
    proven = [sample for sample in by_hops if sample["proven"]]
    if proven:
        missed = [sample for sample in proven if sample["hop_bytes"] != sample["best_hop_bytes"]]
        names = "".join(f"; missed: {sample['job']} on {sample['target']}" for sample in missed)
        name = f"jobs whose proven optimum is missed{names}"
        yield at_most(0, name, "size", len(missed), jobs=len(proven))
    for sample in by_hops:
        if sample["job"] == "qcd4d 64k shuffled":
            yield at_most(QCD_TARGET, f"J of {sample['job']}", "size", sample["hop_bytes"])


def agreement_bars(ours: list[Record]) -> Iterator[Record]:
    """Bars that require the mapper's own cost of a placement to equal the judged cost."""
    if ours:
        wrong = [
            sample
            for sample in ours
            for stated, placed in (
                ("own_hop_bytes", "hop_bytes"),
                ("own_busiest_link_bytes", "busiest_cable_bytes"),
            )
            if not math.isclose(sample[stated], sample[placed], rel_tol=1e-9)
        ]
        yield at_most(
            0, "costs of which the mapper is mistaken", "size", len(wrong), jobs=len(ours)
        )


def default_bars(by_hops: list[Record], by_link: list[Record]) -> Iterator[Record]:
    """Bars that require the objective to be no worse than in the default order."""
    for metric, key, of in (
        ("J", "hop_bytes", by_hops),
        ("busiest link", "busiest_cable_bytes", by_link),
    ):
        if of:
            worst = max(ratio(sample[key], sample[f"default_{key}"]) for sample in of)
            name = f"{metric} over that of the default order, worst job"
            yield at_most(1, name, "ratio", worst, jobs=len(of))
    for sample in by_link:
        if sample["job"] == "mpas_6912" and sample["target"].startswith("hcube"):
            link = ratio(sample["busiest_link_bytes"], sample["default_busiest_link_bytes"])
            name = f"busiest link of {sample['job']} on {sample['target']} over the default order's"
            yield at_most(MPAS_LINK_TARGET, name, "ratio", link)


def capacity_bars(ours: list[Record]) -> Iterator[Record]:
    if ours:
        faults = sum(sample["overfull_nodes"] + sample["slots_used_twice"] for sample in ours)
        yield at_most(0, "overfull nodes and slots used twice", "size", faults, jobs=len(ours))


def resource_bars(by_hops: list[Record]) -> Iterator[Record]:
    least = 0
    for ranks, limit_s in SECONDS_TARGET.items():
        if of := [sample for sample in by_hops if least < sample["ranks"] <= ranks]:
            worst = max(of, key=lambda sample: float(sample["user_seconds"]))
            yield at_most(
                limit_s,
                f"user time up to {ranks} ranks, s ({worst['job']} on {worst['target']})",
                "absolute",
                worst["user_seconds"],
                plain_loop_seconds=worst["plain_loop_seconds"],
            )
        least = ranks
    if by_hops:
        memory = max(sample["peak_bytes"] for sample in by_hops)
        yield at_most(MEMORY_TARGET, "peak memory, B", "size", memory)


main = runner(parse, measure, bars, lambda samples: print(*table(samples), sep="\n"))
