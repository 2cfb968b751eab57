"""ww-propa against what leapfrog makes of an eigenmode exactly, and wrong copies of it."""

from __future__ import annotations

import itertools
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.exact_waves import eigenmode_error, hpcscan_step
from tests.kernel_programs import Sample, samples
from tests.mutants import mutant
from tests.support import MpiLibrary, cases

VARIANTS = ["baseline", "split", "blocked", "temporal"]

# hpcscan 1.2 in fp64 prints these errors: order, points, steps, ratio of the longest step, half
# waves, steps between checks, error.
HPCSCAN = [
    (4, (101, 101, 101), 200, 1.0, (1, 1, 1), 10, 7.24918e-5),
    (8, (101, 101, 101), 200, 1.0, (1, 1, 1), 10, 5.75948e-5),
    (8, (81, 81, 81), 150, 0.5, (4, 3, 5), 1, 8.02677e-4),
    (12, (81, 81, 81), 150, 0.1, (6, 6, 6), 1, 1.74429e-5),
    (2, (61, 61, 61), 100, 0.9, (2, 3, 4), 7, 3.67659e-3),
    (16, (71, 71, 71), 120, 0.8, (10, 9, 8), 3, 3.36722e-2),
    (10, (120, 150, 90), 220, 0.7, (5, 9, 3), 11, 1.44860e-3),
    (14, (97, 97, 97), 260, 0.62, (9, 13, 6), 7, 1.72604e-2),
]


def case(
    order: int, points: tuple[int, int, int], modes: tuple[int, int, int], steps: int, dt: float
) -> list[str]:
    return [
        f"--order={order}",
        f"--steps={steps}",
        f"--dt={dt!r}",
        "--tries=1",
        *(f"--n{axis}={n}" for axis, n in enumerate(points, 1)),
        *(f"--mode{axis}={n}" for axis, n in enumerate(modes, 1)),
    ]


def propa(mpi: MpiLibrary, directory: Path, *options: str, **how: int) -> list[Sample]:
    return samples(mpi.program("ww-propa"), mpi, directory, *options, **how)


@pytest.mark.parametrize(
    "row", cases(HPCSCAN[4:6], long=HPCSCAN), ids=lambda row: f"O{row[0]}-{row[1][0]}"
)
def test_errors_are_those_of_hpcscan(
    openmpi: MpiLibrary, tmp_path: Path, row: tuple[Any, ...]
) -> None:
    order, points, steps, ratio, modes, every, error = row
    dt = hpcscan_step(order, points, ratio)
    options = [*case(order, points, modes, steps, dt), f"--check-every={every}"]

    [sample] = propa(openmpi, tmp_path, *options, "--precision=fp64", "--variant=blocked")

    exact = eigenmode_error(order, points, modes, dt, steps, every)
    assert exact == pytest.approx(error, rel=4e-6)
    assert sample["error"] == pytest.approx(exact, rel=1e-5)
    assert sample["details"]["predicted_error"] == pytest.approx(exact, rel=1e-8)


@pytest.mark.parametrize("order", cases([8], long=range(2, 18, 2)))
@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_every_variant_of_every_order_is_exact(
    openmpi: MpiLibrary, tmp_path: Path, order: int, precision: str
) -> None:
    points, modes, steps = (37, 31, 29), (7, 5, 6), 22
    dt = hpcscan_step(order, points, 0.8)
    options = [
        *case(order, points, modes, steps, dt),
        "--check-every=7",
        f"--precision={precision}",
    ]

    measured = propa(openmpi, tmp_path, *options, "--variant=all", threads=2)

    exact = eigenmode_error(order, points, modes, dt, steps, 7)
    assert exact > 1e-3  # truncation, not rounding
    assert [sample["variant"] for sample in measured] == VARIANTS
    for sample in measured:
        assert sample["error"] == pytest.approx(exact, rel=1e-5 if precision == "fp64" else 0.03)
        assert sample["verified"] is True


