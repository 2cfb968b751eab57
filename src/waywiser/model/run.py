"""`run.json`: what was run, where, with what, and how it ended."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

Status = Literal["running", "complete", "failed", "partial"]


class Model(BaseModel):
    """Base of every stored model: frozen, and strict about its keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def readable(text: str) -> str:
    """A text of the system (an argument, a path) as UTF-8: bytes that are none become signs."""
    return os.fsencode(text).decode("utf-8", "replace")


class Mpi(Model):
    """The MPI library that the program really used, as the library itself says."""

    library: str
    """"Open MPI", "MPICH", "Intel MPI", …; "unknown" when it did not say."""

    version: str
    abi: Literal["openmpi", "mpich", "standard", "unknown"]
    transport: str = "unknown"
    """What carries the messages, e.g. "ob1 / sm, tcp" or "ch4:ofi / tcp"."""


class Program(Model):
    """The executable, read from its file without running it."""

    path: str
    arguments: tuple[str, ...]
    compiler: str
    """As the binary's .comment section states it; "unknown" if it has none."""

    mpi_library: str
    """The file of the MPI library that the dynamic loader gives it, or "unknown"."""


class Machine(Model):
    """The node on which `waywiser profile` was started."""

    host: str
    kernel: str
    system: str
    cpu: str
    sockets: int
    cores: int
    hardware_threads: int
    smt: Literal["on", "off", "unknown"]
    governor: str
    numa_nodes: int
    memory_bytes: int


class Run(Model):
    """One execution of a program under the profiler."""

    format: Literal["waywiser-run"] = "waywiser-run"
    format_version: Literal[1] = 1
    waywiser: str
    """Version of Waywiser that made the run."""

    status: Status
    command: tuple[str, ...]
    """The user's command, from the launcher on."""

    directory: str
    """Where it was run."""

    user: str
    program: Program
    mpi: Mpi
    machine: Machine
    environment: dict[str, str]
    """Variables that change how MPI runs; an allow-list, never the whole environment."""

    started: datetime
    ended: datetime | None = None
    exit_code: int | None = None
    state_directory: str | None = None
    """Node-local folder of the live state, while the run is not yet merged."""

    process: tuple[int, int] | None = None
    """Of the `waywiser profile` that waits for the run's end: its number, and when it started
    [clock ticks since boot]."""

    notes: tuple[str, ...] = ()
    """Sentences on what went wrong around the program, e.g. why no MPI call was seen."""

    anonymised: bool = False
