"""ww-tbl with tridiagonal systems that ranks share, against whole lines; and its messages."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.kernel_programs import samples
from tests.support import MpiLibrary, Waywiser, cases
from tests.system.test_tbl import SIZE, UNEVEN, Cut, N, expected_messages, part, run

CUTS: list[Cut] = [(2, 1), (2, 2), (4, 1), (3, 2), (2, 3), (6, 1)]
"""Of 13 x 12 x 11 cells: 6 ranks have two rows each, none of which is an inner one."""


@pytest.mark.in_turn
@pytest.mark.parametrize("cut", cases([(2, 1), (4, 1), (3, 2)], long=CUTS))
def test_lines_that_ranks_share_have_the_values_of_whole_lines(
    mpi: MpiLibrary, tmp_path: Path, cut: Cut
) -> None:
    p1, p2 = cut
    options = [*UNEVEN, "--n2=12", "--steps=1", f"--p1={p1}", f"--p2={p2}"]
    _, whole = run(mpi, tmp_path, *options, ranks=p1 * p2)

    sample, shared = run(mpi, tmp_path, *options, "--solver=partitioned", ranks=p1 * p2, threads=2)

    assert sample["variant"] == sample["parameters"]["decomposition"] == "partitioned"
    assert sample["verified"] is True
    assert np.abs(whole[1:3]).max() > 0.01
    change = np.abs(shared - whole)
    assert change[:3].max() <= 1e-14
    assert 0.01 * change[3].max() <= 1e-14  # of the velocity that pressure changes in a step


def expected_bytes(cut: Cut, rank: int, steps: int) -> int:
    """Given to MPI_Alltoallv: of the steps, and of taking the divergence out of the start."""
    p1, p2 = cut
    row, column = rank % p1, rank // p1
    n1, n2, n3 = N
    m2, m3, own_3 = part(n2, p1, row), part(n3, p2, column), part(n3, p1, row)

    def both(on_axis_1: int) -> int:
        own_1 = part(on_axis_1, p2, column)
        transposed = (on_axis_1 - own_1) * m2 * m3 + own_1 * m2 * (n3 - m3)
        return transposed + 2 * own_1 * (n3 - own_3) + 2 * own_1 * own_3 * (p1 - 1)

    spectrum = 2 * both(n1 // 2 + 1)
    return 8 * (steps * (3 * both(n1) + spectrum) + spectrum)


@pytest.mark.in_turn
@pytest.mark.parametrize("cut", [(2, 1), (2, 2), (2, 3)])
def test_messages_are_those_of_the_closed_form(
    waywiser: Waywiser, mpi: MpiLibrary, cut: Cut
) -> None:
    p1, p2 = cut
    options = [*SIZE, "--steps=3", "--solver=partitioned", f"--p1={p1}", f"--p2={p2}"]

    done = waywiser.profile(mpi.command(p1 * p2, mpi.program("ww-tbl"), *options))

    assert done.returncode == 0, done.stderr
    for rank, found in enumerate(waywiser.show("run", "--per-rank")["per_rank"]):
        functions = {name: (one["calls"], one["bytes"]) for name, one in found["functions"].items()}
        messages = {
            name: one
            for name, one in functions.items()
            if re.search("send|alltoall", name, re.IGNORECASE)
        }
        transposing = expected_messages(cut, rank, 3)
        calls, _ = transposing["MPI_Alltoallv"]
        assert messages == transposing | {"MPI_Alltoallv": (calls, expected_bytes(cut, rank, 3))}


@pytest.mark.parametrize("ranks", [2, 4, 6])
def test_the_bytes_that_a_sample_names_are_those_of_a_step(
    openmpi: MpiLibrary, tmp_path: Path, ranks: int
) -> None:
    options = [*SIZE, "--steps=1", "--solver=partitioned", "--p2=1" if ranks < 6 else "--p2=3"]

    [sample] = samples(openmpi.program("ww-tbl"), openmpi, tmp_path, *options, ranks=ranks)

    cut = (sample["parameters"]["p1"], sample["parameters"]["p2"])
    of_step = sum(
        expected_bytes(cut, rank, 2) - expected_bytes(cut, rank, 1) for rank in range(ranks)
    )
    assert sample["details"]["transposed_bytes"] == of_step