@pytest.mark.parametrize("seed", cases([3], long=range(40)))
def test_right_results_verify_whatever_is_requested(
    openmpi: MpiLibrary, tmp_path: Path, seed: int
) -> None:
    """Short waves and few steps, where rounding of the start is more than that of the steps."""
    random = Random(seed)
    order = random.randrange(2, 18, 2)
    points = [random.randint(max(order, 40), 64) for _ in range(3)]
    options = [f"--order={order}", "--precision=fp64", "--variant=all", "--tries=1"]
    options += [f"--n{axis}={n}" for axis, n in enumerate(points, 1)]
    options += [f"--mode{axis}={random.randint(1, n - 2)}" for axis, n in enumerate(points, 1)]
    options += [f"--steps={random.choice([1, 2, 5, 16])}", f"--cfl={random.choice([0.05, 0.5, 1])}"]

    measured = propa(openmpi, tmp_path, *options)

    assert [sample["variant"] for sample in measured] == VARIANTS
    assert all(sample["verified"] for sample in measured)
    assert all(sample["details"]["gap_allowed"] < 1e-10 for sample in measured)


def test_both_libraries_run_it(mpi: MpiLibrary, tmp_path: Path) -> None:
    [sample] = propa(mpi, tmp_path, "--n1=32", "--variant=blocked", "--tries=1", ranks=2)

    assert sample["verified"] is True
    assert sample["ranks"] == 2
    assert sample["points"] == 32**3 * 16
    assert sample["bytes"] == 16 * 32**3 * 16
    assert sample["flops"] == 48 * 32**3 * 16
    assert sample["details"]["exchanged_bytes"] == 2 * 4 * 32 * 32 * 16 * 4


@pytest.mark.parametrize("threads", cases([3], long=[1, 2]))
@pytest.mark.parametrize("steps", cases([1, 4, 17], long=[2, 3, 5, 9]))
def test_tiles_in_time_do_not_depend_on_threads_or_steps(
    openmpi: MpiLibrary, tmp_path: Path, threads: int, steps: int
) -> None:
    points, modes = (40, 90, 41), (6, 11, 7)
    dt = hpcscan_step(16, points, 0.9)
    options = [*case(16, points, modes, steps, dt), "--precision=fp64"]

    both = [
        propa(openmpi, tmp_path, *options, f"--variant={name}", threads=threads)[0]
        for name in ("baseline", "temporal")
    ]

    assert both[0]["details"]["gap"] < 1e-13
    assert both[1]["details"]["gap"] < 1e-13


def test_modes_are_chosen_so_that_truncation_is_seen(openmpi: MpiLibrary, tmp_path: Path) -> None:
    for order in (2, 8, 16):
        [sample] = propa(openmpi, tmp_path, "--n1=60", f"--order={order}", "--tries=1")
        assert 1e-3 < sample["details"]["predicted_error"] < 0.1
        assert sample["error"] == pytest.approx(sample["details"]["predicted_error"], rel=0.03)


@pytest.mark.parametrize(
    "numbers",
    cases([("fp32", 2), ("fp64", 16)], long=itertools.product(["fp32", "fp64"], range(2, 18, 2))),
    ids=str,
)
def test_without_a_boundary_every_variant_is_exact(
    openmpi: MpiLibrary, tmp_path: Path, numbers: tuple[str, int]
) -> None:
    """Each order agrees with the discrete solution, point by point, where the grid is cut, too."""
    precision, order = numbers
    options = ["--n1=60", "--n2=70", "--n3=80", "--boundary=none", f"--order={order}"]
    options += ["--steps=3", "--tries=1", f"--precision={precision}", "--variant=all"]

    for ranks, cut in ((1, "--p1=1"), (2, "--p3=2"), (2, "--p1=2")):
        measured = propa(openmpi, tmp_path, *options, cut, ranks=ranks)

        assert [sample["variant"] for sample in measured] == VARIANTS
        for sample in measured:
            assert sample["verified"] is True
            assert sample["details"]["gap"] < (1e-5 if precision == "fp32" else 1e-14)


