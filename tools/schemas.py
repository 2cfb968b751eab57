"""Writes the files that follow from native/trace/records/fields.hpp and from the models.

These are src/waywiser/model/recorded.py and, in docs/reference, the schema of all documents and the
rows of tables.md; `--check` fails if they differ.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic.json_schema import models_json_schema

from waywiser.api.tables import TABLES
from waywiser.model.advice import Advice
from waywiser.model.base import Model
from waywiser.model.calibration import CalibrationReport
from waywiser.model.comparison import SetComparison
from waywiser.model.export import Export
from waywiser.model.findings import Findings
from waywiser.model.machine_metrics import MachineComparison, MachineList, MachineMetrics
from waywiser.model.machinery import Machinery
from waywiser.model.mesh import CutMesh, GeneratedMesh
from waywiser.model.placement import Placement, PlacementCheck
from waywiser.model.run import Run
from waywiser.model.status import StudyStatus
from waywiser.model.summary import Summary
from waywiser.model.tuning import Tuning
from waywiser.model.usage import Usage
from waywiser.model.validation import ValidationReport
from waywiser.model.waits import Waits
from waywiser.model.whatif import WhatIf
from waywiser.native._native import NODE_FIELDS, RANK_FIELDS

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
SCHEMA = REFERENCE / "documents.schema.json"
RECORDED = ROOT / "src" / "waywiser" / "model" / "recorded.py"

_HEAD = '''"""Metrics of ranks and nodes, by tools/schemas.py from trace/records/fields.hpp."""

from __future__ import annotations

from waywiser.model.base import Model
'''

DOCUMENTS: dict[str, type[Model]] = {
    "run": Run,
    "show": Summary,
    "waits": Waits,
    "doctor": Machinery,
    "export": Export,
    "study-status": StudyStatus,
    "study-report": Findings,
    "compare": SetComparison,
    "machine-list": MachineList,
    "machine-show": MachineMetrics,
    "machine-compare": MachineComparison,
    "machine-calibrate": CalibrationReport,
    "machine-validate": ValidationReport,
    "machine-usage": Usage,
    "place": Placement,
    "place-verify": PlacementCheck,
    "tune": Tuning,
    "whatif": WhatIf,
    "advise": Advice,
    "mesh": GeneratedMesh,
    "mesh-import": CutMesh,
}


VERSION = 1
"""Version of the documents; raised if readers of old documents would misread new ones."""


def schema_text() -> str:
    """The schema of every document and type, each once; `$defs` begins with the documents by
    name."""
    mode: Literal["serialization"] = "serialization"
    models = [(model, mode) for model in DOCUMENTS.values()]
    _, types = models_json_schema(models)
    documents = {name: {"$ref": f"#/$defs/{model.__name__}"} for name, model in DOCUMENTS.items()}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:waywiser:documents:{VERSION}",
        "$defs": documents | _untitled(types["$defs"]),
    }
    return json.dumps(schema, indent=2) + "\n"


def _untitled(schema: Any) -> Any:
    """The schema without titles, which repeat the names."""
    if isinstance(schema, list):
        return [_untitled(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    titled = isinstance(schema.get("title"), str)
    return {k: _untitled(part) for k, part in schema.items() if k != "title" or not titled}


def recorded_text() -> str:
    """The models of a profile's records of a rank and of a node."""
    text = _HEAD
    for name, fields in (("RankMetrics", RANK_FIELDS), ("NodeMetrics", NODE_FIELDS)):
        text += f"\n\nclass {name}(Model):\n" + "\n".join(_attribute(*field) for field in fields)
    return text


def _attribute(name: str, kind: str, optional: bool, about: str) -> str:
    may_be_null = ("", "") if not optional else (" | None = None", "; null where not known")
    return (
        f"    {name}: {kind}{may_be_null[0]}\n"
        f'    """{about[0].upper()}{about[1:]}{may_be_null[1]}."""\n'
    )


def tables_text(text: str) -> str:
    """The page of the tables, with rows from their columns."""
    for name, table in TABLES.items():
        begin = text.index("|---|---|---|\n", text.index(f"\n## {name}\n")) + len("|---|---|---|\n")
        end = re.compile(r"^(?!\|)|\Z", re.M).search(text, begin)
        assert end is not None  # the end of the text, if nothing else
        rows = (
            f"| `{column}` | {kind} | {about} |\n"
            for column, (kind, about) in table.columns.items()
        )
        text = text[:begin] + "".join(rows) + text[end.start() :]
    return text


def written() -> Iterator[tuple[Path, str]]:
    """Each file with its contents."""
    yield SCHEMA, schema_text()
    tables = REFERENCE / "tables.md"
    yield tables, tables_text(tables.read_text(encoding="utf-8"))


def is_stale(path: Path, text: str) -> bool:
    return not path.exists() or path.read_text(encoding="utf-8") != text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check: bool = parser.parse_args().check
    recorded = recorded_text()
    if not check and is_stale(RECORDED, recorded):
        RECORDED.write_text(recorded, encoding="utf-8")
        os.execv(sys.executable, [sys.executable, *sys.argv])  # the models are of the old file
    stale = [path for path, text in [(RECORDED, recorded), *written()] if is_stale(path, text)]
    if check:
        if stale:
            names = ", ".join(str(path.relative_to(ROOT)) for path in stale)
            print(f"{names}: run `python tools/schemas.py`", file=sys.stderr)
        return 1 if stale else 0
    for path, text in written():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
