"""The base of every stored model."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Frozen, and strict about its keys. Its validator is made when it is first wanted: of all the
    models that a command imports it uses few."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def replace(self, **changes: Any) -> Self:
        """The same with other values of some fields, which are not validated."""
        return self.model_copy(update=changes)
