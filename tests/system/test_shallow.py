"""ww-shallow on any ranks, threads and blocks, against the numbers of its specification, and
refusing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.kernel_programs import Sample, refusal, samples
from tests.support import MpiLibrary, cases

SHORT = ["--steps=6"]
DAYS_5 = ["--test=5", "--levels=1", "--days=5"]


def integration(
    mpi: MpiLibrary, directory: Path, *options: str, ranks: int = 1, threads: int = 1, code: int = 0
) -> Sample:
    program = mpi.program("ww-shallow")
    [sample] = samples(program, mpi, directory, *options, ranks=ranks, threads=threads, code=code)
    return sample


def truths(sample: Sample) -> dict[str, Any]:
    values: dict[str, Any] = sample["details"]["truths"]
    return values


def results(sample: Sample) -> list[object]:
    """Results that must not depend on the number of ranks or the variant."""
    values = truths(sample)
    sums = ["mass", "energy", "enstrophy", "vorticity", "errors", "digests"]
    return [values[key] for key in sums]


@pytest.fixture(scope="module")
def on_one_rank(openmpi: MpiLibrary, tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return integration(openmpi, tmp_path_factory.mktemp("one"), *SHORT)


LAYOUTS: list[tuple[int, list[str]]] = [
    (7, ["--exchange=persistent"]),
    (10, ["--partition=rhombi", "--exchanges=separate"]),
]
MORE: list[tuple[int, list[str]]] = [
    (2, []),
    (4, ["--exchange=neighbourhood", "--block=5"]),
    (3, ["--exchange=persistent", "--exchanges=separate", "--work=3"]),
    (1, ["--block=1000", "--tries=2"]),
]


@pytest.mark.in_turn
@pytest.mark.parametrize("layout", cases(LAYOUTS, long=MORE))
def test_any_ranks_come_to_the_same_bits(
    mpi: MpiLibrary, tmp_path: Path, on_one_rank: Sample, layout: tuple[int, list[str]]
) -> None:
    ranks, options = layout
    sample = integration(mpi, tmp_path, *SHORT, *options, ranks=ranks, threads=2)

    assert sample["verified"] is True
    assert sample["ranks"] == ranks
    assert results(sample) == results(on_one_rank)


def test_a_level_alone_comes_to_the_same_bits(
    openmpi: MpiLibrary, tmp_path: Path, on_one_rank: Sample
) -> None:
    alone = integration(openmpi, tmp_path, *SHORT, "--levels=1", "--first-level=2")

    digests = truths(on_one_rank)["digests"]
    assert truths(alone)["digests"] == digests[2:3]
    assert len(set(digests)) == 4


def test_parts_of_a_file_come_to_the_same_bits(
    openmpi: MpiLibrary, tmp_path: Path, on_one_rank: Sample
) -> None:
    parts = tmp_path / "graph.info.part.3"
    parts.write_text("".join(f"{cell * 7 // 300 % 3}\n" for cell in range(642)), encoding="utf-8")

    sample = integration(openmpi, tmp_path, *SHORT, f"--partition=metis:{parts}", ranks=3)

    assert results(sample) == results(on_one_rank)


PUBLISHED: dict[tuple[int, int, int], tuple[float, float, float, float, float, float]] = {
    (3, 1800, 0): (3.144e-3, 4.179e-3, 1.035e-2, 3.364e-2, -7.8e-9, 8.4e-4),
    (4, 900, 0): (7.820e-4, 1.065e-3, 2.740e-3, 8.128e-3, -1.7e-9, 2.2e-4),
    (3, 1800, 45): (1.778e-3, 2.442e-3, 7.354e-3, 2.433e-2, -8.1e-9, 4.4e-4),
    (4, 900, 45): (4.440e-4, 6.032e-4, 1.859e-3, 5.954e-3, -1.8e-9, 1.4e-4),
}
"""Errors of Williamson's test 2 after 12 days, by grid, step and angle: the thickness's l1, l2
and greatest error, the velocity's l2, changes of energy and potential enstrophy."""


@pytest.mark.parametrize("case", cases([(3, 1800, 0)], long=PUBLISHED))
def test_a_steady_flow_is_wrong_by_what_the_specification_says(
    openmpi: MpiLibrary, tmp_path: Path, case: tuple[int, int, int]
) -> None:
    grid, step, angle = case
    options = [f"--grid={grid}", f"--step={step}", f"--angle={angle}", "--levels=1"]

    sample = integration(openmpi, tmp_path, *options)

    measured, expected = truths(sample), PUBLISHED[case]
    errors = measured["errors"][0]
    keys = ["h_l1", "h_l2", "h_greatest", "u_l2"]
    assert [errors[key] for key in keys] == pytest.approx(expected[:4], rel=1e-3)
    assert f"{measured['energy_change']:.1e}" == f"{expected[4]:.1e}", (
        "of which two digits are known"
    )
    assert measured["enstrophy_change"] == pytest.approx(expected[5], rel=0.05)
    assert abs(measured["mass_change"]) <= 4.5e-16
    identities = dict(measured["identities"])
    assert identities.pop("allowed") == 1e-14
    assert len(identities) == 5
    assert max(identities.values()) <= 1e-15


