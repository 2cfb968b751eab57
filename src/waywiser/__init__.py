"""Waywiser: profile, explain, predict, place, prove, for any unmodified MPI program."""

from importlib.metadata import version

__version__ = version("waywiser")
