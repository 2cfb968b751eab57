"""What run.json and the summary say of a run's trace."""

from __future__ import annotations

from waywiser.model.base import Model


class Trace(Model):
    """What the run's trace, trace/trace.ww, holds."""

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
    """One sentence for each thing that is damaged, or missing without such a reason."""
