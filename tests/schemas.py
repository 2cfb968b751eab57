"""The schema of the reference, by which documents are checked."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
SCHEMA = json.loads((REFERENCE / "documents.schema.json").read_text("utf-8"))


def assert_fits(document: object, name: str) -> None:
    """Checks a document against the schema of this name."""
    jsonschema.validate(document, SCHEMA | {"$ref": f"#/$defs/{name}"})
