"""A whole run in one document: what `waywiser export RUN --to json` writes."""

from __future__ import annotations

from typing import Literal

from waywiser.model.base import Model
from waywiser.model.run import Run
from waywiser.model.summary import Summary


class Export(Model):
    format: Literal["waywiser-export"] = "waywiser-export"
    format_version: Literal[1] = 1
    run: Run
    summary: Summary
    """Summary of the run, with `per_rank`."""
