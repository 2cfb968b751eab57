"""Messages of ww-shallow, by `waywiser profile` and by `--matrix`, against closed forms and against
a count on the mesh's graph."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser, cases
from tests.system.test_lattice_messages import dense, of_file, scaled

Entries = dict[tuple[int, int], int]

STEPS, LEVELS = 3, 2
SIZE = [f"--steps={STEPS}", f"--levels={LEVELS}"]


def matrices(
    mpi: MpiLibrary, directory: Path, ranks: int, *options: str
) -> tuple[Entries, Entries]:
    """Bytes and messages of a step, as `--matrix` says."""
    file = directory / "shallow.mtx"
    words = [*options, f"--levels={LEVELS}", f"--matrix={file}", f"--ranks={ranks}"]
    mpi.run(1, mpi.program("ww-shallow"), *words)
    return of_file(file, ranks), of_file(directory / "shallow.mtx.messages.mtx", ranks)


def closed_form(ranks: int, m: int) -> tuple[int, int]:
    """Bytes and messages of a stage, of blocks of m x m cells."""
    return 8 * LEVELS * (ranks * (28 * m + 29) - 170), 8 * ranks - 20


@pytest.mark.parametrize(
    "cut", cases([(3, 0), (4, 1), (7, 4)], long=[(4, 0), (5, 0), (5, 1), (5, 2), (6, 1)])
)
def test_matrices_of_rhombi_have_a_closed_form(
    openmpi: MpiLibrary, tmp_path: Path, cut: tuple[int, int]
) -> None:
    grid, k = cut
    ranks = 10 * 4**k
    words = [f"--grid={grid}", "--partition=rhombi"]

    sent, messages = matrices(openmpi, tmp_path, ranks, *words)

    expected = closed_form(ranks, 2 ** (grid - k))
    assert sum(sent.values()) == 4 * expected[0]
    assert sum(messages.values()) == 4 * expected[1]
    assert set(messages.values()) == {4}


Neighbours = list[set[int]]


def graph_of(mpi: MpiLibrary, directory: Path, grid: int) -> Neighbours:
    file = directory / "mesh.graph"
    mpi.run(1, mpi.program("ww-shallow"), f"--grid={grid}", f"--graph={file}")
    head, *lines = file.read_text(encoding="utf-8").splitlines()
    cells = 10 * 4**grid + 2
    assert head == f"{cells} {3 * cells - 6}"
    return [{int(word) - 1 for word in line.split()} for line in lines]


def counted(graph: Neighbours, parts: list[int]) -> Entries:
    """Values that ranks send each other before a stage, from triangles of neighbours alone: two
    layers of cells, and the edges of triangles that touch an own cell or one of the first."""
    corners = range(len(graph))
    triangles = [
        (i, j, k) for i in corners for j in graph[i] if j > i for k in graph[i] & graph[j] if k > j
    ]
    assert len(triangles) == 2 * len(graph) - 4
    sent: Entries = {}
    for rank in set(parts):
        own = {cell for cell in corners if parts[cell] == rank}
        first = {neighbour for cell in own for neighbour in graph[cell]} | own
        second = {neighbour for cell in first for neighbour in graph[cell]} | first
        edges = {
            edge
            for triangle in triangles
            if first & {*triangle}
            for edge in itertools.combinations(triangle, 2)
        }
        owners = [parts[cell] for cell in second - own]
        owners += [min(parts[i], parts[j]) for i, j in edges]
        for owner in owners:
            if owner != rank:
                sent[owner, rank] = sent.get((owner, rank), 0) + 1
    return sent


@pytest.mark.parametrize("ranks", cases([5], long=[2, 16]))
def test_matrices_of_parts_are_what_a_count_on_the_graph_says(
    openmpi: MpiLibrary, tmp_path: Path, ranks: int
) -> None:
    graph = graph_of(openmpi, tmp_path, 3)
    parts = [cell * ranks // len(graph) for cell in range(len(graph))]
    file = tmp_path / "mesh.part"
    file.write_text("".join(f"{part}\n" for part in parts), encoding="utf-8")

    sent, messages = matrices(openmpi, tmp_path, ranks, f"--partition=metis:{file}")

    expected = counted(graph, parts)
    assert sent == scaled(expected, 4 * 8 * LEVELS)
    assert messages == dict.fromkeys(expected, 4)


SUMS = 2 + 10 + 4 + 2 + 1 + 2 + 1 + 2 + 3
"""Reductions of a run with one try, none of them in a step: for memory, limits, four identities,
two areas, invariants, a try's time and digests, invariants, errors, and sections."""


PROFILED: list[tuple[int, list[str]]] = [
    (3, []),
    (10, ["--partition=rhombi", "--exchanges=separate"]),
]
MORE: list[tuple[int, list[str]]] = [(ranks, []) for ranks in (1, 2, 4, 5, 6, 7, 8)]


@pytest.mark.in_turn
@pytest.mark.parametrize("run", cases(PROFILED, long=MORE))
def test_profiles_have_the_matrix_of_each_step(
    waywiser: Waywiser, mpi: MpiLibrary, tmp_path: Path, run: tuple[int, list[str]]
) -> None:
    ranks, options = run
    sent, messages = matrices(mpi, tmp_path, ranks, *options)

    waywiser.profiles(mpi.command(ranks, mpi.program("ww-shallow"), *SIZE, *options))

    matrix: dict[str, Any] = waywiser.show("run")["matrix"]
    assert dense(matrix["bytes"]) == scaled(sent, STEPS)
    assert dense(matrix["messages"]) == scaled(messages, STEPS)
    if "--partition=rhombi" in options:
        expected = closed_form(ranks, 8)
        assert sum(sent.values()) == 4 * expected[0]
        assert len(sent) == expected[1]
    for rank, profile in enumerate(waywiser.show("run", "--per-rank")["per_rank"]):
        functions = profile["functions"]
        assert functions["MPI_Allreduce"]["calls"] == SUMS
        if ranks == 1:
            assert "MPI_Isend" not in functions
            continue
        groups = 2 if "--exchanges=separate" in options else 1
        sends = {pair: value for pair, value in messages.items() if pair[0] == rank}
        receives = sum(value for pair, value in messages.items() if pair[1] == rank)
        assert functions["MPI_Isend"]["calls"] == STEPS * sum(sends.values())
        assert functions["MPI_Isend"]["bytes"] == STEPS * sum(sent[pair] for pair in sends)
        assert functions["MPI_Irecv"]["calls"] == STEPS * receives
        assert functions["MPI_Waitall"]["calls"] == STEPS * 4 * groups


@pytest.mark.long
def test_a_matrix_of_65536_ranks_takes_no_ranks(openmpi: MpiLibrary, tmp_path: Path) -> None:
    sent, messages = matrices(openmpi, tmp_path, 65536, "--grid=7")

    assert set(messages) == set(sent)
    assert {pair[::-1] for pair in sent} == set(sent)
    assert len({source for source, _ in sent}) == 65536
