"""What is said of a gain: of an order of the ranks, or of an opportunity of `waywiser advise`."""

from __future__ import annotations

from typing import Literal

Verdict = Literal["expected", "possible", "none", "loss", "refused"]
"""Of a gain: larger than noise, perhaps larger, certainly not; or a loss. Refused: the run's times
are no ground for a verdict."""
