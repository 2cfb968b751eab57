"""Run programs under the profiler and store the measurements."""

from waywiser.measure.profiled import COPY_EVERY_S, OPTIONS, Outcome, profile_program
from waywiser.measure.trace_options import TraceOptions

__all__ = ["COPY_EVERY_S", "OPTIONS", "Outcome", "TraceOptions", "profile_program"]
