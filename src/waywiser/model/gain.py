"""What is said of a gain: of an order of the ranks, or of an opportunity of `waywiser advise`."""

from __future__ import annotations

from typing import Literal

Verdict = Literal["expected", "possible", "none", "loss", "refused"]
"""A gain is larger than noise, perhaps larger, or certainly not; or there is a loss. Refused: the
run's times cannot support a verdict.
"""
