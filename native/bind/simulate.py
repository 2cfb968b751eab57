"""Replay of traces on other machines: settings, and what is predicted (native/simulate)."""

from waywiser.native._native import (
    Cost,
    CriticalPath,
    FunctionTimes,
    Messages,
    Noise,
    Prediction,
    RankTimes,
    Recorded,
    Settings,
    replay,
)

__all__ = [
    "Cost",
    "CriticalPath",
    "FunctionTimes",
    "Messages",
    "Noise",
    "Prediction",
    "RankTimes",
    "Recorded",
    "Settings",
    "replay",
]
