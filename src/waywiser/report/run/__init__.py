"""The report of a run: a summary on a terminal, a page, and its plots."""
