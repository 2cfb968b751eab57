"""Runs and what reports say of them, which rows of `tests/sentences` name."""
