"""Virtual clocks in flight: closed forms, the replay of the same trace, programs left as they are.

In the closed forms computing takes no time on the clocks (--cpu 1e12), so that only what the
patterns do is left: messages, and the dissemination barrier of MPI_Finalize. The ranks'
MPI_Comm_rank and the like cost what they take here, some 100 ns.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.support import MpiLibrary, Waywiser, assert_refused, captured, mpi_libraries
from tests.system.conftest import PROGRAMS, TRANSPORT, Build
from tests.system.virtual_clocks import (
    EAGER_BYTES,
    FAR,
    GAP,
    LATENCY,
    MACHINE,
    OVERHEAD,
    PER_BYTE,
    barrier,
    followed,
    local_seconds,
    message,
    met_in,
    rendezvous,
    replayed,
)

REPEATS = 10


def fences(mpi: MpiLibrary) -> list[float]:
    """When four ranks have freed a window, after a put between two fences each time."""
    times = met_in(mpi, [0.0] * 4)
    for _ in range(REPEATS):
        times = met_in(mpi, times)
        times[0] += OVERHEAD + 8 * PER_BYTE + 2 * LATENCY
        times = met_in(mpi, times)
    return met_in(mpi, times)


def closed_form(pattern: str, ranks: int, size: int, latency: float = LATENCY) -> float:
    message_time = message(size, latency)
    rounds = (ranks - 1).bit_length()
    if pattern == "allreduce" and size > 8:  # Rabenseifner: halves, and back
        parts = [size >> i for i in range(1, rounds + 1)]
        return REPEATS * 2 * sum(message(part, latency) for part in parts)
    return {
        "ping-pong": 2 * REPEATS * message_time,
        # The first rank is never behind: it sends every o + g + G s, the NIC's pace.
        "pipeline": (ranks - 1) * message_time
        + (REPEATS - 1) * max(2 * OVERHEAD, GAP + PER_BYTE * size),
        "allreduce": REPEATS * rounds * message_time,
        "iallreduce": REPEATS * rounds * message_time,
        "sendrecv": REPEATS * ranks * message_time,
    }[pattern]


CASES = [
    ("ping-pong", 2, 8),
    ("ping-pong", 2, 50000),
    ("pipeline", 4, 8),
    ("allreduce", 4, 8),
    ("allreduce", 4, 1024),
    ("iallreduce", 4, 8),
    ("sendrecv", 3, 8),
]


@pytest.mark.parametrize(("pattern", "ranks", "size"), CASES)
def test_closed_forms(
    waywiser: Waywiser,
    build: Build,
    pattern: str,
    ranks: int,
    size: int,
) -> None:
    clocks = followed(waywiser, mpi_libraries()[0], build, ranks, pattern, size, REPEATS)

    last = max(rank["seconds"] for rank in clocks["per_rank"])
    expected = closed_form(pattern, ranks, size) + barrier(ranks)
    assert last == pytest.approx(clocks["seconds"])
    assert expected <= last + 1e-9
    assert last <= expected + local_seconds(clocks)
    assert clocks["remarks"] == []


def test_binomial_broadcast_reaches_the_farthest_last(waywiser: Waywiser, build: Build) -> None:
    """In a broadcast to four ranks, the root sends twice, and rank 3 receives from rank 1."""
    clocks = followed(waywiser, mpi_libraries()[0], build, 4, "bcast", 8, 1)

    waited = clocks["functions"]["MPI_Bcast"]["seconds"]
    message_time = message(8)
    # The root sends twice; rank 1 hears and sends; rank 2 hears second; rank 3 hears from rank 1.
    expected = (
        2 * (OVERHEAD) + (message_time + OVERHEAD) + (OVERHEAD + message_time) + 2 * message_time
    )
    assert waited == pytest.approx(expected, abs=4 * local_seconds(clocks))


def test_a_handshake_of_long_messages(waywiser: Waywiser, build: Build) -> None:
    size = 2 * EAGER_BYTES
    clocks = followed(waywiser, mpi_libraries()[0], build, 2, "ping-pong", size, REPEATS)

    expected = 2 * REPEATS * rendezvous(size) + barrier(2)
    assert clocks["handshakes"] == 2 * REPEATS
    assert clocks["seconds"] == pytest.approx(expected, abs=local_seconds(clocks))


def test_ranks_of_different_nodes(waywiser: Waywiser, build: Build) -> None:
    clocks = followed(
        waywiser,
        mpi_libraries()[0],
        build,
        2,
        "ping-pong",
        8,
        REPEATS,
        options=("--cpu", "1e12", "--ranks-per-node", "1"),
    )

    expected = 2 * REPEATS * message(8, FAR) + barrier(2, FAR)
    assert clocks["seconds"] == pytest.approx(expected, abs=local_seconds(clocks))


@pytest.mark.in_turn
@pytest.mark.every_mpi
@pytest.mark.parametrize("pattern", ["ping-pong", "wildcards", "crossed", "pairs", "fences"])
def test_every_library_has_the_same_time(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, pattern: str
) -> None:
    """Messages of any source or tag, in crossed order, persistent and polled, over a communicator
    of the program's own, one-sided."""
    clocks = followed(waywiser, mpi, build, 4, pattern, 8, REPEATS)

    message_time = message(8)
    token = REPEATS * (2 * message(1) + 2 * (OVERHEAD + message(1)))
    times = {
        "ping-pong": [2 * REPEATS * message_time, (2 * REPEATS - 1) * message_time, 0.0, 0.0],
        "crossed": [REPEATS * (2 * message(1) + OVERHEAD * 2), 0.0, 0.0, 0.0],
        # The token goes to all senders in turn, and the last one's message comes back.
        "wildcards": [0.0, 0.0, 0.0, token],
        # The split is a barrier of all.
        "pairs": [time + REPEATS * message_time for time in met_in(mpi, [0.0] * 4)],
        "fences": fences(mpi),
    }[pattern]
    assert clocks["remarks"] == []
    expected = max(met_in(mpi, times))
    assert clocks["seconds"] == pytest.approx(expected, rel=0.02, abs=local_seconds(clocks))


