"""Compares documents of `waywiser place --json`, for docs/placement-study.md.

python tools/placement_study.py machines DIRECTORY --nodes 288 --like ice-xa-288
python tools/placement_study.py patterns DIRECTORY --ranks 2304
python tools/placement_study.py column-major spectral.mtx columns.mtx --pv 35
python tools/placement_study.py orders default.json random.json placed.json --mpi-share 15
python tools/placement_study.py hops DIRECTORY docs/placement-hops.svg
python tools/placement_study.py heat DIRECTORY docs/placement-heat.svg
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from waywiser.analyse.placing import MESSAGES
from waywiser.machines.candidates import candidates
from waywiser.machines.library import read_machine
from waywiser.machines.text import machine_text
from waywiser.model.machine import Source, Topology
from waywiser.model.placement import Placement, PlacementCost
from waywiser.report.answers.placement import time_text
from waywiser.report.drawing.heat_map import HeatCell, badness, heat_map
from waywiser.report.drawing.image_formats import FORMATS
from waywiser.report.drawing.plot import BLUE, GREY, VERMILION, described, inline
from waywiser.report.machines.terminal import text_table
from waywiser.store.matrix_market import read_matrix_market
from waywiser.units import (
    bytes_text,
    count_text,
    percent_text,
)

TOPOLOGIES = {
    "fat-tree": "fat tree",
    "blocking-fat-tree": "fat tree 2:1",
    "enhanced-hypercube": "enhanced hypercube",
    "torus": "torus 3-D",
    "dragonfly": "dragonfly",
    "all-to-all": "all-to-all",
}
"""Columns of the heat map, with their names in `waywiser machine compare`."""

JOBS = {
    "shallow": "shallow (MPAS)",
    "spectral": "spectral (IFS)",
    "halo2d": "2-D halo (OFAM3)",
    "lattice": "lattice (BQCD)",
    "counter": "counter (GAMESS)",
}
"""Rows of the heat map."""

HALO_BYTES, COUNTER_BYTES = 8192, 8
"""Sizes of a message of the 2-D halo and of a draw."""

ONE_CABLE = 3
"""Hops between nodes whose switches are joined by a cable, including those to the switches."""

NAMED = ("default", "random", "round-robin")
ORDERS = {"default": GREY, "random": VERMILION, "placed": BLUE}

Row = dict[str, Any]
Ranks = NDArray[np.int64]


def write_matrix(path: Path, ranks: int, sources: Ranks, targets: Ranks, values: Ranks) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(f"%%MatrixMarket matrix coordinate integer general\n{ranks} {ranks} ")
        file.write(f"{len(values)}\n")
        np.savetxt(file, np.stack([sources + 1, targets + 1, values], axis=1), fmt="%d")


def write_both(path: Path, ranks: int, sources: Ranks, targets: Ranks, size: int) -> None:
    """Write both matrices with a message of `size` bytes for each pair."""
    ones = np.ones_like(sources)
    write_matrix(path, ranks, sources, targets, size * ones)
    write_matrix(path.with_name(path.name + MESSAGES), ranks, sources, targets, ones)


def halo_pairs(ranks: int) -> tuple[Ranks, Ranks]:
    """Pairs of neighbours on the grid nearest to a square, without wrap-around."""
    width = next(n for n in range(math.isqrt(ranks), 0, -1) if ranks % n == 0)
    rank = np.arange(ranks)
    column, row = rank % width, rank // width
    right = rank[column < width - 1]
    above = rank[row < ranks // width - 1]
    lower = np.concatenate([right, above])
    upper = np.concatenate([right + 1, above + width])
    return np.concatenate([lower, upper]), np.concatenate([upper, lower])


def counter_pairs(ranks: int) -> tuple[Ranks, Ranks]:
    """Pairs in which every rank sends a request to rank 0, which answers."""
    others = np.arange(1, ranks)
    first = np.zeros_like(others)
    return np.concatenate([others, first]), np.concatenate([first, others])


def write_machines(directory: Path, nodes: int, like: str) -> None:
    """Write a machine file for each topology, with the nodes and links of the machine `like`."""
    sizes = {candidate.name: candidate for candidate in candidates(nodes, 36)}
    original = read_machine(like)
    width = len(str(nodes - 1))
    for file, name in TOPOLOGIES.items():
        candidate = sizes[name]
        topology = Topology.model_validate({"kind": candidate.kind, **candidate.parameters})
        machine = original.replace(
            title=f"{name} of {nodes} nodes",
            hosts=(f"n[{0:0{width}}-{nodes - 1}]",),
            source=Source(
                document=f"waywiser machine compare --nodes {nodes}; the rest as in {like}",
                date=original.source.date,
            ),
            network=original.network.replace(topology=topology),
        )
        (directory / f"{file}.toml").write_text(machine_text(machine), encoding="utf-8")


def read_placement(path: Path) -> Placement:
    return Placement.model_validate_json(path.read_text(encoding="utf-8"))


def by_order(documents: Sequence[Placement]) -> dict[str, PlacementCost]:
    """Order -> its cost. The best order may be the default order: then a second document has its
    name."""
    results: dict[str, PlacementCost] = {}
    for placement in documents:
        named = placement.method in NAMED and placement.method not in results
        results[placement.method if named else "placed"] = placement.after
    return results


def orders_text(documents: Sequence[Placement], mpi_share: float) -> str:
    """A line for each order, and the largest possible gain of the placed order."""
    rows: list[Sequence[str]] = [
        ("order", "J [bytes x hops]", "leave nodes", "busiest link", "communication time")
    ]
    costs = by_order(documents)
    for order, cost in costs.items():
        rows.append(
            (
                order,
                count_text(round(cost.hop_bytes)),
                bytes_text(cost.off_node_bytes),
                bytes_text(cost.busiest_link_bytes),
                time_text(cost),
            )
        )
    lines = [text_table(rows, left={0})]
    for order, against in (("placed", "default"), ("random", "placed")):
        if {order, against} <= costs.keys():
            changes = sorted(changes_of_mpi(costs[against], costs[order]), key=abs)
            of_run = [change * mpi_share / 100 for change in changes]
            lines.append(
                f"{order} against {against}, if no rank waits: {range_text(changes)} of the time in"
                f" MPI, {range_text(of_run)} of the run time"
            )
    return "\n".join(lines)


def changes_of_mpi(before: PlacementCost, after: PlacementCost) -> tuple[float, float]:
    """Changes of MPI time if it is proportional to bytes: the share of bytes that leave nodes
    before, times the changes of J and of the busiest link. Waiting ranks make both smaller."""
    leaving = before.off_node_bytes / sum(before.bytes_by_hops)
    return (
        leaving * (after.hop_bytes / before.hop_bytes - 1),
        leaving * (after.busiest_link_bytes / before.busiest_link_bytes - 1),
    )


def range_text(ends: Sequence[float]) -> str:
    low, high = (f"{100 * end:+.1f} %" for end in ends)
    return f"{low} to {high}"


def changed_order(results: Placement) -> str:
    return "random" if results.method == "random" else "placed"


def hops_rows(documents: Sequence[Placement]) -> list[Row]:
    """Bandwidth of a node over the ranks, in each order."""
    orders = list(ORDERS)
    rows: dict[tuple[int, int], Row] = {}
    for results in documents:
        for order, cost in (("default", results.before), (changed_order(results), results.after)):
            rows[results.ranks, orders.index(order)] = {
                "ranks": results.ranks,
                "order": order,
                "GBps": cost.off_node_bytes / cost.hosts / cost.middle_seconds / 1e9,
                "one_cable": sum(cost.bytes_by_hops[: ONE_CABLE + 1]) / sum(cost.bytes_by_hops),
            }
    return [rows[key] for key in sorted(rows)]


def hops_text(rows: Sequence[Row]) -> str:
    table: list[Sequence[str]] = [("ranks", "order", "GB/s of a node", "at most one cable")]
    table += [
        (
            count_text(row["ranks"]),
            row["order"],
            f"{row['GBps']:.2f}",
            percent_text(row["one_cable"]),
        )
        for row in rows
    ]
    return text_table(table, left={1})


def hops_chart(rows: Sequence[Row]) -> alt.TopLevelMixin:
    chart: alt.Chart = (
        alt.Chart(inline(rows), width=600, height=300)
        .mark_line(point=True)
        .encode(
            x=alt.X("ranks:Q", title="ranks", scale=alt.Scale(type="log", base=2)),
            y=alt.Y("GBps:Q", title="bandwidth of a node (GB/s)"),
            color=alt.Color(
                "order:N",
                title=None,
                scale=alt.Scale(domain=list(ORDERS), range=list(ORDERS.values())),
                legend=alt.Legend(orient="top"),
            ),
        )
    )
    return chart


@dataclass(frozen=True)
class Slowdown:
    """Times relative to the default order's on the topology where that is shortest."""

    default: float
    placed: float


