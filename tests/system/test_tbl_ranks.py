"""Messages of ww-tbl, by `waywiser profile` and by its samples, in closed form; and fields that are
independent of the decomposition."""

from __future__ import annotations

import itertools
import json
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from tests.kernel_programs import samples
from tests.support import MpiLibrary, Waywiser, cases
from tests.system.test_tbl import SIZE, UNEVEN, Cut, Field, N, part, run

RK3, PARTITIONED, PLATE = "--time=rk3", "--solver=partitioned", "--case=blasius"

REDUCTIONS = 19
"""Reductions besides those that keep the bulk velocity: memory, FFTW, budgets, and the report's."""


def transposed(cut: Cut, rank: int, steps: int, options: list[str]) -> int:
    """Bytes that a rank gives to MPI_Alltoallv, of steps and of taking the divergence out of the
    start. A velocity stays in its column with rk3; the pressure goes all ways."""
    p1, p2 = cut
    row, column = rank % p1, rank // p1
    n1, n2, n3 = N
    m2, m3 = part(n2, p1, row), part(n3, p2, column)

    def in_column(width: int, planes: int) -> int:
        own = part(planes, p1, row)
        if PARTITIONED in options:
            return width * (2 * (planes - own) + 2 * own * (p1 - 1))
        return width * (m2 * (planes - own) + own * (n2 - m2))

    def both(on_axis_1: int) -> int:
        own = part(on_axis_1, p2, column)
        in_row = (on_axis_1 - own) * m2 * m3 + own * m2 * (n3 - m3)
        return in_row + in_column(own, n3)

    # Between open ends, the pressure's spectrum has as many real values as a velocity.
    spectrum = both(n1) if PLATE in options else 2 * both(n1 // 2 + 1)
    velocity, passes = (in_column(n1, m3), 3) if RK3 in options else (both(n1), 1)
    return 8 * (steps * passes * (3 * velocity + spectrum) + spectrum)


def exchanged(cut: Cut, rank: int, steps: int) -> int:
    """Bytes that a rank of a channel gives to MPI_Sendrecv."""
    p1, p2 = cut
    row, column = rank % p1, rank // p1
    n1, n2, n3 = N
    below, above = row > 0, row < p1 - 1
    planes = n1 * part(n3, p2, column) * (steps * 4 * (below + above) + 6 * above + 7 * below)
    if p2 > 1:
        planes += n1 * (part(n2, p1, row) + 2) * (steps * 8 + 13)
    return 8 * planes


CHANNEL: list[list[str]] = [[], [PARTITIONED]]
"""Options of flows whose every message is known."""

FEW = [
    *(([], cut) for cut in [(1, 1), (2, 3)]),
    *(([PARTITIONED], cut) for cut in [(2, 1), (2, 3)]),
    ([RK3], (1, 2)),
    *((options, (2, 2)) for options in ([RK3, PARTITIONED], [PLATE])),
]
MORE = [
    ([], (1, 2)),
    *((options, (2, 2)) for options in ([], [PARTITIONED], [RK3])),
    ([RK3], (2, 1)),
    *(([RK3, PARTITIONED], cut) for cut in [(1, 2), (2, 1)]),
    *(([PLATE], cut) for cut in [(1, 2), (2, 3)]),
]


@pytest.mark.in_turn
@pytest.mark.parametrize("case", cases(FEW, long=MORE), ids=str)
def test_messages_are_those_of_the_closed_form(
    waywiser: Waywiser, mpi: MpiLibrary, case: tuple[list[str], Cut]
) -> None:
    options, cut = case
    p1, p2 = cut
    words = [*SIZE, "--steps=3", f"--p1={p1}", f"--p2={p2}", *options, "--json=tbl.json"]

    waywiser.profiles(mpi.command(p1 * p2, mpi.program("ww-tbl"), *words))

    details = json.loads((waywiser.directory / "tbl.json").read_text(encoding="utf-8"))["details"]
    ranks = range(p1 * p2)
    cuts = (p1 > 1) + (p2 > 1)
    for rank, profile in enumerate(waywiser.show("run", "--per-rank")["per_rank"]):
        functions = {
            name: (function["calls"], function["bytes"])
            for name, function in profile["functions"].items()
        }
        if cuts:
            assert functions["MPI_Alltoallv"][1] == transposed(cut, rank, 3, options)
        if options in CHANNEL:
            messages = {
                name: counts
                for name, counts in functions.items()
                if re.search("send|alltoall", name, re.IGNORECASE)
            }
            expected = {
                "MPI_Alltoallv": ((8 * 3 + 2) * cuts, transposed(cut, rank, 3, options)),
                "MPI_Sendrecv": ((4 * 3 + 5) * cuts, exchanged(cut, rank, 3)),
            }
            assert messages == (expected if cuts else {})
            assert functions["MPI_Allreduce"][0] == 3 + REDUCTIONS
    of_step = [transposed(cut, i, 2, options) - transposed(cut, i, 1, options) for i in ranks]
    assert details["transposed_bytes"] == sum(of_step)
    if not options:
        assert details["halo_bytes"] == sum(
            exchanged(cut, i, 2) - exchanged(cut, i, 1) for i in ranks
        )


@pytest.mark.parametrize(("scheme", "fields"), [("cn-ab", 4), ("rk3", 3)])
def test_an_open_flow_transposes_what_cans_does(
    openmpi: MpiLibrary, tmp_path: Path, scheme: str, fields: int
) -> None:
    """8 (N / P) (1 - 1 / q) bytes a rank and transposition, two of each field and pass: of the
    pressure in three passes, or with viscosity on all axes of four fields in one."""
    size = ["--n1=16", "--n2=12", "--n3=8", "--steps=1", "--p2=2"]
    options = [PLATE, *size, f"--time={scheme}"]
    [sample] = samples(openmpi.program("ww-tbl"), openmpi, tmp_path, *options, ranks=2)
    assert sample["details"]["transposed_bytes"] == fields * 2 * 8 * (16 * 12 * 8) // 2


NOISY = [*UNEVEN, "--n2=12", "--perturbation=0.05", "--steps=10"]
RECYCLED = ["--case=spatial", *UNEVEN, "--n2=16", "--steps=10"]
FLOWS: list[tuple[list[str], str]] = [
    (["--case=channel", *UNEVEN, "--steps=10"], "transpose"),
    (["--case=temporal", *UNEVEN, "--steps=10"], "transpose"),
    ([PLATE, *NOISY], "partitioned"),
    (["--case=channel", *NOISY, RK3], "partitioned"),
    ([PLATE, *NOISY, RK3], "transpose"),
    (RECYCLED, "transpose"),
]
"""Each flow, and each scheme with each solver."""

MORE_FLOWS: list[tuple[list[str], str]] = [
    ([PLATE, *NOISY], "transpose"),
    (["--case=channel", *NOISY, RK3], "transpose"),
    ([PLATE, *NOISY, RK3], "partitioned"),
    ([*RECYCLED, RK3], "transpose"),
]
CUTS: list[Cut] = [(2, 2), (3, 2), (1, 2), (2, 1), (4, 1), (2, 3), (6, 1)]


@cache
def whole(openmpi: MpiLibrary, *options: str) -> Field:
    """The field that one rank computes."""
    with TemporaryDirectory() as directory:
        return run(openmpi, Path(directory), *options)[1]


@pytest.mark.in_turn
@pytest.mark.parametrize(
    "case",
    cases(zip(FLOWS, itertools.cycle(CUTS[:2])), long=itertools.product(FLOWS + MORE_FLOWS, CUTS)),
)
def test_fields_do_not_depend_on_the_decomposition(
    mpi: MpiLibrary, openmpi: MpiLibrary, tmp_path: Path, case: tuple[tuple[list[str], str], Cut]
) -> None:
    (options, solver), cut = case
    reference = whole(openmpi, *options)
    p1, p2 = cut
    how = [f"--p1={p1}", f"--p2={p2}", f"--solver={solver}"]

    sample, parts = run(mpi, tmp_path, *options, *how, ranks=p1 * p2, threads=2)

    assert sample["verified"] is True
    assert (sample["parameters"]["p1"], sample["parameters"]["p2"]) == cut
    assert np.abs(reference[2]).max() > 0.01
    # The pressure of a recycled flow is known but for what its scale brings.
    assert np.abs(parts - reference)[: 3 if options[0] == "--case=spatial" else 4].max() <= 1e-12


SHARED: list[Cut] = [(2, 1), (2, 2), (4, 1), (3, 2), (2, 3), (6, 1)]
"""Cuts of 13 x 12 x 11 cells: 6 ranks have two rows each, both next to another rank's."""


@pytest.mark.in_turn
@pytest.mark.parametrize("cut", cases([(4, 1), (3, 2)], long=SHARED))
def test_lines_that_ranks_share_have_the_values_of_whole_lines(
    mpi: MpiLibrary, tmp_path: Path, cut: Cut
) -> None:
    p1, p2 = cut
    options = [*UNEVEN, "--n2=12", "--steps=1", f"--p1={p1}", f"--p2={p2}"]
    _, whole_lines = run(mpi, tmp_path, *options, ranks=p1 * p2)

    sample, shared = run(mpi, tmp_path, *options, PARTITIONED, ranks=p1 * p2, threads=2)

    assert sample["variant"] == sample["parameters"]["decomposition"] == "partitioned"
    assert sample["verified"] is True
    assert np.abs(whole_lines[1:3]).max() > 0.01
    change = np.abs(shared - whole_lines)
    assert change[:3].max() <= 1e-14
    assert 0.01 * change[3].max() <= 1e-14  # of the velocity that pressure changes in a step
