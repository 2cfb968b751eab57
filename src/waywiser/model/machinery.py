"""What `waywiser doctor` finds: the document that `doctor --json` prints."""

from __future__ import annotations

from waywiser.model.base import Model


class MpiInstallation(Model):
    """One MPI library with the launcher and compilers that belong to it."""

    name: str
    version: str
    launcher: str
    library: str | None
    """File of libmpi beside the launcher; none where it was not found."""

    abi: str
    """Family of that library: programs linked to this one can be started here."""

    compilers: dict[str, str]
    """Compiler wrapper (mpicc, mpicxx, mpifort) -> file."""

    workloads: tuple[str, ...]
    """Waywiser's own programs that are built for it."""

    profiles: bool
    """Whether `waywiser profile` works with it."""

    remarks: tuple[str, ...]


class Tool(Model):
    name: str
    path: str | None
    version: str
    needed_for: str


class Extra(Model):
    """Optional packages, as pyproject.toml groups them."""

    name: str
    adds: str
    missing: tuple[str, ...]
    """The extra's packages that are not installed."""

    command: str
    """Command that installs the packages."""


class Machinery(Model):
    waywiser: str
    profiler: str
    """File of the library that is preloaded."""

    profiler_loads: bool
    """Whether the dynamic loader of this machine takes it."""

    mpi: tuple[MpiInstallation, ...]
    tools: tuple[Tool, ...]
    extras: tuple[Extra, ...]
    calls_without_wrapper: tuple[str, ...]
    """Calls of the standard that the profiler leaves alone."""
