"""Run directories: created and written. Their reader (`store.read`) takes longer to import than
`profile` takes to start a program."""

from waywiser.store.directory import RunDirectory
from waywiser.store.finish import finished, finished_bare
from waywiser.store.live import new_state_directory

__all__ = ["RunDirectory", "finished", "finished_bare", "new_state_directory"]
