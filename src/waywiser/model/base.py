"""The base of every stored model."""

from __future__ import annotations

import re
from functools import singledispatch
from typing import Any, Self

from pydantic import AliasChoices, AliasGenerator, BaseModel, ConfigDict, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

EARLIER = {
    "configuration": "point",
    "metric": "figure",
    "receive_bytes": "posted_bytes",
    "unreliable": "contended",
}
"""Word of keys -> the word of earlier versions, whose documents and study files are read until
version 1.0."""

_WORDS = re.compile(rf"(?<![a-z])({'|'.join(EARLIER)})")


def earlier(key: str) -> str:
    """The key as earlier versions wrote it."""
    return _WORDS.sub(lambda word: EARLIER[word[1]], key)


def _either(key: str) -> str | AliasChoices:
    before = earlier(key)
    return key if before == key else AliasChoices(key, before)


@singledispatch
def text_of(document: BaseModel) -> str:
    """The text that `print` shows: that of the verb, which registers it, or else all fields."""
    return repr(document)


def renamed(document: Any, old: str, key: str) -> Any:
    """The document with `key` in place of `old`, which earlier versions wrote."""
    if isinstance(document, dict) and old in document:
        document = dict(document)
        document.setdefault(key, document.pop(old))
    return document


def inverted(document: Any, old: str, key: str) -> Any:
    """The document with `key` in place of its inverse `old`, which earlier versions wrote."""
    if isinstance(document, dict) and document.get(old):
        document = document | {old: 1 / document[old]}
    return renamed(document, old, key)


class Model(BaseModel):
    """Frozen model that refuses unknown keys. Pydantic builds its validator on first use, because a
    command imports many models and uses few."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        defer_build=True,
        alias_generator=AliasGenerator(validation_alias=_either),
    )

    def __str__(self) -> str:
        return text_of(self).rstrip("\n")

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Return the schema, in which the keys of earlier versions are deprecated."""
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for key in list(properties):
            if (before := earlier(key)) != key:
                about = f"The old name of `{key}`, read until version 1.0."
                properties[before] = {"deprecated": True, "description": about}
        return schema

    def replace(self, **changes: Any) -> Self:
        """Return a copy with other values of some fields, which are not validated."""
        return self.model_copy(update=changes)
