"""Launchers: one module each, and the table of all."""
