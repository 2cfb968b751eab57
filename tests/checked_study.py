"""A study without a fault, and what `study check` says when something of it is changed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support import executable
from waywiser.model.study import Study
from waywiser.study.check import RULES
from waywiser.study.configurations import configurations_of
from waywiser.study.remark import Remark
from waywiser.study.rules.subject import Subject

READERS = {"lammps": "loop_time"}
BASE = """
title = "A study without a fault"
mpi = ["openmpi"]
[application.app]
program = "./app"
inputs = ["data.txt"]
[application.app.metrics.time]
pattern = "([0-9]+) s"
unit = "s"
better = "lower"
[axes]
ranks = [1, 2]
[resources]
cores_per_node = 8
"""


def study_directory(path: Path) -> Path:
    """Makes a study's directory: a program, an input, and another of the same name."""
    executable(path / "app", "#!/bin/sh\n")
    (path / "data.txt").write_text("")
    (path / "directory").mkdir()
    (path / "directory" / "data.txt").write_text("")
    return path


def merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with what `changes` says otherwise; the application is another if its name is."""
    result = dict(base)
    for key, value in changes.items():
        old = result.get(key)
        if key == "application" and isinstance(old, dict) and not old.keys() & value.keys():
            result[key] = value
        else:
            both = isinstance(value, dict) and isinstance(old, dict)
            result[key] = merged(old or {}, value) if both else value
    return result


def study_of(changes: str) -> Study:
    base = tomllib.loads(BASE)
    base["mpi"] = {name: {} for name in base["mpi"]}
    return Study.model_validate(merged(base, tomllib.loads(changes)))


def remarks_of(rule: str, changes: str, directory: Path) -> list[Remark]:
    study = study_of(changes)
    return list(
        dict.fromkeys(RULES[rule](Subject(study, configurations_of(study), directory, READERS)))
    )
