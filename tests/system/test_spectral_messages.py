"""Messages of ww-spectral, by `waywiser profile` and by `--matrix`, against closed forms."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser, cases
from tests.system.test_lattice_messages import dense, of_file
from tests.system.test_spectral import Grid, grid_options

T, N, LEVELS = 21, 22, 5
STEPS, TRIES = 2, 1
OPTIONS = [f"--truncation={T}", f"--levels={LEVELS}", f"--steps={STEPS}", f"--tries={TRIES}"]
TRIPS = TRIES + 1
"""Round trips, including the first, which is not timed."""

Pairs = Counter[tuple[int, int]]


def points(latitude: int) -> int:
    return 20 + 4 * min(latitude, 2 * N - 1 - latitude)


def part(whole: int, number: int, parts: int) -> int:
    return whole * (number + 1) // parts - whole * number // parts


def snake(whole: int, parts: int) -> list[list[int]]:
    hands: list[list[int]] = [[] for _ in range(parts)]
    for card in range(whole):
        turn, place = divmod(card, parts)
        hands[place if turn % 2 == 0 else parts - 1 - place].append(card)
    return hands


@dataclass(frozen=True)
class Transposed:
    """Bytes between ranks, and messages with bytes, of transforms of one field a level."""

    grid: Grid
    stages: int = 4
    there: int = 3
    back: int = 2

    def latitudes(self, w: int) -> list[int]:
        return [
            latitude for ring in snake(N, self.grid[0])[w] for latitude in (ring, 2 * N - 1 - ring)
        ]

    def waves(self, w: int, latitude: int) -> int:
        carried = min(T, (points(latitude) - 1) // 2) + 1
        return sum(m < carried for m in snake(T + 1, self.grid[0])[w])

    def between(self, forwards: bool) -> list[tuple[int, int, int]]:
        """Rows and columns; forwards: from coefficients to the grid."""
        messages = []
        rows, columns = self.grid
        for w in range(rows):
            for v in range(columns):
                own = part(LEVELS, v, columns)
                for v2 in range(columns):
                    length = sum(
                        part(points(latitude), v2, columns) for latitude in self.latitudes(w)
                    )
                    messages.append((w * columns + v, w * columns + v2, 8 * own * length))
                for w2 in range(rows):
                    waves = sum(self.waves(w, latitude) for latitude in self.latitudes(w2))
                    messages.append((w * columns + v, w2 * columns + v, 16 * own * waves))
        if not forwards:
            messages = [(target, source, sent) for source, target, sent in messages]
        return messages

    def coefficients(self) -> list[tuple[int, int, int]]:
        """Messages from shares of coefficients to sets of levels."""
        messages = []
        rows, columns = self.grid
        for w in range(rows):
            whole = sum(T - m + 1 for m in snake(T + 1, rows)[w])
            for v in range(columns):
                for v2 in range(columns):
                    sent = 16 * part(LEVELS, v2, columns) * part(whole, v, columns)
                    messages.append((w * columns + v, w * columns + v2, sent))
        return messages

    def step(self) -> tuple[Pairs, Pairs]:
        sent: Pairs = Counter()
        messages: Pairs = Counter()
        for forwards, fields in ((True, self.there), (False, self.back)):
            for source, target, size in self.between(forwards):
                sent[source, target] += self.stages * fields * size
                messages[source, target] += self.stages * (size > 0)
        return sent, messages

    def round_trip(self) -> tuple[Pairs, Pairs]:
        sent: Pairs = Counter()
        messages: Pairs = Counter()
        back = [(target, source, size) for source, target, size in self.coefficients()]
        for each in (self.between(True), self.between(False), self.coefficients(), back):
            for source, target, size in each:
                sent[source, target] += size
                messages[source, target] += size > 0
        return sent, messages

    def all(self, steps: int = STEPS) -> tuple[Pairs, Pairs]:
        """Bytes and messages of a run."""
        sent, messages = (
            Counter({pair: steps * step[pair] + TRIPS * trip[pair] for pair in step | trip})
            for step, trip in zip(self.step(), self.round_trip(), strict=True)
        )
        return sent, messages


def apart(pairs: Pairs) -> dict[tuple[int, int], int]:
    """Pairs without those of a rank with itself, and without empty ones."""
    return {pair: size for pair, size in pairs.items() if pair[0] != pair[1] and size > 0}


GRIDS: list[Grid] = [(1, 1), (2, 1), (1, 3), (2, 2), (5, 1), (3, 2), (7, 1), (4, 2)]


WATER = {"stages": 2, "there": 4, "back": 5}
"""Transforms of a step of shallow water; a run steps from three initial states."""


def sent_by(
    waywiser: Waywiser, mpi: MpiLibrary, grid: Grid, exchange: str, *more: str
) -> dict[str, Any]:
    options = [*OPTIONS, *grid_options(grid), f"--exchange={exchange}", *more]
    waywiser.profiles(
        mpi.command(grid[0] * grid[1], mpi.program("ww-spectral"), *options), run=exchange
    )
    return waywiser.show(exchange, "--per-rank")


@pytest.mark.in_turn
@pytest.mark.parametrize("grid", cases([(2, 2)], long=GRIDS))
def test_profiles_have_the_messages_of_the_closed_forms(
    waywiser: Waywiser, mpi: MpiLibrary, grid: Grid
) -> None:
    """Transpositions go by collectives or by pairs, whose other collectives are the same."""
    expected, messages = Transposed(grid).all()

    collective = sent_by(waywiser, mpi, grid, "alltoallv")
    pairwise = sent_by(waywiser, mpi, grid, "pairwise")

    for rank, profile in enumerate(collective["per_rank"]):
        functions = profile["functions"]
        assert functions["MPI_Alltoallv"]["calls"] == 6 * TRIPS + 16 * STEPS
        assert functions["MPI_Alltoallv"]["bytes"] == sum(
            size for (source, _), size in expected.items() if source == rank
        )
        assert not {"MPI_Send", "MPI_Isend", "MPI_Sendrecv", "MPI_Alltoall"} & set(functions)
    all_of, others = (dense(run["collective_matrix"]["bytes"]) for run in (collective, pairwise))
    transposed = Counter({pair: size - others.get(pair, 0) for pair, size in all_of.items()})
    assert apart(transposed) == apart(expected)
    assert dense(pairwise["matrix"]["bytes"]) == apart(expected)
    assert dense(pairwise["matrix"]["messages"]) == apart(messages)


@pytest.mark.in_turn
@pytest.mark.parametrize("grid", cases([(2, 2)], long=[(3, 2)]))
def test_profiles_of_shallow_water_have_the_messages_of_the_closed_forms(
    waywiser: Waywiser, mpi: MpiLibrary, grid: Grid
) -> None:
    expected, messages = Transposed(grid, **WATER).all(3 * STEPS)

    profile = sent_by(waywiser, mpi, grid, "pairwise", "--equations=shallow-water")

    assert dense(profile["matrix"]["bytes"]) == apart(expected)
    assert dense(profile["matrix"]["messages"]) == apart(messages)


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("equations", ["vorticity", "shallow-water"])
def test_matrices_of_a_step_are_those_of_the_closed_forms(
    openmpi: MpiLibrary, tmp_path: Path, grid: Grid, equations: str
) -> None:
    ranks, file = grid[0] * grid[1], tmp_path / "spectral.mtx"
    options = [*OPTIONS, *grid_options(grid), f"--matrix={file}", f"--ranks={ranks}"]
    options += [f"--equations={equations}"]

    openmpi.run(1, openmpi.program("ww-spectral"), *options)

    sent, messages = Transposed(grid, **(WATER if equations == "shallow-water" else {})).step()
    assert of_file(file, ranks) == apart(sent)
    assert of_file(tmp_path / "spectral.mtx.messages.mtx", ranks) == apart(messages)


@pytest.mark.long
def test_a_matrix_of_65536_ranks_has_the_bytes_of_the_closed_form(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    file = tmp_path / "many.mtx"
    words = ["--truncation=511", "--levels=256", "--ranks=65536", f"--matrix={file}"]

    openmpi.run(1, openmpi.program("ww-spectral"), *words)

    with file.open(encoding="utf-8") as lines:
        assert next(lines).startswith("%%MatrixMarket")
        ranks, _, entries = (int(word) for word in next(lines).split())
    assert ranks == 65536
    assert 65536 * 255 < entries <= 65536 * 510
