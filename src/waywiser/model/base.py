"""The base of every stored model."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Frozen, and strict about its keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")
