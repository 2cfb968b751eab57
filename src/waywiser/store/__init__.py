"""Run directories: made, written, read."""

from waywiser.store.directory import RunDirectory
from waywiser.store.finish import finished, finished_bare
from waywiser.store.live import new_state_directory
from waywiser.store.read import read_run

__all__ = ["RunDirectory", "finished", "finished_bare", "new_state_directory", "read_run"]
