"""Waywiser: profile, explain, predict, place, prove, for any unmodified MPI program.

In Python, `open` gives a run or a study; docs/python.md has the rest.
"""

import builtins
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from waywiser.api.frame import Frame as Frame
    from waywiser.api.open import open as open
    from waywiser.api.run import Run as Run
    from waywiser.api.sql import sql as sql
    from waywiser.api.study import Study as Study

_MODULES = {"Frame": "frame", "Run": "run", "Study": "study", "open": "open", "sql": "sql"}
"""Name -> its module of the room api, which is imported when the name is first used."""


def __getattr__(name: str) -> Any:
    """`__version__` is read from the build: to import `importlib.metadata` takes twice as long as
    Python takes to start."""
    if name in _MODULES:
        from importlib import import_module

        return getattr(import_module(f"waywiser.api.{_MODULES[name]}"), name)
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with builtins.open(f"{__path__[0]}/native/version.txt", encoding="ascii") as file:
        return file.read().strip()
