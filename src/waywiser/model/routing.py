"""The limits of the modelled routes of an interconnect."""

from __future__ import annotations

from collections.abc import Iterable

ADAPTIVE = ("dragonfly", "hyperx")
"""Kinds whose switches choose ways by load: J. Kim et al., "Technology-Driven, Highly-Scalable
Dragonfly Topology", ISCA 2008; J. H. Ahn et al., "HyperX: Topology, Routing, and Packaging of
Efficient Large-Scale Networks", SC 2009."""

NOT_ADAPTIVE = (
    "Adaptive routing, which dragonflies and HyperX networks use, is not modelled: messages take "
    "fixed shortest ways, so the load of the busiest link may be overestimated"
)


def routing_remarks(kind: str) -> tuple[str, ...]:
    """Return one sentence if real networks of this kind of topology route otherwise."""
    return (NOT_ADAPTIVE,) if kind in ADAPTIVE else ()


def limits_in(remarks: Iterable[str]) -> tuple[str, ...]:
    """Return the remarks that concern routing."""
    return tuple(one for one in remarks if one == NOT_ADAPTIVE)
