"""Machines: the shipped ones, imports from a site's files, and metrics of their topologies."""
