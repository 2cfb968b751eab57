"""Pictures and texts of kernels: rooflines, waves, ruptures and meshes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tests.made_figures import drawn_text
from tests.said import Cases, Said
from tests.said.plots import alike
from tests.unit.test_roofline import line, samples
from waywiser.model.mesh import CutMesh, MadeMesh, MeshPart
from waywiser.model.rupture_field import RuptureField, SurfaceSnapshot
from waywiser.model.wave_field import Snapshot, WaveField
from waywiser.report.mesh import cut_text, made_text
from waywiser.report.roofline import drawn_roofline
from waywiser.report.rupture_field import drawn_rupture_field
from waywiser.report.wave_field import drawn_wave_field

SLOW = line("triad", points_per_s=2e9)
COPY = line("copy", points_per_s=2e9, flops=0)
FAST = line("triad", points_per_s=9e9)


def faster_memory() -> dict[str, Any]:
    """The kernel on a day on which memory was measured to be faster."""
    roofline = {**SLOW["details"]["roofline"], "read_Bps": 31e9}
    return {**SLOW, "details": {"roofline": roofline}}


def roofline(*lines: dict[str, Any]) -> Said:
    return lambda: drawn_text(drawn_roofline(samples(*lines)))


ROOFLINE = (
    alike(
        roofline(SLOW),
        roofline({**SLOW, "details": {}}),
        "What kernels reach of what memory and cores gave at most in the same run, all ranks and "
        "threads together: {} GB/s with write-allocates, and {} GFLOP/s of multiply-adds ({}).",
        "A kernel is bound by the sweep that its accesses are like.",
        "Kernels and the bounds measured in the same run",
        "Bound (GPoint/s)",
        "Reached, as a share of the bound",
    )
    | alike(roofline(SLOW), roofline(COPY), "Arithmetic intensity (flop/B)")
    | alike(
        roofline(SLOW, faster_memory()),
        roofline(SLOW, SLOW),
        "These are the first of {} measurements; each share is of its own kernel's.",
    )
    | alike(
        roofline(FAST),
        roofline(SLOW),
        "More than 1 is what caches keep from one sweep to the next, or a machine that was slower "
        "while that sweep ran.",
    )
    | alike(
        roofline(SLOW, COPY),
        roofline(COPY),
        "Those without arithmetic are in the lower part alone.",
    )
)

NOWHERE = np.zeros((0, 3))
WAVES = WaveField(
    width_m=10.0,
    depth_m=10.0,
    source_m=(1.0, 2.0, 3.0),
    receivers_m=np.ones((2, 3)),
    snapshots=(Snapshot(0.5, np.ones((4, 4))),),
    times_s=np.arange(5.0),
    traces=np.ones((2, 5)),
)


def waves(*shots: WaveField) -> Said:
    return lambda: drawn_text(drawn_wave_field(shots))


WAVE_FIELD = (
    alike(
        waves(WAVES),
        waves(),
        "Pressure in the plane of axes 1 (downwards) and 2 through the source, which is at {} m "
        "(cross). Blue is below 0, red above, full colour the greatest of each snapshot.",
        "Pressure in the snapshots",
    )
    | alike(
        waves(WAVES),
        waves(replace(WAVES, receivers_m=NOWHERE)),
        "Receivers are triangles, seen along axis 3.",
    )
    | alike(
        waves(WAVES),
        waves(replace(WAVES, traces=np.zeros((0, 5)))),
        "Below, what {} of {} recorded, each on its own scale.",
    )
    | alike(waves(WAVES, WAVES), waves(WAVES), "The first of {} shots.")
)

POINTS = np.stack([np.tile(np.arange(8.0), 8), np.zeros(64), -np.repeat(np.arange(8.0), 8)], 1)
SURFACE = SurfaceSnapshot(1.0, np.array([[[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]]), np.ones((1, 3)))
RUPTURE = RuptureField(
    points_m=POINTS, rupture_time_s=POINTS[:, 0], slip_m=POINTS[:, 0], snapshots=(SURFACE,)
)


def rupture(*fields: RuptureField) -> Said:
    return lambda: drawn_text(drawn_rupture_field(fields))


RUPTURE_FIELD = (
    alike(
        rupture(RUPTURE),
        rupture(),
        "The fault, x along it and depth downwards: on the left when the rupture arrived, on the "
        "right the slip in the end. Yellow is low, dark blue high; what has not ruptured, or "
        "slipped, is left empty.",
        "Rupture time",
        "Slip in the end",
        "Rupture and surface",
        "Points of the fault that ruptured (%)",
        "First and last arrival (s)",
        "Greatest slip (m)",
    )
    | alike(
        rupture(RUPTURE),
        rupture(replace(RUPTURE, rupture_time_s=np.full(64, np.nan))),
        "Lines of arrival are {} s apart.",
    )
    | alike(
        rupture(RUPTURE),
        rupture(replace(RUPTURE, snapshots=())),
        "Below, the free surface from above: velocity along x, blue below 0, red above, full "
        "colour {} m/s in all of them; the line is the fault.",
        "Fastest along x on the surface at {} s (m/s)",
    )
    | alike(rupture(RUPTURE, RUPTURE), rupture(RUPTURE), "The first of {} ruptures.")
)


def made() -> str:
    mesh = MadeMesh(
        waywiser="0",
        case="tpv33",
        files=("mesh.h5",),
        scale=1.0,
        elements=30,
        nodes=20,
        fault_faces=4,
        elements_of_group={2: 10, 3: 20},
        smallest_insphere_m=1.0,
    )
    return made_text(mesh)


def cut(parts: int = 1, clusters: tuple[int, ...] = (30,)) -> Said:
    mesh = CutMesh(
        waywiser="0",
        mesh="mesh.h5",
        file="mesh.wwmesh",
        case=None,
        order=4,
        cfl=0.5,
        elements=30,
        fault_faces=4,
        shortest_step_s=1e-3,
        clusters=clusters,
        speed_up=1.5,
        cut_faces=3,
        imbalance=1.1,
        imbalance_at_ticks=1.2,
        parts=(MeshPart(cells=15, work=1.0, ghosts=3, neighbours=1),) * parts,
    )
    return lambda: cut_text(mesh)


MESH = (
    alike(
        made,
        cut(),
        "{}: {} tetrahedra ({}), {}, {} on the fault",
        "sizes x {}; smallest insphere {} m; orientation, tags, areas and volumes checked",
    )
    | alike(
        cut(),
        made,
        "{}: {} tetrahedra, {} on the fault",
        "order {}, CFL {}: shortest step {} s",
    )
    | alike(
        cut(clusters=(10, 20)),
        cut(clusters=(30,)),
        "local time stepping needs {} of the updates of one step for all cells",
    )
    | alike(
        cut(parts=2),
        cut(parts=1),
        "{}: {} between them, the busiest has {} more work than the mean, or {} where all wait "
        "for it at every step",
    )
)

CASES: Cases = {
    "report.mesh": MESH,
    "report.roofline": ROOFLINE,
    "report.rupture_field": RUPTURE_FIELD,
    "report.wave_field": WAVE_FIELD,
}
