"""Meshes that were made and cut into parts: the documents that `waywiser mesh` prints."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import computed_field, model_validator

from waywiser.model.base import Model, inverted


class GeneratedMesh(Model):
    """A benchmark's mesh, as `waywiser mesh NAME` wrote it; its areas and volumes are checked."""

    format: Literal["waywiser-mesh"] = "waywiser-mesh"
    format_version: Literal[1] = 1
    waywiser: str
    case: str
    files: tuple[str, ...]
    scale: float
    """Factor on all sizes of elements; 1 gives the benchmark's own sizes."""

    elements: int
    """Tetrahedra on both sides of the fault."""

    nodes: int
    fault_faces: int
    """Triangles of the fault, each counted once."""

    elements_of_group: dict[int, int]
    """2: the low-velocity zone, 3: the rock beside it."""

    smallest_insphere_m: float
    """Smallest radius of an insphere; time steps are proportional to it."""


class MeshPart(Model):
    """Part of the mesh that one rank gets."""

    cells: int
    work: float
    """Updates of cells in a step of the slowest cluster; a face of the fault counts as one update,
    half on either side."""

    ghosts: int
    """Number of faces shared with other parts."""

    neighbours: int
    """Number of other parts that share faces with this part."""


class CutMesh(Model):
    """A mesh cut into parts, as `waywiser mesh import` wrote it."""

    format: Literal["waywiser-mesh-parts"] = "waywiser-mesh-parts"
    format_version: Literal[1] = 1
    waywiser: str
    mesh: str
    file: str
    case: str | None
    """Name of the case; null where one speed of P waves was given for all cells."""

    order: int
    cfl: float
    elements: int
    fault_faces: int
    shortest_step_s: float
    clusters: tuple[int, ...]
    """Number of cells in each cluster, from the shortest step on; each cluster has twice the step
    of the one before."""

    speed_up: float
    """Updates of cells with one step for all, over those with clusters."""

    cut_faces: int
    """Faces between parts, each counted once."""

    load_balance: float
    """Mean work of the parts over that of the busiest one."""

    load_balance_at_ticks: float
    """Load balance when ranks wait for the busiest one in each of the shortest steps."""

    @computed_field(json_schema_extra={"deprecated": True})
    def imbalance(self) -> float:
        """The inverse of `load_balance`, written until version 1.0."""
        return 1 / self.load_balance

    @computed_field(json_schema_extra={"deprecated": True})
    def imbalance_at_ticks(self) -> float:
        """The inverse of `load_balance_at_ticks`, written until version 1.0."""
        return 1 / self.load_balance_at_ticks

    @model_validator(mode="before")
    @classmethod
    def _either_name(cls, document: Any) -> Any:
        document = inverted(document, "imbalance", "load_balance")
        return inverted(document, "imbalance_at_ticks", "load_balance_at_ticks")

    parts: tuple[MeshPart, ...]
