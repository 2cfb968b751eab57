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
    """Beyond the limit, or outside of the phase or the window that was asked for."""

    lost: tuple[str, ...] = ()
    """One sentence for each thing that is damaged, or missing without such a reason."""
