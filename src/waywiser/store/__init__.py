"""Run directories: made, written, read."""

from waywiser.store.directory import RunDirectory, read_run
from waywiser.store.live import new_state_directory

__all__ = ["RunDirectory", "new_state_directory", "read_run"]
