"""The assessment of a gain: of an order of the ranks, or of an opportunity of `waywiser advise`."""

from __future__ import annotations

from typing import Literal

Assessment = Literal["expected", "possible", "none", "loss", "refused"]
"""A gain exceeds noise certainly (expected), perhaps (possible) or not (none), or the run loses.
Refused: the run's times do not support any."""