def test_fortran(debian: MpiLibrary, waywiser: Waywiser, tmp_path: Path) -> None:
    (waywiser.directory / "machine.toml").write_text(MACHINE)
    program = debian.build(PROGRAMS / "virtual_fortran.F90", tmp_path / "fortran")
    command = debian.command(2, program)
    options = ("-o", "run", "--virtual", "machine.toml", "--cpu", "1e12")
    waywiser.succeeds("profile", *options, "--", *command, env=TRANSPORT.get(debian.suffix))

    expected = 2 * message(8) + barrier(2)
    clocks = waywiser.show()["virtual"]
    assert clocks["seconds"] == pytest.approx(expected, abs=local_seconds(clocks))


@pytest.mark.parametrize("options", [("--cpu", "1"), ("--cpu", "2")])
def test_the_replay_of_the_same_run_agrees(
    waywiser: Waywiser, build: Build, options: tuple[str, str]
) -> None:
    """The program computes between its messages; clock and replay agree within 5 %."""
    clocks = followed(
        waywiser, mpi_libraries()[0], build, 4, "halo", 1000, 60, options=("--trace", *options)
    )
    seconds, _functions = replayed(waywiser, mpi_libraries()[0].name, float(options[1]))

    assert clocks["seconds"] == pytest.approx(seconds, rel=0.05)


def test_the_program_does_what_it_does_alone(waywiser: Waywiser, tmp_path: Path) -> None:
    mpi = mpi_libraries()[0]
    (waywiser.directory / "machine.toml").write_text(MACHINE)
    command = mpi.command(2, mpi.program("ww-minife"), "--nx", "8")

    alone = captured(command)
    done = waywiser("profile", "-o", "run", "--virtual", "machine.toml", "--", *command)

    assert done.returncode == alone.returncode
    residuals = [
        re.findall(r"residual\S* .*|error.*", message) for message in (alone.stdout, done.stdout)
    ]
    assert residuals[0]
    assert residuals[0] == residuals[1]
    assert waywiser.show()["virtual"]["messages"] > 0


def test_no_library_is_there_unless_requested(waywiser: Waywiser, build: Build) -> None:
    mpi = mpi_libraries()[0]
    done = waywiser.profile(mpi.command(2, build(mpi, "virtual.c"), "ping-pong"))

    assert done.returncode == 0
    assert waywiser.show()["virtual"] is None
    assert "WAYWISER_VIRTUAL" not in os.environ


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--cpu", "2"), "--cpu requires --virtual MACHINE"),
        (("--virtual", "none.toml"), "none.toml"),
        (("--virtual", "fdr-4"), "fdr-4: network.loggp is missing"),
        (("--virtual", "machine.toml", "--bare"), "--bare and --virtual are mutually exclusive"),
    ],
)
def test_mistakes_are_one_sentence(
    waywiser: Waywiser, words: tuple[str, ...], message: str
) -> None:
    (waywiser.directory / "machine.toml").write_text(MACHINE)

    assert_refused(
        waywiser("profile", *words, "--", *mpi_libraries()[0].command(2, "true")), message
    )
