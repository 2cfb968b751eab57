"""Replay of traces on other machines: settings, and what is predicted (native/simulate)."""

from waywiser.native._native import (
    Cost,
    CriticalPath,
    FunctionTimes,
    Interconnect,
    LinkUse,
    Messages,
    Noise,
    Prediction,
    RankTimes,
    Recorded,
    Settings,
    Speeds,
    replay,
)

__all__ = [
    "Cost",
    "CriticalPath",
    "FunctionTimes",
    "Interconnect",
    "LinkUse",
    "Messages",
    "Noise",
    "Prediction",
    "RankTimes",
    "Recorded",
    "Settings",
    "Speeds",
    "replay",
]
