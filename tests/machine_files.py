"""Files of small machines, of which each test says what matters to it."""

from __future__ import annotations

HOSTS = 'hosts = ["n[0-3]"]'

TWO_SWITCHES = 'kind = "fat-tree"\ndown = [2, 2]\nup = [1, 1]'
"""Topology of two switches with two nodes each, joined by one cable."""


def machine_file(
    topology: int | str,
    *,
    title: str = "Made up",
    top: str = "",
    source: str = "",
    cores: int = 1,
    node: str = "",
    link: float = 1.0,
    network: str = "",
) -> str:
    """Lines of TOML by table; a number as `topology` is that of the nodes on one switch.

    Args:
        link: bandwidth of the links [GB/s].
    """
    if isinstance(topology, int):
        topology = f'kind = "all-to-all"\nswitches = 1\nnodes_per_switch = {topology}'
    tables = {
        "": f'title = "{title}"\n{top}',
        "[source]": f'document = "made up"\ndate = "2026"\n{source}',
        "[node]": f"cores = {cores}\n{node}",
        "[network]": f"link_bandwidth_GBps = {link}\n{network}",
        "[network.topology]": topology,
    }
    return "".join(f"{head}\n{lines}\n" for head, lines in tables.items())


def four_nodes(topology: str = TWO_SWITCHES, hosts: str = HOSTS) -> str:
    """A machine of four nodes, whose messages take 0.5 ns a byte and no other time."""
    loggp = "loggp = [{ latency_us = 0.0, overhead_us = 0.0, bandwidth_GBps = 2.0 }]"
    return machine_file(topology, title="Four nodes", top=hosts, cores=2, link=2.0, network=loggp)
