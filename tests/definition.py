"""Apptainer definitions, read as Apptainer does: a header, then sections."""

from __future__ import annotations

import re
from pathlib import Path


def sections(definition: Path) -> dict[str, str]:
    """Section -> its lines; the header has no name."""
    header, *rest = re.split(r"^%(\w+)\n", definition.read_text(encoding="utf-8"), flags=re.M)
    return {"": header, **dict(zip(rest[::2], rest[1::2], strict=True))}
