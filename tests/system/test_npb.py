"""ww-npb against NPB's published norms, itself on other ranks, and wrong copies of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.kernel_programs import samples
from tests.mutants import mutant
from tests.npb_published import SURFACE_S, published
from tests.support import MpiLibrary, cases

pytestmark = pytest.mark.in_turn

BENCHMARKS = ["bt", "sp", "lu"]
VARIANTS = ["baseline", "vector"]
PARTS = [2, 3, 4, 6, 9]


@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize("ranks", cases([1, 4], long=[2, 3]))
def test_class_s_meets_the_published_norms(
    mpi: MpiLibrary, tmp_path: Path, benchmark: str, ranks: int
) -> None:
    """All variants meet the norms; their fields differ from that of the first by round-off."""
    options = [f"--benchmark={benchmark}", "--class=S", "--tries=2", "--variant=all"]

    all_samples = samples(mpi.program("ww-npb"), mpi, tmp_path, *options, ranks=ranks)

    assert [sample["variant"] for sample in all_samples] == VARIANTS
    for sample in all_samples:
        details = sample["details"]
        assert sample["verified"] is True
        assert sample["ranks"] == ranks
        assert details["residual"] == pytest.approx(published(benchmark, "residual"), rel=1e-8)
        assert details["error"] == pytest.approx(published(benchmark, "error"), rel=1e-8)
        if benchmark == "lu":
            assert details["surface"] == pytest.approx(SURFACE_S, rel=1e-8)
        assert len(details["tries_s"]) == 2
        assert details["mops"] == pytest.approx(sample["flops"] / sample["seconds"] * 1e-6)
    differences = [sample["details"]["difference_of_variants"] for sample in all_samples]
    assert differences[0] is None
    assert all(0 < difference <= 1e-12 for difference in differences[1:])


@pytest.mark.long
@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize("ranks", [1, 4])
def test_class_w_meets_the_published_norms(
    mpi: MpiLibrary, tmp_path: Path, benchmark: str, ranks: int
) -> None:
    options = [f"--benchmark={benchmark}", "--class=W", "--variant=all"]

    all_samples = samples(mpi.program("ww-npb"), mpi, tmp_path, *options, ranks=ranks, timeout=900)

    assert len(all_samples) == len(VARIANTS)
    for sample in all_samples:
        assert sample["verified"] is True
        assert sample["error"] <= 1e-8


@pytest.mark.long
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_class_a_meets_the_published_norms(
    openmpi: MpiLibrary, tmp_path: Path, benchmark: str
) -> None:
    options = [f"--benchmark={benchmark}", "--class=A", "--variant=vector", "--tries=1"]

    (sample,) = samples(
        openmpi.program("ww-npb"), openmpi, tmp_path, *options, ranks=1, timeout=900
    )

    assert sample["verified"] is True
    assert sample["error"] <= 1e-8


Field = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True)
class Case:
    """Ranks and threads that compute a field, and how."""

    ranks: int = 1
    threads: int = 1
    variant: str = "baseline"
    multipartition: bool = False

    def __str__(self) -> str:
        boxes = "-multipartition" if self.multipartition else ""
        return f"{self.ranks}x{self.threads}-{self.variant}{boxes}"


def field_after_3_steps(
    program: Path, mpi: MpiLibrary, directory: Path, benchmark: str, points: int, case: Case
) -> Field:
    file = directory / "u.npy"
    options = [f"--benchmark={benchmark}", f"--n1={points}", "--iterations=3", f"--field={file}"]
    options += [f"--variant={case.variant}"]
    if case.multipartition:
        options += ["--decomposition=multipartition", "--messages=npb"]
    [sample] = samples(program, mpi, directory, *options, ranks=case.ranks, threads=case.threads)
    assert sample["verified"] is None
    assert sample["threads"] == case.threads
    field: Field = np.load(file)
    return field


def difference_from_whole(
    program: Path, mpi: MpiLibrary, directory: Path, benchmark: str, case: Case
) -> float:
    """The greatest at any point of 13 x 13 x 13, which leave uneven parts, relative to the greatest
    unknown of the point: a momentum may be close to zero."""
    right = mpi.program("ww-npb")
    whole = field_after_3_steps(right, mpi, directory, benchmark, 13, Case())
    parts = field_after_3_steps(program, mpi, directory, benchmark, 13, case)
    assert whole.shape == parts.shape == (5, 13, 13, 13)
    return float((np.abs(parts - whole) / np.abs(whole).max(axis=0)).max())


@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize(
    "case",
    cases(
        [Case(3, 1, "vector"), Case(4, 1, "vector"), Case(1, 2, "vector"), Case(2, 3, "vector")],
        long=[
            Case(ranks, threads, variant)
            for parts, teams in ((PARTS, (1,)), ((1, 2, 4), (2, 3)))
            for ranks in parts
            for threads in teams
            for variant in VARIANTS
        ],
    ),
    ids=str,
)
def test_fields_depend_neither_on_parts_nor_on_threads_nor_on_the_variant(
    mpi: MpiLibrary, tmp_path: Path, benchmark: str, case: Case
) -> None:
    """The middle one of 9 ranks has a neighbour on each side. Parts are narrower than registers, or
    no multiple of them. Neither two nor three threads have equal shares of 11 rows."""
    program = mpi.program("ww-npb")
    assert difference_from_whole(program, mpi, tmp_path, benchmark, case) <= 1e-12


@pytest.mark.long
def test_threads_that_leave_the_last_rows_out_change_the_field(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    fault = ("npb/shares.hpp", "items * (part + 1) / parts", "items / parts * (part + 1)")
    program = mutant(openmpi, "npb", fault, tmp_path)
    for threads, wrong in [(1, False), (3, True)]:
        case = Case(1, threads, "vector")
        difference = difference_from_whole(program, openmpi, tmp_path, "lu", case)
        assert (difference > 1e-6) == wrong


@pytest.mark.parametrize("benchmark", ["bt", "sp"])
@pytest.mark.parametrize(
    "case",
    cases(
        [Case(4, 1, "vector", multipartition=True)],
        long=[
            Case(4, 1, "baseline", multipartition=True),
            Case(4, 3, "vector", multipartition=True),
            Case(9, 1, "vector", multipartition=True),
        ],
    ),
    ids=str,
)
def test_fields_of_a_multipartition_are_the_same(
    mpi: MpiLibrary, tmp_path: Path, benchmark: str, case: Case
) -> None:
    """13 points leave boxes of different sizes; 9 ranks have one that lies on no face."""
    program = mpi.program("ww-npb")
    assert difference_from_whole(program, mpi, tmp_path, benchmark, case) <= 1e-12


def test_what_has_no_published_norms_is_not_checked(openmpi: MpiLibrary) -> None:
    done = openmpi.run(1, openmpi.program("ww-npb"), "--benchmark=lu", "--dt=0.25")

    assert done.stdout.splitlines()[-1] == (
        "not checked: values are published for whole classes: leave out --n1, --iterations and --dt"
    )


def test_the_share_of_what_the_machine_gives(openmpi: MpiLibrary, tmp_path: Path) -> None:
    options = ["--benchmark=sp", "--iterations=3", "--variant=vector", "--roofline"]

    [sample] = samples(openmpi.program("ww-npb"), openmpi, tmp_path, *options)

    roofline = sample["details"]["roofline"]
    assert roofline["bytes_per_point"] == 640
    assert roofline["flops_per_point"] == pytest.approx(
        sample["flops"] / sample["points"], rel=1e-6
    )
    assert roofline["points_per_s"] == pytest.approx(sample["points"] / sample["seconds"])
    bound = min(
        roofline["triad_Bps"] / roofline["bytes_per_point"],
        roofline["flops_per_s"] / roofline["flops_per_point"],
    )
    assert roofline["fraction"] == pytest.approx(roofline["points_per_s"] / bound)


@pytest.mark.long
def test_the_plainest_processor_computes_the_same(openmpi: MpiLibrary, tmp_path: Path) -> None:
    narrow = ("common/x86_levels.hpp", "return v4 ? 64 : v3 ? 32 : 16;", "return 16;")
    program = mutant(openmpi, "npb", narrow, tmp_path)
    for benchmark in BENCHMARKS:
        options = [f"--benchmark={benchmark}", "--variant=all"]

        both = samples(program, openmpi, tmp_path, *options, ranks=4)

        assert [sample["verified"] for sample in both] == [True, True]
