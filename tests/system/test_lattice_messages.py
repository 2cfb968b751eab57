"""Messages of ww-lattice, by `waywiser profile` and by `--matrix`, against closed forms."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.kernel_programs import samples
from tests.support import MpiLibrary, Waywiser, cases
from tests.system.test_lattice import Grid, grid_options

EXTENTS = (4, 4, 8, 12)
SIZE = [f"--{axis}={extent}" for axis, extent in zip("xyzt", EXTENTS, strict=True)]
ITERATIONS = 3
"""Too few to be verified, which is not what is asked here."""

CHECKS = 16
"""Hops from one parity to the other that verify: D for the residual, three times for its adjoint,
twice for a gauge transform and twice for plane waves."""

TRIES = 2
HOPS = (TRIES + 1) * (4 * ITERATIONS + 4) + (TRIES + 1) * 2 + CHECKS
SUMS = (TRIES + 1) * (2 * ITERATIONS + 1)
OTHER_SUMS = 2 + 10 + 7 + 11 + 2
"""Sums besides conjugate gradients': memory, limits, times of tries and sections, checks, and
plaquettes."""

PLAQUETTES = 2
"""Means of plaquettes, before and after a gauge transform. Each rank sends the links at its lower
faces backwards."""


def extents_of(grid: Grid) -> Grid:
    """Extents of SIZE, with another extent in t if the grid cannot cut that of SIZE evenly."""
    x, y, z, t = EXTENTS
    return x, y, z, t if t % (2 * grid[3]) == 0 else 4 * grid[3]


def size_of(grid: Grid) -> list[str]:
    return [f"--{axis}={extent}" for axis, extent in zip("xyzt", extents_of(grid), strict=True)]


def boxes(grid: Grid) -> Grid:
    x, y, z, t = (extent // ranks for extent, ranks in zip(extents_of(grid), grid, strict=True))
    return x, y, z, t


def message_bytes_of(local: Grid, axis: int) -> int:
    return 12 * 8 * math.prod(local) // (2 * local[axis])


def message_bytes(grid: Grid, axis: int) -> int:
    return message_bytes_of(boxes(grid), axis)


def places(grid: Grid) -> list[tuple[int, ...]]:
    """Place of each rank on the grid."""
    return [place[::-1] for place in itertools.product(*(range(n) for n in grid[::-1]))]


def matrices(grid: Grid) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]]:
    """Bytes and messages between ranks in one hop."""
    sent: dict[tuple[int, int], int] = {}
    messages: dict[tuple[int, int], int] = {}
    for rank, place in enumerate(places(grid)):
        for axis, step in itertools.product(range(4), (1, -1)):
            if grid[axis] == 1:
                continue
            neighbour = list(place)
            neighbour[axis] = (place[axis] + step) % grid[axis]
            pair = rank, places(grid).index(tuple(neighbour))
            sent[pair] = sent.get(pair, 0) + message_bytes(grid, axis)
            messages[pair] = messages.get(pair, 0) + 1
    return sent, messages


def links_sent(grid: Grid) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]]:
    """Bytes and messages between ranks for all plaquettes."""
    local = boxes(grid)
    sent: dict[tuple[int, int], int] = {}
    messages: dict[tuple[int, int], int] = {}
    for rank, place in enumerate(places(grid)):
        for axis in range(4):
            if grid[axis] == 1:
                continue
            neighbour = list(place)
            neighbour[axis] = (place[axis] - 1) % grid[axis]
            pair = rank, places(grid).index(tuple(neighbour))
            links = 4 * math.prod(local) // local[axis]
            sent[pair] = sent.get(pair, 0) + PLAQUETTES * links * 9 * 16
            messages[pair] = messages.get(pair, 0) + PLAQUETTES
    return sent, messages


def dense(entries: list[list[int]]) -> dict[tuple[int, int], int]:
    return {(source, target): value for source, target, value in entries}


def scaled(entries: dict[tuple[int, int], int], factor: int) -> dict[tuple[int, int], int]:
    return {pair: factor * value for pair, value in entries.items()}


GRIDS: list[Grid] = [
    (1, 1, 1, 1),
    (1, 1, 1, 2),
    (1, 1, 1, 3),
    (2, 1, 1, 2),
    (1, 1, 1, 5),
    (1, 1, 2, 3),
    (1, 1, 1, 7),
    (2, 2, 2, 1),
]


@pytest.mark.in_turn
@pytest.mark.parametrize("grid", cases([(2, 1, 1, 2), (1, 1, 2, 3)], long=GRIDS))
def test_messages_are_those_of_the_closed_form(
    waywiser: Waywiser, mpi: MpiLibrary, grid: Grid
) -> None:
    ranks, cuts = math.prod(grid), sum(n > 1 for n in grid)
    options = [
        *size_of(grid),
        *grid_options(grid),
        f"--tries={TRIES}",
        f"--iterations={ITERATIONS}",
    ]

    done = waywiser.profile(mpi.command(ranks, mpi.program("ww-lattice"), *options))

    assert done.returncode == 1, done.stderr
    sent = HOPS * 2 * sum(message_bytes(grid, axis) for axis in range(4) if grid[axis] > 1)
    for profile in waywiser.show("run", "--per-rank")["per_rank"]:
        functions = profile["functions"]
        assert functions["MPI_Allreduce"]["calls"] == SUMS + OTHER_SUMS
        if cuts == 0:
            assert "MPI_Isend" not in functions
            continue
        assert functions["MPI_Isend"]["calls"] == HOPS * 2 * cuts
        assert functions["MPI_Isend"]["bytes"] == sent
        assert functions["MPI_Irecv"]["calls"] == HOPS * 2 * cuts
        assert functions["MPI_Waitall"]["calls"] == HOPS
        assert functions["MPI_Sendrecv"]["calls"] == PLAQUETTES * cuts
        assert not {"MPI_Send", "MPI_Recv"} & set(functions)
    matrix: dict[str, Any] = waywiser.show("run")["matrix"]
    for entries, in_a_hop, links in zip(
        (matrix["bytes"], matrix["messages"]), matrices(grid), links_sent(grid), strict=True
    ):
        assert dense(entries) == Counter(scaled(in_a_hop, HOPS)) + Counter(links)


def of_file(path: Path, ranks: int) -> dict[tuple[int, int], int]:
    header, size, *lines = path.read_text(encoding="utf-8").splitlines()
    assert header == "%%MatrixMarket matrix coordinate integer general"
    assert size == f"{ranks} {ranks} {len(lines)}"
    entries = [[int(word) for word in line.split()] for line in lines]
    return {(row - 1, column - 1): value for row, column, value in entries}


@pytest.mark.parametrize("grid", [*GRIDS, (1, 1, 2, 2), (2, 1, 2, 2)])
def test_matrices_of_an_iteration_are_four_times_those_of_a_hop(
    openmpi: MpiLibrary, tmp_path: Path, grid: Grid
) -> None:
    """The test above says that profiles have the matrix of a hop."""
    ranks, file = math.prod(grid), tmp_path / "lattice.mtx"
    options = [*size_of(grid), *grid_options(grid), f"--matrix={file}", f"--ranks={ranks}"]

    openmpi.run(1, openmpi.program("ww-lattice"), *options)

    in_a_hop = matrices(grid)
    assert of_file(file, ranks) == scaled(in_a_hop[0], 4)
    assert of_file(tmp_path / "lattice.mtx.messages.mtx", ranks) == scaled(in_a_hop[1], 4)


@pytest.mark.parametrize("ranks", cases([6], long=[1, 2, 3, 4, 8]))
def test_a_run_without_a_grid_cuts_as_the_matrix_does(
    openmpi: MpiLibrary, tmp_path: Path, ranks: int
) -> None:
    file, program = tmp_path / "lattice.mtx", openmpi.program("ww-lattice")
    openmpi.run(1, program, *SIZE, f"--matrix={file}", f"--ranks={ranks}")

    solution, _ = samples(program, openmpi, tmp_path, *SIZE, "--tries=1", ranks=ranks)

    x, y, z, t = (solution["parameters"][f"p{axis}"] for axis in "xyzt")
    assert of_file(file, ranks) == scaled(matrices((x, y, z, t))[0], 4)


def test_a_matrix_of_65536_ranks_has_eight_neighbours_each(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    file = tmp_path / "many.mtx"
    words = ["--x=64", "--y=64", "--z=64", "--t=64", "--ranks=65536", f"--matrix={file}"]

    openmpi.run(1, openmpi.program("ww-lattice"), *words)

    with file.open(encoding="utf-8") as lines:
        _, size, first = (next(lines) for _ in range(3))
    assert size == f"65536 65536 {8 * 65536}\n"
    assert first == f"1 2 {4 * message_bytes_of((4, 4, 4, 4), 0)}\n"
