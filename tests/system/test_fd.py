"""ww-fd against what differences make of sines exactly, and wrong copies of it."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

import pytest

from tests.exact_waves import first_error, second_error
from tests.kernel_programs import Sample, samples
from tests.support import MpiLibrary, cases

VARIANTS = ["baseline", "blocked", "nontemporal"]
OPERATORS = [
    *("first-1", "first-2", "first-3"),
    *("second-1", "second-2", "second-3", "laplacian"),
]


def fd(mpi: MpiLibrary, directory: Path, *options: str, **how: int) -> list[Sample]:
    return samples(mpi.program("ww-fd"), mpi, directory, *options, "--tries=1", **how)


def exact_error(
    operation: str, order: int, points: tuple[int, ...], modes: tuple[float, ...]
) -> float:
    phases = [
        (math.pi * mode / (n - 1), 1 / (n - 1)) for mode, n in zip(modes, points, strict=True)
    ]
    if operation == "laplacian":
        return second_error(order, phases)
    name, axis = operation.split("-")
    phase = phases[int(axis) - 1]
    return first_error(order, phase[0]) if name == "first" else second_error(order, [phase])


def flops(operation: str, order: int) -> int:
    """Flops a point, as hpcscan counts them: 2, 6, 9, ... for first derivatives, 4, 8, 11, ... for
    second ones."""
    first = 2 if order == 2 else 3 * order // 2
    second = first + 2
    of_two = 3 * second + 2
    return {"first": first, "second": second}.get(operation.split("-")[0], of_two)


def test_errors_are_those_of_hpcscan(openmpi: MpiLibrary, tmp_path: Path) -> None:
    options = ["--n1=61", "--order=4", "--mode1=8", "--mode2=9", "--mode3=10", "--precision=fp64"]

    measured = fd(openmpi, tmp_path, *options, "--variant=blocked")

    errors = {sample["phase"]: sample["error"] for sample in measured}
    assert errors["second-1"] == pytest.approx(3.36752e-4, rel=3e-6)
    assert errors["second-2"] == pytest.approx(5.37174e-4, rel=3e-6)
    assert errors["second-3"] == pytest.approx(8.14943e-4, rel=3e-6)
    assert errors["laplacian"] == pytest.approx(5.98194e-4, rel=3e-6)


@pytest.mark.parametrize("order", cases([8], long=range(2, 18, 2)))
@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_every_operator_of_every_order_is_exact(
    openmpi: MpiLibrary, tmp_path: Path, order: int, precision: str
) -> None:
    points = (37, 31, 29)
    share = 0.3 + 0.035 * order  # of the shortest wave that the grid can have
    modes = tuple(round(share * (n - 1)) - 0.5 + 0.25 * axis for axis, n in enumerate(points))
    options = [f"--order={order}", f"--precision={precision}", "--variant=all"]
    options += [f"--n{axis}={n}" for axis, n in enumerate(points, 1)]
    options += [f"--mode{axis}={n}" for axis, n in enumerate(modes, 1)]

    measured = fd(openmpi, tmp_path, *options, threads=2)

    variants = [(sample["phase"], sample["variant"]) for sample in measured]
    assert variants == [(name, form) for name in OPERATORS for form in VARIANTS]
    for sample in measured:
        exact = exact_error(sample["phase"], order, points, modes)
        assert exact > 1e-4
        assert sample["error"] == pytest.approx(exact, rel=1e-5 if precision == "fp64" else 0.03)
        assert sample["details"]["predicted_error"] == pytest.approx(exact, rel=1e-8)
        assert sample["flops"] == flops(sample["phase"], order) * math.prod(points)


@pytest.mark.parametrize("seed", cases([6, 9], long=range(60)))
@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_right_results_verify_whatever_is_requested(
    openmpi: MpiLibrary, tmp_path: Path, precision: str, seed: int
) -> None:
    """Any order, size and modes: rounding is within its bound, and the bound finds small faults."""
    random = Random(seed)
    order = random.randrange(2, 18, 2)
    points = [random.randint(max(order, 40), 64) for _ in range(3)]
    greatest = random.choice([10, 1.4 * min(points)])
    modes = [1 + round(random.uniform(0, greatest - 1), random.choice([0, 2])) for _ in range(3)]
    modes = [m + (m % (n - 1) == 0) / 2 for m, n in zip(modes, points, strict=True)]
    options = [f"--order={order}", f"--precision={precision}", "--variant=all"]
    options += [f"--n{axis}={n}" for axis, n in enumerate(points, 1)]
    options += [f"--mode{axis}={mode}" for axis, mode in enumerate(modes, 1)]

    measured = fd(openmpi, tmp_path, *options)

    assert len(measured) == len(OPERATORS) * len(VARIANTS)
    assert all(sample["verified"] for sample in measured)
    most = 1e-2 if precision == "fp32" else 1e-9
    assert all(sample["details"]["gap_allowed"] < most for sample in measured)


def test_the_modes_of_a_user_verify(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """Rounding of the sines' arguments is more than that of the formula."""
    modes = ["--mode1=5", "--mode2=6", "--mode3=7"]

    measured = fd(openmpi, tmp_path, "--n1=47", "--order=10", *modes, "--precision=fp64")

    assert all(sample["verified"] for sample in measured)


def test_both_libraries_run_it(mpi: MpiLibrary, tmp_path: Path) -> None:
    options = ["--n1=32", "--operator=laplacian", "--variant=blocked"]

    [sample] = fd(mpi, tmp_path, *options, ranks=2)

    assert sample["verified"] is True
    assert sample["points"] == 32**3
    assert sample["flops"] == 44 * 32**3
    assert sample["bytes"] == 12 * 32**3
