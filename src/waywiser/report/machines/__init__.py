"""Machines as text, pictures and pages: their metrics, calibration, validation and use."""