def test_without_a_boundary_only_what_it_cannot_have_reached_is_checked(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    options = ["--n1=60", "--order=4", "--boundary=none", "--precision=fp64", "--variant=all"]

    measured = propa(openmpi, tmp_path, *options, "--steps=10", "--tries=1")
    too_far = propa(openmpi, tmp_path, *options, "--steps=16", "--tries=1", code=1)

    assert all(sample["verified"] for sample in measured)
    assert "no point to check" in too_far[0]["details"]["failure"]


def test_time_is_given_in_each_form(openmpi: MpiLibrary, tmp_path: Path) -> None:
    [by_end] = propa(openmpi, tmp_path, "--n1=41", "--tmax=0.1", "--cfl=0.5", "--tries=1")
    step = 0.5 * hpcscan_step(8, (41, 41, 41), 1)
    assert by_end["parameters"]["dt"] == pytest.approx(step, rel=1e-9)
    assert by_end["parameters"]["steps"] == int(0.1 / step) + 1

    [snapshots] = propa(openmpi, tmp_path, "--n1=41", "--snapshot-dt=0.03", "--tries=1")
    parameters = snapshots["parameters"]
    assert parameters["check_every"] * parameters["dt"] == pytest.approx(0.03, rel=1e-12)
    assert parameters["dt"] <= parameters["longest_stable_dt"]


def test_the_fastest_block_of_each_variant_is_remembered(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    """A block that is given is not searched for."""
    options = ["--n1=24", "--tries=1", "--variant=all"]
    measured = propa(openmpi, tmp_path, *options)
    cache = tmp_path / "cache" / "waywiser" / "kernels.txt"
    known = dict(line.split() for line in cache.read_text(encoding="utf-8").splitlines())
    names = {key.rpartition(":")[2]: name for key, name in known.items()}
    assert names == {
        sample["variant"]: f"{sample['variant']}:{sample['details']['block']}"
        for sample in measured
        if sample["variant"] != "baseline"
    }

    requested = propa(openmpi, tmp_path, *options, "--block=16x5x3")
    assert {sample["details"]["block"] for sample in requested} == {"16x5x3"}
    assert len(cache.read_text(encoding="utf-8").splitlines()) == len(known)

    propa(openmpi, tmp_path, "--n1=24", "--tries=1", "--block=16x5x3")
    last = cache.read_text(encoding="utf-8").splitlines()[-1]
    assert last.split()[0].endswith(":auto:16x5x3")


TABLE = "template <class Real>\nconstexpr Variant<Real> table[] = {"
ELSEWHERE = """template <class Real>
class Elsewhere : public Propagator<Real> {
public:
    explicit Elsewhere(Waves<Real>& waves)
        : waves_(waves), previous_(waves.current.inner(), waves.current.halo()),
          current_(waves.current.inner(), waves.current.halo()) {
        for (auto* grid : {&previous_, &current_})
            grid->fill([](Index, Index, Index) { return NAN; });
    }
    void put() final { exchange(); }
    void get() final { exchange(); }
    void advance(Index steps) final {
        exchange();
        advance_blocked(waves_, {stencil::all, 16, 4}, steps);
        exchange();
    }

private:
    void exchange() {
        std::swap(waves_.previous, previous_);
        std::swap(waves_.current, current_);
    }
    Waves<Real>& waves_;
    Grid<Real> previous_, current_;
};

template <class Real>
std::unique_ptr<Propagator<Real>> elsewhere(Waves<Real>& waves, const Block&) {
    return std::make_unique<Elsewhere<Real>>(waves);
}

template <class Real>
constexpr Variant<Real> table[] = {
    {"elsewhere", elsewhere<Real>, false, anywhere<Real>},
"""
"""A variant that leaves no number in the program's arrays while it has the field."""


def test_a_variant_may_keep_the_field_out_of_the_programs_arrays(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    """Variants on a device keep the field there, too."""
    program = mutant(openmpi, "propa", ("propa/variants.cpp", TABLE, ELSEWHERE), tmp_path)
    eigenmode = ["--n1=30", "--steps=12", "--check-every=5", "--tries=2"]
    shot = ["--n1=40", "--source=200,200,200", "--frequency=15", "--steps=8", "--layer=10"]
    for options in (eigenmode, shot):
        own, elsewhere = (
            samples(program, openmpi, tmp_path, *options, f"--variant={variant}", ranks=2)
            for variant in ("blocked", "elsewhere")
        )

        assert [sample["verified"] for sample in elsewhere] == [
            sample["verified"] for sample in own
        ]
        assert [sample["error"] for sample in elsewhere] == [sample["error"] for sample in own]
