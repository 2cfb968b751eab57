"""Run directories: made, written, read."""

from waywiser.store.directory import RunDirectory, read_run

__all__ = ["RunDirectory", "read_run"]