@pytest.mark.long
def test_the_error_falls_by_the_order_that_is_known(openmpi: MpiLibrary, tmp_path: Path) -> None:
    options = ["--grid=4", "--levels=1", "--check-order"]

    sample = integration(openmpi, tmp_path, *options)

    assert truths(sample)["order"] == pytest.approx(1.97, abs=0.01)


@pytest.mark.parametrize("form", cases(["energy"], long=["enstrophy"]))
def test_what_a_form_keeps_changes_by_the_order_of_the_steps(
    openmpi: MpiLibrary, tmp_path: Path, form: str
) -> None:
    sample = integration(openmpi, tmp_path, *DAYS_5, f"--form={form}", "--check-order", ranks=2)

    measured = truths(sample)
    kept, changing = ("energy", "enstrophy") if form == "energy" else ("enstrophy", "energy")
    assert 2 ** measured["order"] >= 10
    assert abs(measured[f"{kept}_change"]) <= 1e-6 * abs(measured[f"{changing}_change"]) * 1e3
    assert measured["mass_change"] == pytest.approx(0, abs=4.5e-16)
    assert abs(measured["vorticity"]) <= 1e-16


@pytest.mark.parametrize("case", [2, 5])
def test_a_few_steps_on_a_finer_grid_are_verified(
    openmpi: MpiLibrary, tmp_path: Path, case: int
) -> None:
    """The form's invariant changes less there, but not by the fourth power of the shorter step."""
    sample = integration(
        openmpi, tmp_path, f"--test={case}", "--grid=5", "--levels=1", "--steps=40"
    )

    assert sample["verified"]
    assert 1e-11 < abs(truths(sample)["energy_change"]) < 1e-10


def test_artificial_physics_are_reported(openmpi: MpiLibrary, tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    words = ["--steps=2", "--work=3", f"--json={file}"]

    output = openmpi.run(1, openmpi.program("ww-shallow"), *words).stdout

    assert "NOTE artificial physics: each tendency is computed 3 times\n" in output
    assert '"artificial_work":true' in file.read_text(encoding="utf-8")


def test_a_mesh_is_kept_and_one_of_another_version_is_refused(
    openmpi: MpiLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    program, words = openmpi.program("ww-shallow"), ["--grid=2", "--steps=1"]
    openmpi.run(1, program, *words)
    kept = tmp_path / "waywiser" / "voronoi-2.mesh"
    whole = kept.read_bytes()
    header, values = whole.split(b"\n", 1)
    assert header == b"ww-shallow mesh, version 1, 162 cells"
    assert len(values) == 162 * 3 * 8

    generated_anew = "remove the file, and the mesh is made anew"
    kept.write_bytes(whole.replace(b"version 1", b"version 2"))
    says = f"{kept}: not a mesh of version 1 with 162 cells; {generated_anew}"
    assert refusal(openmpi, "ww-shallow", 2, *words) == says
    kept.write_bytes(whole[:-8])
    says = f"{kept}: not as long as 162 cells are; {generated_anew}"
    assert refusal(openmpi, "ww-shallow", 1, *words) == says


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        (["0"] * 641, ": a partition of 641 cells, not of this mesh, which has 642"),
        (["0"] * 641 + ["2"], ": line 642 has '2', not a part from 0 to 1"),
        (["0"] * 641 + ["x"], ": line 642 has 'x', not a part from 0 to 1"),
        (["0"] * 642, ": part 1 has no cells; give a partition for 2 rank(s)"),
    ],
)
def test_a_partition_of_something_else_is_refused(
    openmpi: MpiLibrary, tmp_path: Path, parts: list[str], says: str
) -> None:
    file = tmp_path / "mesh.part"
    file.write_text("\n".join(parts) + "\n", encoding="utf-8")

    assert refusal(openmpi, "ww-shallow", 2, f"--partition=metis:{file}") == f"{file}{says}"


def test_a_number_of_ranks_is_refused_before_anything_is_measured(openmpi: MpiLibrary) -> None:
    done = openmpi.run(2, openmpi.program("ww-shallow"), "--partition=rhombi", check=False)

    assert done.returncode == 2
    assert done.stdout == ""
