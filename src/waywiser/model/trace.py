"""The trace of a run, as run.json and the summary describe it."""

from __future__ import annotations

from waywiser.model.base import Model


class Trace(Model):
    """The contents of the run's trace, trace/trace.ww."""

    calls: int
    """Number of calls; each poll counts."""

    bytes: int
    """Size of the file."""

    dropped_calls: int = 0
    """Number of calls that were made, but are not in the file: `lost_calls`, and those outside the
    requested phase or window."""

    lost_calls: int = 0
    """Number of `dropped_calls` that were requested, but were beyond the limit, found no room, or
    were cut off the file later. If there are any, `lost` gives the reason and the remedy, and
    predictions from the trace do not hold for the run."""

    lost: tuple[str, ...] = ()
    """One sentence for each damage or loss of the trace."""
