"""A made-up machine, what messages cost on it by LogGPS, and runs that clocks follow on it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tests.machine_files import machine_file
from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build
from waywiser.native import simulate

LATENCY, OVERHEAD, PER_BYTE, GAP = 1e-3, 10e-6, 1e-9, 2e-6  # seconds: L, o, G, g
EAGER_BYTES = 65536
NS = 1e-9
LOCAL = re.compile(
    "MPI_(Comm_(rank|size|group|free)|Group_|Type_|Get_|Request_free|(Send|Recv)_init|Cancel|Test_cancelled)"
)
"""Calls that take on the clocks what they take here, where another program may hold them up."""

SLOW = """eager_limit_bytes = 65536
loggp = [{ latency_us = %s, overhead_us = 10.0, gap_us = 2.0, bandwidth_GBps = 1.0 }]"""
MACHINE = machine_file(
    4,
    title="Made-up machine",
    cores=4,
    node=SLOW % 1000.0,
    network=f"link_latency_us = 1.0\n{SLOW % 3000.0}",
)

FAR = LATENCY + 2e-3
"""Latency between nodes."""


def message(size: int, latency: float = LATENCY) -> float:
    """Time from the start of an eager send to the end of its receive."""
    return OVERHEAD + PER_BYTE * size + latency + OVERHEAD


def rendezvous(size: int, latency: float = LATENCY) -> float:
    """Time of a message with a handshake, whose measured latency includes two empty messages."""
    last_latency = max(latency - 2 * (OVERHEAD + latency), latency)
    return (
        OVERHEAD
        + latency
        + OVERHEAD
        + latency
        + OVERHEAD
        + PER_BYTE * size
        + last_latency
        + OVERHEAD
    )


def barrier(ranks: int, latency: float = LATENCY) -> float:
    return (ranks - 1).bit_length() * message(0, latency)


def local_seconds(clocks: dict[str, Any]) -> float:
    """Bound of a clock's lateness [s]: the time of local calls, by the clocks of all ranks."""
    functions: dict[str, dict[str, float]] = clocks["functions"]
    return 1e-6 + sum(
        function["seconds"] for name, function in functions.items() if LOCAL.match(name)
    )


def met(times: list[float]) -> list[float]:
    """When ranks leave a dissemination barrier that they come to at these times."""
    ranks = len(times)
    for reach in (1 << i for i in range((ranks - 1).bit_length())):
        arrivals = [times[rank - reach] + OVERHEAD + LATENCY for rank in range(ranks)]
        times = [max(times[rank] + OVERHEAD, arrivals[rank]) + OVERHEAD for rank in range(ranks)]
    return times


def met_at_root(times: list[float]) -> list[float]:
    """When ranks leave a linear barrier: rank 0 receives from all in order, then sends to all."""
    root = times[0]
    for time in times[1:]:
        root = max(root, time + OVERHEAD + LATENCY) + OVERHEAD
    notified = [root + (OVERHEAD * place) + LATENCY + OVERHEAD for place in range(1, len(times))]
    return [root + OVERHEAD * (len(times) - 1), *notified]


def met_in(mpi: MpiLibrary, times: list[float]) -> list[float]:
    """When four ranks leave a barrier of that library."""
    return met_at_root(times) if mpi.name == "openmpi" else met(times)


def followed(
    waywiser: Waywiser,
    mpi: MpiLibrary,
    build: Build,
    ranks: int,
    *words: object,
    source: str = "virtual.c",
    options: tuple[str, ...] = ("--cpu", "1e12"),
) -> dict[str, Any]:
    """The virtual clocks of a run of virtual.c."""
    (waywiser.directory / "machine.toml").write_text(MACHINE)
    program = build(mpi, source)
    done = waywiser.succeeds(
        *("profile", "-o", "run", "--virtual", "machine.toml", *options, "--"),
        *mpi.command(ranks, program, *map(str, words)),
        timeout=200,
    )
    assert done.stdout == "done\n"
    assert "virtual clocks on Made-up machine" in done.stderr
    clocks: dict[str, Any] = waywiser.show()["virtual"]
    return clocks


def replayed(
    waywiser: Waywiser, library: str, cpu: float, nodes: Sequence[int] = ()
) -> tuple[float, dict[str, float]]:
    """The replay of the same run's trace on the same machine.

    Args:
        library: whose algorithms are played.
        nodes: of the ranks; empty: all are on one.

    Returns:
        The time from the end of MPI_Init on, and the time in each function, all ranks together.
    """
    trace = str(waywiser.directory / "run" / "trace" / "trace.ww")

    def replay(share: float, cpu: float) -> simulate.Prediction:
        def messages(latency: float) -> simulate.Messages:
            times_ns = (share * cost / NS for cost in (latency, OVERHEAD, GAP, PER_BYTE))
            return simulate.Messages([simulate.Cost(None, *times_ns)], EAGER_BYTES)

        settings = simulate.Settings()
        settings.within, settings.between = messages(LATENCY), messages(FAR)
        settings.node_of_rank = list(nodes)
        settings.cpu = cpu
        settings.library = library
        return simulate.replay(trace, settings)

    # The clocks begin after MPI_Init: what the ranks take until then, the replay finds alone where
    # neither messages nor computing cost anything.
    set_up_ns = replay(0, 1e12).makespan_ns
    prediction = replay(1, cpu)
    times = {function.name: function.ns * NS for function in prediction.functions}
    return (prediction.makespan_ns - set_up_ns) * NS, times
