"""The part of a run that goes into its trace."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class TraceOptions:
    """Part of a run that goes into its trace; by default everything."""

    limit_bytes: int | None = None
    """Largest number of bytes that one process may write; None: the profiler's own limit."""

    phase: int | None = None
    """The only phase (MPI_Pcontrol) whose calls are kept."""

    window_ns: tuple[int, int] | None = None
    """Begin and end of the recorded time, in ns since the run's start."""

    def words(self, started: datetime) -> tuple[str, ...]:
        """Return the arguments of the profiler. A window is in wall-clock time, so that it is the
        same on all nodes."""
        words = []
        if self.limit_bytes is not None:
            words.append(f"trace-limit={self.limit_bytes}")
        if self.phase is not None:
            words.append(f"trace-phase={self.phase}")
        if self.window_ns is not None:
            start = (started - _EPOCH) // timedelta(microseconds=1) * 1000
            begin, end = (start + ns for ns in self.window_ns)
            words.append(f"trace-window={begin}:{end}")
        return tuple(words)


EVERYTHING = TraceOptions()
