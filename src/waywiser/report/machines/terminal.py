"""Machines on a terminal: lists, metrics, comparisons, and drawings of small machines as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from waywiser.model.machine_drawing import Drawing
from waywiser.model.machine_metrics import (
    Islands,
    ListedMachine,
    MachineComparison,
    MachineList,
    MachineMetrics,
    NetworkMetrics,
    Peak,
)
from waywiser.model.routing import cost_remarks
from waywiser.units import count_text, counted, three_digits

WIDTH = 100
MOST_DRAWN = 40
"""Largest number of lines of a drawing; a larger one is not readable."""

Row = Sequence[str]


def list_text(machine_list: MachineList) -> str:
    """A line for each machine."""
    rows: list[Row] = [("name", "nodes", "cores", "topology", "used by", "date", "title")]
    rows += [
        (
            *(machine.name, count_text(machine.nodes), str(machine.cores), machine.kind),
            *(_used_text(machine), machine.date, machine.title),
        )
        for machine in machine_list.machines
    ]
    return text_table(rows, left={0, 3, 4, 5, 6})


def _used_text(machine: ListedMachine) -> str:
    """The uses of a machine: virtual clocks need costs of messages; without, it is a topology."""
    if "virtual" in machine.used_by or not machine.used_by:
        return ", ".join(machine.used_by) or "topology only"
    return f"{', '.join(machine.used_by)} (topology only)"


def metrics_text(metrics: MachineMetrics, drawing: Drawing | None) -> str:
    """The metrics of a machine with their source, and a drawing of a small machine."""
    return "\n".join(_metrics_lines(metrics, drawing))


def _metrics_lines(metrics: MachineMetrics, drawing: Drawing | None) -> Iterator[str]:
    network = metrics.network
    yield metrics.title
    yield ""
    cores = f"{counted(metrics.cores, 'core')} on {counted(metrics.sockets, 'socket')}"
    per_node = metrics.bisection_GBps_per_node
    rows: list[Row] = [
        ("nodes", f"{count_text(network.nodes)}, each with {cores}"),
        ("network", f"{network.kind}, links of {three_digits(metrics.link_bandwidth_GBps)} GB/s"),
        ("switches", count_text(network.switches)),
        (
            "cables",
            f"{count_text(network.network_cables)} in the network, "
            f"{count_text(network.host_cables)} to nodes",
        ),
        ("diameter", counted(network.diameter_hops, "hop")),
        ("mean distance", f"{three_digits(network.mean_hops)} hops between two random nodes"),
        (
            "bisection",
            "not known: no formula for this topology"
            if per_node is None
            else f"{count_text(round(network.bisection_cables or 0))} cables,"
            f" {three_digits(per_node)} GB/s for each node",
        ),
        ("busiest link", _busiest_text(network)),
        *(("islands", _islands_text(islands)) for islands in network.islands),
    ]
    rows += [(f"{peak.of} peak", peak_text(peak)) for peak in metrics.peaks]
    if metrics.failed_links:
        rows.append(("failed links", count_text(metrics.failed_links)))
    yield text_table(rows, left={0, 1})
    yield ""
    yield from textwrap.wrap(f"Source: {metrics.document} ({metrics.date}).", WIDTH)
    for text in metrics.inferred:
        yield from textwrap.wrap(f"Inferred: {text}", WIDTH, subsequent_indent="  ")
    for text in cost_remarks(network.kind):
        yield from textwrap.wrap(f"Note: {text}.", WIDTH, subsequent_indent="  ")
    if drawing is not None:
        yield ""
        yield from drawing_lines(drawing)


def peak_text(peak: Peak) -> str:
    """The peak in words: "10.8 GB/s measured, 86 % of 12.5 GB/s"."""
    return (
        f"{three_digits(peak.measured_GBps)} GB/s measured, {peak.per_cent:.0f} % of"
        f" {three_digits(peak.nominal_GBps)} GB/s"
    )


def _busiest_text(network: NetworkMetrics) -> str:
    about = ", from a sample of pairs" if network.sampled else ""
    return f"{three_digits(network.busiest_link)} of what one node sends, if all send to all{about}"


def _islands_text(islands: Islands) -> str:
    few, many = islands.smallest_nodes, islands.largest_nodes
    size = counted(many, "node") if few == many else f"{few} to {counted(many, 'node')}"
    return f"{count_text(islands.count)} of {size}"


def comparison_text(comparison: MachineComparison) -> str:
    """A table of topologies, and the meaning of its columns."""
    rows: list[Row] = [
        (
            *("", "nodes", "switches", "cables", "per node", "diameter", "mean hops"),
            *("bisection", "busiest", "islands"),
        )
    ]
    rows += [_compared_row(topology.name, topology.network) for topology in comparison.networks]
    rows += [_compared_row(machine.name, machine.network) for machine in comparison.machines]
    meaning = (
        "Cables: in the network, and for each node with its own. Diameter, mean hops: links "
        "between two nodes, the most and of a random pair, as a job sees them that is placed "
        "blindly. Bisection: cables between two halves, for each node of one half. Busiest: "
        "traffic of the busiest cable if all nodes send to all others, over what one node sends; "
        "above 1 it holds them up. Islands: the closest nodes; --json has all levels of them."
    )
    networks = [topology.network for topology in comparison.networks] + [
        machine.network for machine in comparison.machines
    ]
    if any(network.sampled for network in networks):
        meaning += " ~: from a sample of pairs of nodes."
    routed = dict.fromkeys(text for network in networks for text in cost_remarks(network.kind))
    meaning += "".join(f" {text}." for text in routed)
    return "\n".join([text_table(rows, left={0, 9}), "", *textwrap.wrap(meaning, WIDTH)])


def _compared_row(name: str, network: NetworkMetrics) -> Row:
    all_cables = network.network_cables + network.host_cables
    half = network.bisection_cables_per_node
    return (
        name,
        count_text(network.nodes),
        count_text(network.switches),
        count_text(network.network_cables),
        three_digits(all_cables / network.nodes),
        str(network.diameter_hops),
        three_digits(network.mean_hops),
        "-" if half is None else three_digits(half),
        f"{'~' if network.sampled else ''}{three_digits(network.busiest_link)}",
        _islands_text(network.islands[-1]) if network.islands else "-",
    )


def drawing_lines(drawing: Drawing) -> Iterator[str]:
    """Nodes in a grid as a grid; else each switch with its neighbours."""
    if 0 < len(drawing.grid) <= 2 and len(drawing.names) == drawing.nodes:
        yield from _shortened(list(_grid_lines(drawing)))
        return
    joined: dict[int, list[str]] = {}
    for a, b, count in drawing.cables:
        for near, far in ((a, b), (b, a)):
            times = f" x{count}" if count > 1 else ""
            joined.setdefault(near, []).append(f"{drawing.names[far]}{times}")
    drawn = range(drawing.nodes, len(drawing.names)) or range(drawing.nodes)
    lines = [
        line
        for vertex in drawn
        for line in textwrap.wrap(
            f"{drawing.names[vertex]}: {', '.join(joined.get(vertex, ['nothing']))}",
            WIDTH,
            subsequent_indent="    ",
        )
    ]
    yield from _shortened(lines)


def _shortened(lines: Sequence[str]) -> Iterator[str]:
    yield from lines[:MOST_DRAWN]
    if len(lines) > MOST_DRAWN:
        yield f"… and {count_text(len(lines) - MOST_DRAWN)} more lines; -o FILE.svg draws them all"


def _grid_lines(drawing: Drawing) -> Iterator[str]:
    length = drawing.grid[0]
    width = max(len(name) for name in drawing.names)
    rows = [drawing.names[at : at + length] for at in range(0, drawing.nodes, length)]
    for row in rows:
        yield " - ".join(name.ljust(width) for name in row).rstrip()


def text_table(rows: Sequence[Row], left: set[int]) -> str:
    """A table with columns of minimal width; columns in `left` are left-aligned, the others
    right-aligned."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = (
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
    return "\n".join(lines)
