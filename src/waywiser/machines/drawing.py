"""What a picture of a machine shows."""

from __future__ import annotations

from waywiser.errors import InvalidCommand
from waywiser.machines.library import topology_of, vertex_names
from waywiser.model.machine import Machine
from waywiser.model.machine_drawing import Drawing

MOST_VERTICES = 1024
"""Nodes and switches that a reader can still distinguish in a picture."""


def drawing_of(machine: Machine) -> Drawing:
    """The vertices and cables of a small machine.

    Raises:
        InvalidCommand: it is too large to be drawn.
    """
    topology = topology_of(machine)
    vertices = topology.nodes + topology.switches
    if vertices > MOST_VERTICES:
        raise InvalidCommand(
            f"{machine.title} has {vertices} nodes and switches; at most {MOST_VERTICES} are drawn"
        )
    cables = zip(
        topology.link_from.tolist(),
        topology.link_to.tolist(),
        topology.link_cables.tolist(),
        strict=True,
    )
    return Drawing(
        title=machine.title,
        names=tuple(vertex_names(machine, topology)),
        nodes=topology.nodes,
        cables=tuple((a, b, round(count)) for a, b, count in cables if a < b),
        grid=tuple(topology.grid_lengths),
    )
