"""Waywiser: profile, explain, predict, place, prove, for any unmodified MPI program.

In Python, `open` returns a run or a study, and verbs are functions; docs/python.md describes them.
"""

import builtins
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from waywiser.api.advise import advise as advise
    from waywiser.api.answers import frame as frame
    from waywiser.api.compare import compare as compare
    from waywiser.api.export import export as export
    from waywiser.api.frame import Frame as Frame
    from waywiser.api.open import open as open
    from waywiser.api.place import place as place
    from waywiser.api.place import verify_placement as verify_placement
    from waywiser.api.profile import profile as profile
    from waywiser.api.run import Run as Run
    from waywiser.api.sql import sql as sql
    from waywiser.api.study import Study as Study
    from waywiser.api.whatif import whatif as whatif
    from waywiser.api.write_report import write_report as write_report
    from waywiser.errors import WaywiserError as WaywiserError

_MODULES = {
    "Frame": "api.frame",
    "Run": "api.run",
    "Study": "api.study",
    "WaywiserError": "errors",
    "advise": "api.advise",
    "compare": "api.compare",
    "export": "api.export",
    "frame": "api.answers",
    "open": "api.open",
    "place": "api.place",
    "profile": "api.profile",
    "sql": "api.sql",
    "verify_placement": "api.place",
    "whatif": "api.whatif",
    "write_report": "api.write_report",
}
"""Name -> its module, which is imported when the name is first used."""


def __dir__() -> list[str]:
    """The names for users, which a notebook completes."""
    return [*_MODULES, "__version__"]


def __getattr__(name: str) -> Any:
    """Import a name's module on first use. `__version__` is read from the build: importing
    `importlib.metadata` takes twice as long as Python takes to start."""
    if name in _MODULES:
        from importlib import import_module

        return getattr(import_module(f"waywiser.{_MODULES[name]}"), name)
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with builtins.open(f"{__path__[0]}/native/version.txt", encoding="ascii") as file:
        return file.read().strip()
