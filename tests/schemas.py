"""The schema of the reference, by which documents are checked."""

from __future__ import annotations

import json

import jsonschema

from tests.support import ROOT

SCHEMA = json.loads((ROOT / "docs" / "reference" / "documents.schema.json").read_text("utf-8"))


def assert_fits(document: object, name: str) -> None:
    """Whether a document is what the schema says of the documents of this name."""
    jsonschema.validate(document, SCHEMA | {"$ref": f"#/$defs/{name}"})
