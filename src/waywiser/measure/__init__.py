"""Runs programs under the profiler and stores what was measured."""

from waywiser.measure.profiled import OPTIONS, Outcome, profile_program
from waywiser.measure.trace_options import TraceOptions

__all__ = ["OPTIONS", "Outcome", "TraceOptions", "profile_program"]
