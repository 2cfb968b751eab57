"""Runs programs under the profiler and stores what was measured."""

from waywiser.measure.profiled import OPTIONS, Outcome, profile_program

__all__ = ["OPTIONS", "Outcome", "profile_program"]
