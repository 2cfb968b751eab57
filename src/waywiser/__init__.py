"""Waywiser: profile, explain, predict, place, prove, for any unmodified MPI program."""


def __getattr__(name: str) -> str:
    """`__version__`, read from the build: to import `importlib.metadata` takes twice as long as
    Python takes to start."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with open(f"{__path__[0]}/native/version.txt", encoding="ascii") as file:
        return file.read().strip()
