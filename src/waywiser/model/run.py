"""`run.json`: the program of a run, its machine and settings, and how it ended."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Literal

from waywiser.model.base import Model
from waywiser.model.result import Result
from waywiser.model.trace import Trace
from waywiser.model.virtual import VirtualClocks

Status = Literal["running", "complete", "failed", "partial"]
"""Complete: every rank finalised, and the program ended with 0. Failed: every rank finalised, so
that the data is complete, but the program ended with another exit code. Partial: data is missing.
"""


def readable(text: str) -> str:
    """Return a text of the system (an argument, a path) as UTF-8, with signs for invalid bytes."""
    return os.fsencode(text).decode("utf-8", "replace")


Abi = Literal["openmpi", "mpich", "standard", "unknown"]
"""A family of MPI libraries, which run each other's programs."""


class Mpi(Model):
    """The MPI library that the program really used, as the library itself says."""

    library: str
    """"Open MPI", "MPICH", "Intel MPI", …; "unknown" when it did not say."""

    version: str
    abi: Abi
    transport: str = "unknown"
    """Transport of the messages, e.g. "ob1 / sm, tcp" or "ch4:ofi / tcp"."""


class Program(Model):
    """The executable, read from its file without running it."""

    path: str
    arguments: tuple[str, ...]
    compiler: str
    """Compiler that the binary's .comment section states; "unknown" if there is none."""

    mpi_library: str
    """File of the MPI library that the dynamic loader would load, or "unknown"."""

    build_id: str = ""
    """Build id that the linker wrote; "" if there is none, or if an earlier Waywiser made the
    run."""


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


class Conditions(Model):
    """Load of the node where the command was started, while it ran."""

    wall_seconds: float
    """Time from the command's start to its end."""

    cpu_seconds: float
    """User and system time of the command's processes on this node."""

    busy_seconds: float
    """CPU time that anybody used on this node, the command included."""

    stolen_seconds: float
    """CPU time that the node, a virtual machine, was denied."""

    involuntary_switches: int
    """Involuntary context switches of the command's processes on this node."""

    load_average: float
    """Load average over the minute before the start."""


class Run(Model):
    """One execution of a program, under the profiler if not said otherwise."""

    format: Literal["waywiser-run"] = "waywiser-run"
    format_version: Literal[1] = 1
    waywiser: str
    """Version of Waywiser that made the run."""

    status: Status
    command: tuple[str, ...]
    """The user's command, from the launcher on."""

    directory: str
    """Working directory of the run."""

    user: str
    program: Program
    mpi: Mpi
    machine: Machine
    environment: dict[str, str]
    """Variables that change how MPI runs; an allow-list, never the whole environment."""

    options: tuple[str, ...] = ()
    """Additional measurements: "split-sync", "callsites", "trace", …"""

    rank_order: tuple[int, ...] = ()
    """The launcher's rank of each rank's process; empty where both are the same."""

    rank_order_file: str = ""
    """The argument of `--rerank`; empty without the option."""

    started: datetime
    ended: datetime | None = None
    exit_code: int | None = None
    state_directory: str | None = None
    """Node-local directory of the live state, while the run is not yet merged."""

    process: tuple[int, int] | None = None
    """Process id of the `waywiser profile` that waits for the run's end, and its start time [clock
    ticks since boot]; None if there is no such process."""

    notes: tuple[str, ...] = ()
    """Sentences on what went wrong around the program, e.g. why no MPI call was seen."""

    imported_from: str | None = None
    """File of another tool that the trace was imported from; None if Waywiser recorded the run."""

    anonymised: bool = False
    profiler: bool = True
    """False if the program ran alone, as under `waywiser profile --bare`."""

    trace: Trace | None = None
    virtual: VirtualClocks | None = None
    """Times on the virtual clocks of `--virtual`; None without the option."""

    conditions: Conditions | None = None
    result: Result | None = None
    """Result of a run that belongs to a study; else None."""
