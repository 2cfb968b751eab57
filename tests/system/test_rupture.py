"""ww-rupture against exact waves, SeisSol, itself on other ranks, and wrong copies of it."""

from __future__ import annotations

import functools
import math
import re
import shlex
import struct
import tempfile
from pathlib import Path

import numpy as np
import pytest

from tests import kuhn_mesh
from tests.kernel_programs import Sample, refusal, samples
from tests.support import ROOT, MpiLibrary, cases

SMALL_FAULT = [
    *("--case=tpv33", "--order=2", "--spacing=2000", "--growth=2", "--reach=16000"),
    *("--end=1", "--every=0.5"),
]
"""Too coarse for its result to be right, but all of it is done."""


def rupture(mpi: MpiLibrary, directory: Path, *options: str, **how: int) -> Sample:
    [sample] = samples(mpi.program("ww-rupture"), mpi, directory, *options, **how)
    return sample


@functools.cache
def one_rank(mpi: MpiLibrary, *options: str) -> Sample:
    """The reference for all other runs, run once."""
    with tempfile.TemporaryDirectory() as directory:
        return rupture(mpi, Path(directory), *options)


def solution(sample: Sample) -> list[float]:
    """All energies of a rupture, in their order."""
    return [value for energies in sample["details"]["energies"] for value in energies.values()]


MORE_ORDERS = [
    ("planewave", 3, 6, 0.25, 0.03),
    ("planewave", 4, 6, 0.25, 5e-3),
    ("planewave", 5, 6, 0.1, 5e-4),
    ("surface", 2, 12, 0.25, 0.02),
    ("surface", 4, 6, 0.25, 1.2e-3),
    ("surface", 6, 6, 0.1, 2e-5),
    ("interface", 2, 40, 0.3, 0.03),
    ("interface", 4, 20, 0.3, 2e-3),
    ("interface", 5, 20, 0.2, 2e-4),
]


@pytest.mark.parametrize(
    ("case", "order", "cells", "end", "error"),
    [
        ("planewave", 2, 12, 0.25, 0.04),
        ("planewave", 6, 6, 0.05, 5e-5),
        ("surface", 3, 6, 0.25, 0.01),
        ("surface", 5, 6, 0.25, 2e-4),
        ("interface", 3, 20, 0.3, 0.02),
        *(pytest.param(*row, marks=pytest.mark.long) for row in MORE_ORDERS),
    ],
)
def test_the_error_falls_by_the_order_of_the_scheme(
    openmpi: MpiLibrary, tmp_path: Path, case: str, order: int, cells: int, end: float, error: float
) -> None:
    options = [f"--case={case}", f"--order={order}", f"--cells={cells}", f"--end={end}"]

    sample = rupture(openmpi, tmp_path, *options)

    observed = math.log2(sample["details"]["coarse_error"] / sample["error"])
    assert sample["error"] < error
    assert observed > order - 0.35
    assert sample["details"]["observed_order"] == pytest.approx(observed)
    assert sample["verified"] is True


@pytest.mark.parametrize("case", ["planewave", "surface"])
def test_single_precision_differs_by_rounding(
    openmpi: MpiLibrary, tmp_path: Path, case: str
) -> None:
    options = [f"--case={case}", "--order=4", "--cells=6", "--end=0.1"]

    single = rupture(openmpi, tmp_path, *options, "--precision=fp32")
    double = rupture(openmpi, tmp_path, *options)

    assert single["error"] != double["error"]
    assert single["error"] == pytest.approx(double["error"], rel=0.02)
    assert single["verified"] is True


@pytest.mark.parametrize("shape", cases([(2, 2)], long=[(2, 1), (4, 1)]))
def test_ranks_and_threads_change_nothing_but_rounding(
    openmpi: MpiLibrary, tmp_path: Path, shape: tuple[int, int]
) -> None:
    ranks, threads = shape
    waves = ["--order=3", "--cells=8", "--end=0.02"]

    one_wave = one_rank(openmpi, *waves)
    wave = rupture(openmpi, tmp_path, *waves, ranks=ranks, threads=threads)
    one_fault = one_rank(openmpi, *SMALL_FAULT)
    fault = rupture(openmpi, tmp_path, *SMALL_FAULT, ranks=ranks, threads=threads)

    assert wave["error"] == pytest.approx(one_wave["error"], rel=1e-10)
    assert solution(fault) == pytest.approx(solution(one_fault), rel=1e-9)
    assert fault["details"]["arrivals"] == one_fault["details"]["arrivals"]
    # Between two layers lie 8 x 8 x 2 faces; each sends, both ways, 3 values at 6 nodes.
    faces = ranks * 8 * 8 * 2
    assert wave["details"]["exchanged_bytes"] == 2 * faces * 3 * 6 * 8 * wave["details"]["steps"]


