"""The schema of the reference, by which documents are checked."""

from __future__ import annotations

import functools
import json
from pathlib import Path

from jsonschema import Draft202012Validator

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
SCHEMA = json.loads((REFERENCE / "documents.schema.json").read_text("utf-8"))


@functools.cache
def _validator(name: str) -> Draft202012Validator:
    """The validator of a document of this name; a test checks the schema itself once."""
    return Draft202012Validator(SCHEMA | {"$ref": f"#/$defs/{name}"})


def assert_fits(document: object, name: str) -> None:
    """Checks a document against the schema of this name."""
    _validator(name).validate(document)
