"""Local time stepping of ww-rupture against exact waves, global steps, and a mesh made here."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests import kuhn_mesh
from tests.support import BIN, MpiLibrary, cases
from tests.system.conftest import Build
from tests.system.test_rupture import (
    SMALL_FAULT,
    fault_lines,
    fault_tag,
    one_rank,
    rupture,
    solution,
)
from waywiser.meshes.clusters import clusters_of, histogram, time_steps
from waywiser.meshes.tetrahedra import Mesh, Neighbours

GRADED = ["--cells=12", "--order=3", "--end=0.05", "--stretch=0.7"]
"""Three clusters, everywhere beside each other."""

REACH = 40000
GRADED_FAULT = [*SMALL_FAULT, f"--reach={REACH}"]
"""Two clusters."""


ORDERS = [("surface", 4, 12, 0.1, 0.7)]
MORE_ORDERS = [
    ("planewave", 3, 12, 0.1, 0.7),
    ("interface", 4, 20, 0.3, 0.7),
    ("planewave", 6, 12, 0.005, 0.6),
    ("planewave", 2, 16, 0.1, 0.7),
    ("planewave", 4, 12, 0.05, 0.7),
    ("planewave", 5, 12, 0.02, 0.7),
]


@pytest.mark.parametrize("wave", cases(ORDERS, long=MORE_ORDERS), ids=str)
def test_the_error_falls_by_the_order_with_local_steps(
    openmpi: MpiLibrary, tmp_path: Path, wave: tuple[str, int, int, float, float]
) -> None:
    case, order, cells, end, stretch = wave
    options = [f"--case={case}", f"--order={order}", f"--cells={cells}", f"--end={end}"]

    local = rupture(openmpi, tmp_path, *options, f"--stretch={stretch}")
    off = rupture(openmpi, tmp_path, *options, f"--stretch={stretch}", "--lts=off")

    assert len(local["details"]["clusters"]) >= (3 if case == "planewave" and stretch > 0.6 else 2)
    observed = local["details"]["observed_order"]
    assert observed > order - 0.4
    assert observed == pytest.approx(off["details"]["observed_order"], abs=0.1)
    assert local["error"] == pytest.approx(off["error"], rel=0.1)
    assert local["points"] < 0.85 * off["points"]
    assert (local["variant"], off["variant"]) == ("local", "global")
    assert off["details"]["clusters"] == [off["details"]["cells"]]


@pytest.mark.parametrize("shape", cases([(3, 2)], long=[(3, 1), (4, 1)]))
def test_ranks_and_threads_change_nothing_but_rounding(
    openmpi: MpiLibrary, tmp_path: Path, shape: tuple[int, int]
) -> None:
    ranks, threads = shape
    one_wave = one_rank(openmpi, *GRADED)
    wave = rupture(openmpi, tmp_path, *GRADED, ranks=ranks, threads=threads)
    one_fault = one_rank(openmpi, *GRADED_FAULT)
    fault = rupture(openmpi, tmp_path, *GRADED_FAULT, ranks=ranks, threads=threads)

    assert len(one_wave["details"]["clusters"]) >= 3
    assert len(one_fault["details"]["clusters"]) == 2
    assert wave["error"] == pytest.approx(one_wave["error"], rel=1e-10)
    assert solution(fault) == pytest.approx(solution(one_fault), rel=1e-9)
    assert fault["details"]["arrivals"] == one_fault["details"]["arrivals"]
    for single, several in ((one_wave, wave), (one_fault, fault)):
        for name in ("clusters", "updates", "dt_s", "steps"):
            assert single["details"][name] == several["details"][name]


def fault_mesh() -> tuple[kuhn_mesh.Mesh, npt.NDArray[np.int64]]:
    """Mesh of GRADED_FAULT, and the cluster of each of its cells."""
    lines = fault_lines(REACH)
    mesh = kuhn_mesh.box(lines, lambda nodes: fault_tag(lines, nodes))
    count = len(mesh.vertices)
    cells = Mesh(
        nodes=mesh.vertices.reshape(-1, 3),
        cells=np.arange(4 * count).reshape(-1, 4),
        groups=np.zeros(count, np.int64),
        tags=mesh.faces[:, :, 0],
    )
    y = cells.centres()[:, 1]
    speeds = np.where(np.abs(y) < 800, 3750.0, np.where(y > 0, 6000.0, 5626.0))
    neighbours = Neighbours(mesh.faces[:, :, 1], mesh.faces[:, :, 2], mesh.faces[:, :, 3])
    clusters = clusters_of(time_steps(cells, speeds, 2, 0.5), neighbours, cells.tags)
    return mesh, np.asarray(clusters, np.int64)


def test_clusters_and_messages_are_those_of_the_mesh(openmpi: MpiLibrary, tmp_path: Path) -> None:
    mesh, clusters = fault_mesh()
    middle = mesh.vertices.mean(axis=1)
    # Pairs at the fault stay together: both are in one layer of x.
    height = np.where(np.abs(middle[:, 1]) > 3000, middle[:, 2], 0)
    part_of = (middle[:, 0] + height > -8000).astype(np.int64)
    kuhn_mesh.write(mesh, part_of, tmp_path / "two.wwmesh")

    sample = rupture(openmpi, tmp_path, *GRADED_FAULT, f"--mesh={tmp_path}/two.wwmesh", ranks=2)

    details = sample["details"]
    last = len(details["clusters"]) - 1
    clusters = np.minimum(clusters, last)
    assert last >= 1
    assert details["clusters"] == list(histogram(clusters))
    steps = details["steps"] >> clusters
    assert details["updates"] == sample["points"] == steps.sum()
    assert details["possible_gain"] == pytest.approx(len(clusters) * details["steps"] / steps.sum())
    behind = mesh.faces[:, :, 1]
    shared = (behind >= 0) & (part_of[behind] != part_of[:, None])
    own, neighbouring = (
        values[shared] for values in np.broadcast_arrays(clusters[:, None], clusters[behind])
    )
    assert set(neighbouring - own) == {-1, 0, 1}
    # Once in the longer of both steps: its two halves, or the sum of the shorter ones.
    sent = (details["steps"] >> np.maximum(own, neighbouring)) * np.where(neighbouring < own, 2, 1)
    assert details["exchanged_bytes"] == sent.sum() * 3 * 3 * 8


def test_a_mesh_with_many_clusters_gets_those_of_its_file(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    """Neighbours in the mesh would be more than one cluster apart by their own steps alone."""
    for arguments in (
        ["tpv5", "--scale=9", "-o", str(tmp_path / "mesh")],
        ["import", str(tmp_path / "mesh.h5"), "--ranks=2", "--order=2", f"-o{tmp_path}/two.wwmesh"],
    ):
        command = [str(BIN / "waywiser"), "mesh", *arguments]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    data = (tmp_path / "two.wwmesh").read_bytes()
    clusters = []
    for part in (0, 1):
        begin, cells = struct.unpack_from("<2q", data, 64 + 32 * part)
        behind = begin + cells * (96 + 8 + 4)
        clusters.append(np.frombuffer(data, "<i4", cells, behind))

    options = ["--case=tpv5", "--order=2", f"--mesh={tmp_path}/two.wwmesh", "--end=1", "--every=1"]
    sample = rupture(openmpi, tmp_path, *options, ranks=2)

    counts = sample["details"]["clusters"]
    assert len(counts) >= 4
    merged = np.minimum(np.concatenate(clusters).astype(np.int64), len(counts) - 1)
    assert counts == list(histogram(merged))


def test_a_rupture_is_that_of_global_steps(openmpi: MpiLibrary, tmp_path: Path) -> None:
    case = [*GRADED_FAULT, "--order=3", "--spacing=1000", "--growth=3", "--end=1.5"]

    local = rupture(openmpi, tmp_path, *case, threads=2)
    off = rupture(openmpi, tmp_path, *case, "--lts=off", threads=2)

    assert len(local["details"]["clusters"]) == 2
    assert solution(local) == pytest.approx(solution(off), rel=1e-3)
    assert local["verified"] is True
    for arrival, global_arrival in zip(
        local["details"]["arrivals"], off["details"]["arrivals"], strict=True
    ):
        assert (arrival["rupture_time_s"] is None) == (global_arrival["rupture_time_s"] is None)
        if arrival["rupture_time_s"] is not None:
            assert arrival["rupture_time_s"] == pytest.approx(
                global_arrival["rupture_time_s"], abs=0.01
            )


def test_short_intervals_have_fewer_clusters(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """A cluster whose step does not fit would have all steps shortened."""
    long = rupture(openmpi, tmp_path, *GRADED_FAULT, "--every=1")
    short = rupture(openmpi, tmp_path, *GRADED_FAULT, "--every=0.02")

    assert len(short["details"]["clusters"]) < len(long["details"]["clusters"])
    assert short["points"] < short["details"]["cells"] * short["details"]["steps"] * 1.01
    assert short["details"]["dt_s"] > 0.5 * long["details"]["dt_s"]
    # The last one is of what is predicted before friction acts, and depends on the step.
    assert solution(short)[-6:-1] == pytest.approx(solution(long)[-6:-1], rel=0.01)


@pytest.mark.in_turn
@pytest.mark.parametrize("ranks", cases([3], long=[1]))
def test_a_communication_thread_changes_nothing(
    mpi: MpiLibrary, tmp_path: Path, ranks: int
) -> None:
    for options in (GRADED, GRADED_FAULT):
        without = rupture(mpi, tmp_path, *options, ranks=ranks)
        with_one = rupture(mpi, tmp_path, *options, "--comm-thread", ranks=ranks)

        assert with_one["error"] == without["error"]
        for name in ("exchanged_bytes", "updates"):
            assert with_one["details"][name] == without["details"][name]
        if options is GRADED_FAULT:
            assert solution(with_one) == solution(without)
        assert with_one["parameters"]["comm_thread"] is True


def test_a_library_without_the_thread_level_is_refused(openmpi: MpiLibrary, build: Build) -> None:
    env = {"LD_PRELOAD": str(build(openmpi, "no_threads.c", "-shared", "-fPIC"))}

    run = openmpi.run(1, openmpi.program("ww-rupture"), "--comm-thread", check=False, env=env)

    assert run.returncode == 2
    assert "--comm-thread needs an MPI library that lets any thread call it in turn" in run.stderr