def test_both_libraries_run_it(mpi: MpiLibrary, tmp_path: Path) -> None:
    sample = rupture(mpi, tmp_path, "--order=3", "--cells=6", "--end=0.02", ranks=2)

    details = sample["details"]
    assert sample["verified"] is True
    assert sample["points"] == 6**4 * details["steps"]
    assert sample["flops"] == round(sample["points"] * details["flops_per_update"])
    assert details["flops_per_update"] < details["seissol_flops_per_update"]


def test_a_mesh_from_a_file_gives_what_the_same_box_gives(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    built = one_rank(openmpi, *SMALL_FAULT)
    lines = fault_lines()
    mesh = kuhn_mesh.box(lines, lambda nodes: fault_tag(lines, nodes))
    alone = np.zeros(len(mesh.vertices), np.int64)
    # Cut as no box is: pairs at the fault stay together, since both are in one layer of x.
    middle = mesh.vertices.mean(axis=1)
    cut = (middle[:, 0] + np.where(np.abs(middle[:, 1]) > 3000, middle[:, 2], 0) > -8000).astype(
        np.int64
    )
    kuhn_mesh.write(mesh, alone, tmp_path / "one.wwmesh")
    kuhn_mesh.write(mesh, cut, tmp_path / "two.wwmesh")

    on_one = rupture(openmpi, tmp_path, *SMALL_FAULT, f"--mesh={tmp_path}/one.wwmesh")
    on_two = rupture(openmpi, tmp_path, *SMALL_FAULT, f"--mesh={tmp_path}/two.wwmesh", ranks=2)

    assert on_one["details"]["cells"] == built["details"]["cells"] == len(mesh.vertices)
    assert solution(on_one) == pytest.approx(solution(built), rel=1e-9)
    assert solution(on_two) == pytest.approx(solution(built), rel=1e-9)
    assert on_two["details"]["exchanged_bytes"] > 0


def fault_lines(reach: float = 16000) -> list[list[float]]:
    """Lines of SMALL_FAULT [m]: steps double away from the fault, stretched to end at 16 km."""

    def outwards(begin: float, step: float, end: float) -> list[float]:
        distances = [step * (2 ** (i + 2) - 2) for i in range(10)]
        count = (
            next(
                i
                for i, distance in enumerate(distances)
                if distance >= abs(end - begin) * (1 - 1e-9)
            )
            + 1
        )
        return [
            begin + (end - begin) * distance / distances[count - 1]
            for distance in distances[:count]
        ]

    x = [-12000 + 2000.0 * i for i in range(9)]
    z = [-10000 + 2000.0 * i for i in range(6)]
    y = [0.0, 2000.0, *outwards(2000, 2000, reach)]
    return [
        [*reversed(outwards(-12000, 2000, -reach)), *x, *outwards(4000, 2000, reach)],
        [*(-value for value in reversed(y[1:])), *y],
        [*reversed(outwards(-10000, 2000, -reach)), *z],
    ]


def fault_tag(lines: list[list[float]], nodes: list[kuhn_mesh.Node]) -> int:
    points = [[lines[d][node[d]] for d in range(3)] for node in nodes]
    if all(p[2] == 0 for p in points):
        return 1
    on_plane = all(p[1] == 0 for p in points)
    if on_plane and all(-12000 <= p[0] <= 4000 and p[2] >= -10000 for p in points):
        return 3
    ends = [(d, end) for d in range(3) for end in (lines[d][0], lines[d][-1])]
    return 5 if any(all(p[d] == end for p in points) for d, end in ends) else 0


SEISSOL_ORDER_4 = {
    **{"elastic_J": 1.254e13, "kinetic_J": 2.158e12, "moment_Nm": 9.847e16},
    "predicted_work_J": 1.434e13,
}
"""SeisSol 1.3.2 at order 4, TPV33 at 2 s, on 16,532 tetrahedra of about 500 m at the fault."""

FAULTMOD = {
    **{(-6000, 4000): 1.591, (-8000, 6000): 1.279, (-10000, 2000): 3.485, (-2000, 6000): 2.424},
    **{(0, 6000): 3.489, (2000, 2000): 5.102, (2000, 8000): 4.715},
}
"""Arrivals of the rupture at (x, depth) [m] in FaultMod's run at 12.5 m [s]."""

COARSE_TPV33 = [
    *("--case=tpv33", "--order=4", "--spacing=1000", "--growth=1.8", "--reach=20000"),
    *("--end=2", "--every=0.5"),
]


@pytest.mark.parametrize("precision", cases(["fp32"], long=["fp64"]))
def test_tpv33_begins_as_seissol_says(openmpi: MpiLibrary, tmp_path: Path, precision: str) -> None:
    options = [*COARSE_TPV33, f"--precision={precision}"]
    sample = rupture(openmpi, tmp_path, *options, threads=2, timeout=600)

    last = sample["details"]["energies"][-1]
    for name, value in SEISSOL_ORDER_4.items():
        assert last[name] == pytest.approx(value, rel=0.1), name
    arrivals = {
        (arrival["x_m"], arrival["depth_m"]): arrival["rupture_time_s"]
        for arrival in sample["details"]["arrivals"]
    }
    for station in ((-8000, 6000), (-6000, 4000)):
        assert arrivals[station] == pytest.approx(FAULTMOD[station], abs=0.3)
    assert arrivals[2000, 2000] is None
    assert sample["verified"] is True


@pytest.mark.long
def test_tpv33_meets_faultmod_and_its_energy_falls_in_the_end(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    case = ["--case=tpv33", "--order=4", "--spacing=800", "--growth=1.6", "--reach=25000"]

    sample = rupture(openmpi, tmp_path, *case, "--end=13", threads=2, timeout=1800)

    arrivals = {
        (arrival["x_m"], arrival["depth_m"]): arrival["rupture_time_s"]
        for arrival in sample["details"]["arrivals"]
    }
    for station, time in FAULTMOD.items():
        assert arrivals[station] == pytest.approx(time, abs=0.3), station
    totals = [e["elastic_J"] + e["kinetic_J"] for e in sample["details"]["energies"]]
    stopped = totals[16:]  # from 8.5 s on
    assert stopped == sorted(stopped, reverse=True)


def test_fault_and_energies_are_written(openmpi: MpiLibrary, tmp_path: Path) -> None:
    files = [f"--fault={tmp_path}/fault.csv", f"--energies={tmp_path}/energies.csv"]

    sample = rupture(openmpi, tmp_path, *SMALL_FAULT, *files, ranks=3)

    header, *rows = (tmp_path / "fault.csv").read_text(encoding="utf-8").splitlines()
    assert header == "x_m,y_m,z_m,rupture_time_s,slip_m,peak_rate_mps"
    assert len(rows) == sample["details"]["fault_faces"] * 9
    points = [row.split(",") for row in rows]
    assert all(-12000 < float(p[0]) < 4000 and -10000 < float(p[2]) < 0 for p in points)
    assert all(abs(float(p[1])) < 1e-6 for p in points)
    assert all((p[3] == "") == (float(p[5]) <= 1e-3) for p in points)
    first = (tmp_path / "energies.csv").read_text(encoding="utf-8").splitlines()[1]
    assert [float(word) for word in first.split(",")] == pytest.approx(
        solution(sample)[:6], rel=1e-8
    )


def test_the_page_shows_options_that_there_are(openmpi: MpiLibrary) -> None:
    page = (ROOT / "docs" / "rupture.md").read_text(encoding="utf-8")
    options = re.findall(r"^\$ .*ww-rupture (.*)$", page, re.MULTILINE)

    assert len(options) == 7
    for line in options:
        openmpi.run(1, openmpi.program("ww-rupture"), *shlex.split(line), "--help")


def test_a_damaged_mesh_is_refused(openmpi: MpiLibrary, tmp_path: Path) -> None:
    lines = fault_lines()
    mesh = kuhn_mesh.box(lines, lambda nodes: fault_tag(lines, nodes))
    path = tmp_path / "mesh.wwmesh"
    right = (mesh.vertices.mean(axis=1)[:, 0] > -4000).astype(np.int64)
    kuhn_mesh.write(mesh, right, path)
    whole = path.read_bytes()

    def output() -> str:
        return refusal(openmpi, "ww-rupture", 2, "--case=tpv33", f"--mesh={path}")

    path.write_bytes(whole[:-100])
    assert "is shorter than it says" in output()
    path.write_bytes(b"WWMESH\0\1" + whole[8:])
    assert "is not a mesh of version 1" in output()
    path.write_bytes(whole[:16] + struct.pack("<q", 3) + whole[24:])
    assert "is cut into 3 parts, and there are 2 ranks" in output()
    begin, cells = struct.unpack_from("<2q", whole, 64)
    face = begin + cells * (96 + 8 + 4 + 4)
    path.write_bytes(whole[:face] + struct.pack("<i", 4) + whole[face + 4 :])
    assert "has a face with tag 4" in output()
    own = np.flatnonzero(right == 0)
    cell, number = np.argwhere(mesh.faces[own, :, 0] == 3)[0]
    at = face + 16 * (4 * cell + number)
    elsewhere = f"cell {own[cell]} has a face {number} that its neighbour has in another place"
    turned = (mesh.faces[own[cell], number, 3] + 1) % 3
    path.write_bytes(whole[: at + 12] + struct.pack("<i", turned) + whole[at + 16 :])
    assert elsewhere in output()
    path.write_bytes(whole[:at] + struct.pack("<i", 0) + whole[at + 4 :])
    assert "that its neighbour has in another place, or with another tag" in output()
    second = whole[begin + 24 : begin + 48]
    path.write_bytes(whole[:begin] + second + whole[begin : begin + 24] + whole[begin + 48 :])
    assert f"cell {own[0]} has no positive volume" in output()
