"""Generated and partitioned meshes, for the terminal."""

from __future__ import annotations

from waywiser.model.mesh import CutMesh, GeneratedMesh
from waywiser.units import count_text, counted, percent_text

SHOWN_PARTS = 16
"""Largest number of parts that are all listed; of more, the fullest and the emptiest are listed."""


def generated_text(mesh: GeneratedMesh) -> str:
    """The size of a mesh, and its file."""
    groups = ", ".join(
        f"{count_text(count)} in group {group}" for group, count in mesh.elements_of_group.items()
    )
    return "\n".join(
        [
            f"{mesh.case}: {count_text(mesh.elements)} tetrahedra ({groups}), "
            f"{counted(mesh.nodes, 'node')}, {counted(mesh.fault_faces, 'face')} on the fault",
            f"sizes x {mesh.scale:.4g}; smallest insphere {mesh.smallest_insphere_m:.4g} m; "
            "orientation, tags, areas and volumes checked",
            f"wrote {', '.join(mesh.files)}",
        ]
    )


def cut_text(cut: CutMesh) -> str:
    """Clusters of time steps, and the parts of ranks."""
    lines = [
        f"{cut.mesh}: {count_text(cut.elements)} tetrahedra, "
        f"{counted(cut.fault_faces, 'face')} on the fault",
        f"order {cut.order}, CFL {cut.cfl:g}: shortest step {cut.shortest_step_s:.10g} s",
        *_local_steps(cut),
        "",
        f"{'cluster':>8}{'step [s]':>14}{'cells':>14}{'share':>9}",
    ]
    for cluster, cells in enumerate(cut.clusters):
        step = cut.shortest_step_s * 2**cluster
        share = percent_text(cells / cut.elements)
        lines.append(f"{cluster:>8}{step:>14.4e}{count_text(cells):>14}{share:>9}")
    lines += ["", *_parts(cut), f"wrote {cut.file}"]
    return "\n".join(lines)


def _local_steps(cut: CutMesh) -> list[str]:
    if len(cut.clusters) == 1:
        return []
    share = percent_text(1 / cut.speed_up)
    return [f"local time stepping needs {share} of the updates of one step for all cells"]


def _parts(cut: CutMesh) -> list[str]:
    if len(cut.parts) == 1:
        return ["1 part"]
    lines = [
        f"{counted(len(cut.parts), 'part')}: {counted(cut.cut_faces, 'face')} between them, the "
        f"busiest has {percent_text(1 / cut.load_balance - 1)} more work than the mean, or "
        f"{percent_text(1 / cut.load_balance_at_ticks - 1)} where all wait for it at every step"
    ]
    if len(cut.parts) <= SHOWN_PARTS:
        lines.append(f"{'part':>8}{'cells':>14}{'work':>14}{'ghosts':>10}{'neighbours':>12}")
        lines += [
            f"{number:>8}{count_text(part.cells):>14}{part.work:>14,.0f}"
            f"{count_text(part.ghosts):>10}{part.neighbours:>12}"
            for number, part in enumerate(cut.parts)
        ]
    return lines
