"""Machines: found, imported from what a site has, written, and measured by their topologies."""