def slowdowns(costs: dict[str, tuple[PlacementCost, PlacementCost]]) -> dict[str, Slowdown]:
    """
    Args:
        costs: topology -> costs of a job in default order and placed.
    """
    best = min(before.middle_seconds for before, _ in costs.values())
    return {
        topology: Slowdown(before.middle_seconds / best, after.middle_seconds / best)
        for topology, (before, after) in costs.items()
    }


def read_heat(directory: Path) -> dict[str, dict[str, Slowdown]]:
    """Slowdowns by job and topology, from documents DIRECTORY/JOB.TOPOLOGY.json."""
    results = {}
    for job in JOBS:
        costs = {}
        for topology in TOPOLOGIES:
            placement = read_placement(directory / f"{job}.{topology}.json")
            costs[topology] = (placement.before, placement.after)
        results[job] = slowdowns(costs)
    return results


def heat_text(results: dict[str, dict[str, Slowdown]]) -> str:
    rows: list[Sequence[str]] = [("", *TOPOLOGIES.values())]
    for job, title in JOBS.items():
        rows.append((title, *(cell_text(results[job][topology]) for topology in TOPOLOGIES)))
    return text_table(rows, left={0})


def cell_text(cell: Slowdown) -> str:
    return f"{cell.default:.2f} > {cell.placed:.2f}"


