"""Runs and what reports say of them, which rows of `tests/sentences` name."""

from __future__ import annotations

from collections.abc import Callable

Said = Callable[[], str]
"""The whole text of a report or an answer."""
