"""What ww-memory, -grid, -comm, -fd, -propa and -minife share: help, roofline, exchange."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.kernel_programs import Sample, refusal, samples
from tests.support import MpiLibrary, Waywiser

PROGRAMS = ["memory", "grid", "comm", "fd", "propa"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_help_is_printed_once_and_names_every_variant(openmpi: MpiLibrary, name: str) -> None:
    said = openmpi.run(2, openmpi.program(f"ww-{name}"), "--help").stdout
    refused = refusal(openmpi, f"ww-{name}", 2, "--variant=nobody")

    assert said.count("--variant ") == 1
    [named] = re.findall(r"one of: (.*)", refused)
    words = set(re.findall(r"[\w-]+", said))
    assert {one for one in re.findall(r"[\w-]+", named) if one != "or"} <= words


SMALL = ["--n1=40", "--tries=2"]
SOURCE = ["--source=200,200,200", "--frequency=15", "--steps=8", "--layer=10"]
WITH_ROOFLINE = {
    "memory": ("ww-memory", SMALL),
    "grid": ("ww-grid", SMALL),
    "comm": ("ww-comm", [*SMALL, "--variant=all"]),
    "fd": ("ww-fd", [*SMALL, "--variant=all"]),
    "propa": ("ww-propa", [*SMALL, "--variant=all"]),
    "modelling": ("ww-propa", [*SMALL, "--variant=all", *SOURCE]),
    "minife": ("ww-minife", ["--nx=16", "--operator=all", "--roofline"]),
}


@pytest.mark.parametrize("name", WITH_ROOFLINE)
def test_every_kernel_tells_its_share_of_the_roof_of_its_run(
    waywiser: Waywiser, openmpi: MpiLibrary, tmp_path: Path, name: str
) -> None:
    """Bytes and flops a point, bandwidths and peak of the same run; and the report draws them."""
    program, options = WITH_ROOFLINE[name]

    measured = samples(openmpi.program(program), openmpi, tmp_path, *options, ranks=2)

    told = [sample for sample in measured if "roofline" in sample["details"]]
    assert {sample["variant"] for sample in told} == {sample["variant"] for sample in measured}
    for sample in told:
        assert_consistent(sample)
    command = openmpi.command(1, openmpi.program("ww-grid"), "--n1=8", "--tries=1")
    assert waywiser.profile(command).returncode == 0
    drawn = waywiser.here("report", "run", "--samples", str(tmp_path / "samples.jsonl"))
    assert drawn.returncode == 0, drawn.stderr
    page = (waywiser.directory / "run" / "report.html").read_text(encoding="utf-8")
    assert '<section id="roofline">' in page
    for sample in told:
        assert f"{sample['workload']} {sample['phase']} {sample['variant']}" in page


def assert_consistent(sample: Sample) -> None:
    roof = sample["details"]["roofline"]
    bounds = [roof[f"{roof['like']}_Bps"] / roof["bytes_per_point"]]
    if roof["flops_per_point"]:
        bounds.append(roof["flops_per_s"] / roof["flops_per_point"])
    assert roof["bound_points_per_s"] == pytest.approx(min(bounds))
    done = sample["points"] * sample["parameters"].get("iterations", 1)  # rows of ww-minife
    assert roof["points_per_s"] == pytest.approx(done / sample["seconds"], rel=1e-6)
    assert roof["fraction"] == pytest.approx(roof["points_per_s"] / min(bounds))
    assert roof["fraction"] > 0
    for bandwidth in ("read", "copy", "triad", "leapfrog"):
        assert roof[f"{bandwidth}_Bps"] > 1e8


@pytest.mark.in_turn
@pytest.mark.parametrize(("name", "applied"), [("propa", 16), ("fd", 7 * 2)])
def test_halos_are_exchanged_by_persistent_requests_alone(
    waywiser: Waywiser, mpi: MpiLibrary, name: str, applied: int
) -> None:
    """One start and one wait for each application of a kernel, and nothing that blocks."""
    options = ["--n1=32", "--p3=2", "--order=6", "--tries=1", "--variant=blocked"]
    options += ["--block=32x16x4", "--json=s.json"]
    done = waywiser.profile(mpi.command(2, mpi.program(f"ww-{name}"), *options))
    assert done.returncode == 0, done.stderr
    profile = waywiser.show("run", "--per-rank")

    for rank in profile["per_rank"]:
        calls = {function: total["calls"] for function, total in rank["functions"].items()}
        assert calls["MPI_Startall"] == calls["MPI_Waitall"] == applied
        assert not {"MPI_Send", "MPI_Recv", "MPI_Sendrecv", "MPI_Isend", "MPI_Irecv"} & set(calls)
    face = 4 * 32 * 32 * 3
    assert sorted(profile["matrix"]["bytes"]) == [[0, 1, applied * face], [1, 0, applied * face]]
