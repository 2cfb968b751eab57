"""The limits of the modelled routes of an interconnect."""

from __future__ import annotations

from collections.abc import Iterable

from waywiser.model.machine import Topology

KINDS = ("dragonfly", "hyperx")
"""Kinds whose switches choose routes by load: J. Kim et al., "Technology-Driven, Highly-Scalable
Dragonfly Topology", ISCA 2008; J. H. Ahn et al., "HyperX: Topology, Routing, and Packaging of
Efficient Large-Scale Networks", SC 2009."""

MINIMAL_COSTS = (
    "Hops and loads of links are those of minimal routes; adaptive routing, which dragonflies and "
    "HyperX networks use, may spread the load further"
)
MINIMAL_ROUTES = (
    "Messages take minimal routes; adaptive routing, which dragonflies and HyperX networks use, "
    'may be faster: routing = "adaptive" in the machine file models it'
)
BY_MESSAGE = (
    "Adaptive routing is modelled for whole messages, not packets: each takes its minimal route or "
    "the best of three random detours by load"
)


def cost_remarks(kind: str) -> tuple[str, ...]:
    """Return a sentence on hops and loads of this kind of topology if real networks of the kind
    route otherwise."""
    return (MINIMAL_COSTS,) if kind in KINDS else ()


def replay_remarks(topology: Topology) -> tuple[str, ...]:
    """Return a sentence on the routes of messages if real networks of the kind route otherwise."""
    if topology.kind not in KINDS:
        return ()
    return (BY_MESSAGE if topology.is_adaptive else MINIMAL_ROUTES,)


def limits_in(remarks: Iterable[str]) -> tuple[str, ...]:
    """Return the remarks that say that routes are minimal."""
    return tuple(remark for remark in remarks if remark in (MINIMAL_COSTS, MINIMAL_ROUTES))
