"""A trace as the report shows it: time by kind in cells, and the longest calls singly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

KINDS = (
    "Computation",
    "Point to point",
    "Waiting for requests",
    "Collectives",
    "One-sided",
    "Files",
    "Other MPI",
)
"""Kinds of a thread's time, in the order of `explain::Kind`."""

Columns = Mapping[str, NDArray[np.int64]]
"""Arrays of equal length by name."""


@dataclass(frozen=True)
class Grid:
    """Time by kind in rows of one or more threads and bins of equal width."""

    together: int
    """Threads in a row; a power of two."""

    bin_ns: int
    ns: NDArray[np.uint64]
    """Time of each kind in each bin, shape (rows, bins, kinds)."""


@dataclass(frozen=True)
class Timeline:
    """A window of a trace. Times are nanoseconds since the trace's clock began."""

    begin_ns: int
    end_ns: int
    trace_begin_ns: int
    trace_end_ns: int
    threads: tuple[tuple[int, int], ...]
    """(rank, thread) of each row."""

    grids: tuple[Grid, ...]
    """Grids, the one with the fewest threads in a row first."""

    calls: Columns
    """The longest calls, by thread and begin; fields as in native/explain/timeline.hpp."""

    arrows: Columns
    """Messages, by the time they were sent."""

    all_calls: int
    """Number of calls in the window, those in cells included."""

    longest_merged_ns: int
    functions: tuple[str, ...]
    sites: tuple[str, ...]
    objects: tuple[str, ...]

    @property
    def merged_calls(self) -> int:
        """Number of calls that are only in cells."""
        return self.all_calls - len(self.calls["begin_ns"])
