"""The file of a machine of four nodes, n0 to n3, whose network is the test's own."""

from __future__ import annotations

HOSTS = 'hosts = ["n[0-3]"]'

FILE = """
title = "Four nodes"
{hosts}
[source]
document = "made up"
date = "2026"
[node]
cores = 2
[network]
link_bandwidth_GBps = 2.0
[network.topology]
{topology}
[[network.loggp]]
latency_us = 0.0
overhead_us = 0.0
bandwidth_GBps = 2.0
"""

TWO_SWITCHES = 'kind = "fat-tree"\ndown = [2, 2]\nup = [1, 1]'
"""Topology of two switches with two nodes each, joined by one cable."""


def four_nodes(topology: str = TWO_SWITCHES, hosts: str = HOSTS) -> str:
    """A machine of four nodes, whose messages take 0.5 ns a byte and no other time."""
    return FILE.format(topology=topology, hosts=hosts)
