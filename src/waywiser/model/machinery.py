"""The MPI libraries and tools that `waywiser doctor` finds: the document of `doctor --json`."""

from __future__ import annotations

from waywiser.model.base import Model


class MpiInstallation(Model):
    """One MPI library with the launcher and compilers that belong to it."""

    name: str
    version: str
    launcher: str
    library: str | None
    """File of libmpi beside the launcher; None if it was not found."""

    abi: str
    """ABI family of the library, whose members run each other's programs."""

    compilers: dict[str, str]
    """Compiler wrapper (mpicc, mpicxx, mpifort) -> file."""

    workloads: tuple[str, ...]
    """Waywiser's own programs that are built for it."""

    profiles: bool
    """True if `waywiser profile` works with the library."""

    remarks: tuple[str, ...]


class Tool(Model):
    name: str
    path: str | None
    version: str
    needed_for: str


class Extra(Model):
    """Optional packages, grouped as in pyproject.toml."""

    name: str
    adds: str
    missing: tuple[str, ...]
    """The extra's packages that are not installed."""

    command: str
    """Command that installs the packages."""


class Machinery(Model):
    waywiser: str
    profiler: str
    """File of the profiler's library, which is preloaded."""

    profiler_loads: bool
    """True if the dynamic loader of this machine loads the profiler."""

    mpi: tuple[MpiInstallation, ...]
    tools: tuple[Tool, ...]
    extras: tuple[Extra, ...]
    calls_without_wrapper: tuple[str, ...]
    """Calls of the MPI standard that the profiler does not wrap."""
