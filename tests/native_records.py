"""Records of the compiled core with their fields, which their classes take one by one."""

from __future__ import annotations

from typing import Any, TypeVar

from waywiser.native import _native as native

Kind = TypeVar("Kind")


def record(kind: type[Kind], /, **fields: Any) -> Kind:
    result = kind()
    for name, value in fields.items():
        setattr(result, name, value)
    return result


def stride(first: int, step: int, count: int) -> native.Stride:
    return record(native.Stride, first=first, stride=step, count=count)
