"""OpenMP: how evenly the threads of a rank share the work of its parallel regions."""

from __future__ import annotations

from typing import Any

from pydantic import computed_field, model_validator

from waywiser.model.base import Model, inverted


class OpenMp(Model):
    """Parallel regions of one rank between MPI_Init and MPI_Finalize.

    Regions nested in others count as their threads' work, and so do calls of MPI. The lists are by
    OpenMP thread number; numbers from 512 on are left out.
    """

    threads: int
    """Threads of the largest team."""

    regions: int
    region_seconds: float
    """Wall time in parallel regions."""

    busy_seconds: list[float]
    """Busy time of each thread in parallel regions, without its waits."""

    wait_seconds: list[float]
    """Waiting time of each thread in barriers and at the ends of regions."""

    load_balance: float | None
    """Mean busy time over the largest: 1 is perfect. None if it is unknown."""

    tasks: int
    """Explicit tasks. Where there are any, the waits hold the tasks that ran in barriers, and the
    load balance is None."""

    @computed_field(json_schema_extra={"deprecated": True})
    def imbalance(self) -> float | None:
        """The inverse of `load_balance`, written until version 1.0."""
        return self.load_balance and 1 / self.load_balance

    @model_validator(mode="before")
    @classmethod
    def _either_name(cls, document: Any) -> Any:
        return inverted(document, "imbalance", "load_balance")
