"""Pictures and texts of kernels: rooflines, waves, ruptures and meshes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tests.synthetic_plots import drawn_text
from tests.unit.test_roofline import kernels, line
from waywiser.model.mesh import CutMesh, GeneratedMesh, MeshPart
from waywiser.model.rupture_field import RuptureField, SurfaceSnapshot
from waywiser.model.wave_field import Snapshot, WaveField
from waywiser.report.mesh import cut_text, generated_text
from waywiser.report.run.plots.roofline import drawn_roofline
from waywiser.report.run.plots.rupture_field import drawn_rupture_field
from waywiser.report.run.plots.wave_field import drawn_wave_field

SLOW = line("triad", points_per_s=2e9)
COPY = line("copy", points_per_s=2e9, flops=0)
FAST = line("triad", points_per_s=9e9)


def faster_memory() -> dict[str, Any]:
    """The kernel on a day on which memory was measured to be faster."""
    roofline = {**SLOW["details"]["roofline"], "read_Bps": 31e9}
    return {**SLOW, "details": {"roofline": roofline}}


def roofline(*lines: dict[str, Any]) -> str:
    return drawn_text(drawn_roofline(kernels(*lines)))


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


def waves(*shots: WaveField) -> str:
    return drawn_text(drawn_wave_field(shots))


POINTS = np.stack([np.tile(np.arange(8.0), 8), np.zeros(64), -np.repeat(np.arange(8.0), 8)], 1)
SURFACE = SurfaceSnapshot(1.0, np.array([[[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]]), np.ones((1, 3)))
RUPTURE = RuptureField(
    points_m=POINTS, rupture_time_s=POINTS[:, 0], slip_m=POINTS[:, 0], snapshots=(SURFACE,)
)


def rupture(*fields: RuptureField) -> str:
    return drawn_text(drawn_rupture_field(fields))


def generated_mesh() -> str:
    mesh = GeneratedMesh(
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
    return generated_text(mesh)


def cut(parts: int = 1, clusters: tuple[int, ...] = (30,)) -> str:
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
        load_balance=1 / 1.1,
        load_balance_at_ticks=1 / 1.2,
        parts=(MeshPart(cells=15, work=1.0, ghosts=3, neighbours=1),) * parts,
    )
    return cut_text(mesh)
