"""The mistakes in a user's file, in one sentence that names every wrong key."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from waywiser.model.base import Model


def mistakes(error: ValidationError, whole: type[Model], tables: Mapping[str, type[Model]]) -> str:
    """Name each wrong key with its mistake and the accepted values.

    Args:
        whole: the model of the file.
        tables: models of its tables by their names, to say which keys are accepted.
    """
    messages: dict[str, str] = {}
    for mistake in error.errors():
        # A union reports each of its members; the first is enough, and their names say nothing.
        place = [str(part) for part in mistake["loc"] if not _of_union(str(part))]
        key = ".".join(place) or "the file"
        if mistake["type"] == "extra_forbidden":
            model = whole
            for part in place[:-1]:
                model = tables.get(part, model)
            text = f"unknown key, expected one of {', '.join(sorted(model.model_fields))}"
        else:
            text = mistake["msg"].removeprefix("Value error, ")
        messages.setdefault(key, text)
    return "; ".join(
        f"{key}: {text}" if key != "the file" else text for key, text in messages.items()
    )


def _of_union(part: str) -> bool:
    return part in {"Level", "bool", "int", "float", "str"} or "[" in part