def heat_chart(results: dict[str, dict[str, Slowdown]]) -> alt.TopLevelMixin:
    tooltip = "Slowdown in default order > placed"
    drawn = heat_map(list(_heat_cells(results)), "", "", tooltip, 750, by_row=True)
    # A browser's font may be wider than the font in which labels are measured here.
    return drawn.properties(padding={"left": 30, "right": 8, "top": 8, "bottom": 8})


def _heat_cells(result: dict[str, dict[str, Slowdown]]) -> Iterator[HeatCell]:
    worst = max(math.log(cell.default) for row in result.values() for cell in row.values())
    for job, title in JOBS.items():
        for topology, name in TOPOLOGIES.items():
            cell = result[job][topology]
            yield HeatCell(
                x=name,
                y=title,
                badness=badness(math.log(cell.default), 0.0, worst),
                text=cell_text(cell),
                tooltip=cell_text(cell),
            )


def draw(chart: alt.TopLevelMixin, plot_file: Path) -> None:
    plot_file.write_bytes(FORMATS["svg"](json.dumps(described(chart))))


def column_major(matrix: Path, output: Path, pv: int) -> None:
    """Renumber ranks w V + v as v W + w, in the matrix and in its matrix of messages."""
    for path, to in (
        (matrix, output),
        (matrix.with_name(matrix.name + MESSAGES), output.with_name(output.name + MESSAGES)),
    ):
        result = read_matrix_market(path)
        width = result.ranks // pv
        sources, targets = (
            ends.astype(np.int64) % pv * width + ends.astype(np.int64) // pv
            for ends in (result.sources, result.targets)
        )
        write_matrix(to, result.ranks, sources, targets, result.bytes.astype(np.int64))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    actions = parser.add_subparsers(required=True, dest="action")
    machines = actions.add_parser("machines", help="write a machine file for each topology")
    machines.add_argument("directory", type=Path)
    machines.add_argument("--nodes", type=int, required=True)
    machines.add_argument("--like", required=True, help="machine with the nodes and the links")
    patterns = actions.add_parser("patterns", help="write matrices of the 2-D halo and the counter")
    patterns.add_argument("directory", type=Path)
    patterns.add_argument("--ranks", type=int, required=True)
    columns = actions.add_parser("column-major", help="number the ranks of ww-spectral by columns")
    columns.add_argument("matrix", type=Path)
    columns.add_argument("output", type=Path)
    columns.add_argument("--pv", type=int, required=True, help="ranks of a row")
    orders = actions.add_parser("orders", help="compare orders of the same job")
    orders.add_argument("documents", type=Path, nargs="+")
    orders.add_argument("--mpi-share", type=float, required=True, help="of the run time [%%]")
    for name, about in (
        ("hops", "draw the bandwidth of a node over ranks"),
        ("heat", "draw the heat map of jobs and topologies"),
    ):
        action = actions.add_parser(name, help=about)
        action.add_argument("directory", type=Path, help="documents of `waywiser place --json`")
        action.add_argument("plot", type=Path, help="the SVG to write")
    run(parser.parse_args())


def run(arguments: argparse.Namespace) -> None:
    match arguments.action:
        case "machines":
            write_machines(arguments.directory, arguments.nodes, arguments.like)
        case "patterns":
            for name, pairs, size in (
                ("halo2d.mtx", halo_pairs, HALO_BYTES),
                ("counter.mtx", counter_pairs, COUNTER_BYTES),
            ):
                file = arguments.directory / name
                write_both(file, arguments.ranks, *pairs(arguments.ranks), size)
        case "column-major":
            column_major(arguments.matrix, arguments.output, arguments.pv)
        case "orders":
            print(orders_text(list(map(read_placement, arguments.documents)), arguments.mpi_share))
        case "hops":
            rows = hops_rows(list(map(read_placement, arguments.directory.glob("*.json"))))
            draw(hops_chart(rows), arguments.plot)
            print(hops_text(rows))
        case "heat":
            heat = read_heat(arguments.directory)
            draw(heat_chart(heat), arguments.plot)
            print(heat_text(heat))


if __name__ == "__main__":
    main()
