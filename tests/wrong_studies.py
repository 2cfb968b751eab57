"""Studies with one mistake each, by the rule of `study check` that finds it: wrong_studies.txt has
what is changed of a study without a fault, the same put right, and the remark with its key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support import mpi_libraries


class Case(NamedTuple):
    rule: str
    wrong: str
    right: str
    says: str
    key: str


def _cases() -> Iterator[Case]:
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    for mpi in mpi_libraries():
        text = text.replace(f"${mpi.name.upper()}_MINIFE", str(mpi.program("ww-minife")))
        text = text.replace(f"${mpi.name.upper()}_MPIRUN", str(mpi.bin / "mpirun"))
    for section in text.removeprefix("# ").split("\n# "):
        rule, _, cases = section.partition("\n")
        for case in cases.strip().split("\n\n"):
            wrong, right, remark = (line.replace("\\n", "\n") for line in case.split("\n"))
            key, _, says = remark.partition(": ")
            yield Case(rule, wrong, right, says, key)


CASES = list(_cases())
