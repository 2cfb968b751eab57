"""Writes docs/reference/*.schema.json from the models; `--check` fails where they differ."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from waywiser.model.advice import Advice
from waywiser.model.base import Model
from waywiser.model.calibration import CalibrationReport
from waywiser.model.comparison import SetComparison
from waywiser.model.export import Export
from waywiser.model.findings import Findings
from waywiser.model.machine_figures import MachineComparison, MachineFigures, MachineList
from waywiser.model.machinery import Machinery
from waywiser.model.mesh import CutMesh, MadeMesh
from waywiser.model.placement import Placement, PlacementCheck
from waywiser.model.run import Run
from waywiser.model.status import StudyStatus
from waywiser.model.summary import Summary
from waywiser.model.tuning import Tuning
from waywiser.model.usage import Usage
from waywiser.model.validation import ValidationReport
from waywiser.model.waits import Waits
from waywiser.model.whatif import WhatIf

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"

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
    "machine-show": MachineFigures,
    "machine-compare": MachineComparison,
    "machine-calibrate": CalibrationReport,
    "machine-validate": ValidationReport,
    "machine-usage": Usage,
    "place": Placement,
    "place-verify": PlacementCheck,
    "tune": Tuning,
    "whatif": WhatIf,
    "advise": Advice,
    "mesh": MadeMesh,
    "mesh-import": CutMesh,
}


VERSION = 1
"""Of the documents; raised when a reader of the old ones would be wrong about the new."""


def text_of(name: str, model: type[Model]) -> str:
    schema = model.model_json_schema(mode="serialization")
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:waywiser:{name}:{VERSION}",
    }
    return json.dumps(head | schema, indent=2) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check: bool = parser.parse_args().check
    stale = []
    for name, model in DOCUMENTS.items():
        path = REFERENCE / f"{name}.schema.json"
        if check:
            if not path.exists() or path.read_text(encoding="utf-8") != text_of(name, model):
                stale.append(path.name)
        else:
            REFERENCE.mkdir(parents=True, exist_ok=True)
            path.write_text(text_of(name, model), encoding="utf-8")
    if stale:
        print(f"docs/reference: {', '.join(stale)}: run `python tools/schemas.py`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
