"""Runs programs under the profiler and stores what was measured."""

from waywiser.measure.profiled import Outcome, profile_program

__all__ = ["Outcome", "profile_program"]
