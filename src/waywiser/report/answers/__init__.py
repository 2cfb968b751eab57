"""Answers of `whatif`, `advise`, `compare`, `place` and `tune`, as text, plots and pages."""
