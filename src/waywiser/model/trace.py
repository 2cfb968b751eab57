"""What run.json and the summary say of a run's trace."""

from __future__ import annotations

from waywiser.model.base import Model


class Trace(Model):
    """What the run's trace, trace/trace.ww, holds."""

    calls: int
    """Each poll counts."""

    bytes: int
    """Of the file."""

    dropped_calls: int = 0
    """Made, but not in the file: `lost_calls`, and those outside of the phase or the window that
    was asked for."""

    lost_calls: int = 0
    """Of `dropped_calls`: asked for, but beyond the limit, not written for want of room, or cut off
    the file later. If there are any, `lost` gives the reason and the remedy, and what is predicted
    from the trace does not hold for the run."""

    lost: tuple[str, ...] = ()
    """One sentence for each thing that is damaged, or missing without such a reason."""
