"""Documents of placements that `waywiser place` never made."""

from __future__ import annotations

from collections.abc import Sequence

from waywiser.model.placement import Placement, PlacementCost

COST = PlacementCost(
    hop_bytes=0,
    off_node_bytes=0,
    bytes_by_hops=(),
    busiest_link_bytes=0,
    seconds=0,
    seconds_at_most=0,
    hosts=2,
    switches=1,
)


def placement(*host_of_rank: str, hosts: Sequence[str] = ("n0", "n1")) -> Placement:
    """Two slots on each of the hosts."""
    return Placement(
        waywiser="0",
        pattern="run",
        machine="two nodes",
        form="openmpi",
        file="placed",
        command=None,
        objective="hop-bytes",
        method="random",
        seed=1,
        ranks=len(host_of_rank),
        hosts=tuple(hosts),
        slots=(2,) * len(hosts),
        order=tuple(range(len(host_of_rank))),
        host_of_rank=host_of_rank,
        before_is="as run",
        before=COST,
        after=COST,
        gain=None,
    )
