"""Readers of applications on original and changed outputs: see tests/cases/outputs.txt.

A case names an output of tests/golden/apps, `of NAME`, or `of NAME as READER`. Its lines in turn:

    PATTERN => TEXT       changes all that the expression matches, in standard output
    PATTERN =1> TEXT      the first
    file NAME             what follows is of this file
    add FILE TEXT         writes a file anew
    move FILE FILE, or copy FILE FILE
    after NAME FILE       puts a file behind that of another output
    NAME := EXPRESSION
    ! WORDS               are in the reason why nothing was read; without them there is none
    ~ WORDS               are in a remark
    = EXPRESSION          is true of what was read; `before` is what the output has unchanged
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.golden.cases import CASES
from tests.unit.test_apps_golden import GOLDEN, output_of
from tests.written_traces import Case, cases
from waywiser.apps.table import find
from waywiser.model.reading import Reading, Section

READERS = {case.directory: case.application for case in CASES}
CHANGE = re.compile(r"(.*?) =(1?)>(?: (.*))?")
EXPECTATION = re.compile(r"([!~=]) (.*)|(\w+) := (.*)")


def section(reading: Reading, name: str, parent: str | None = None) -> Section:
    (match,) = (s for s in reading.sections if (s.name, s.parent) == (name, parent))
    return match


def value(reading: Reading, name: str) -> float:
    metric = reading.metric(name)
    assert metric is not None, reading.failure
    return metric.value


def make(lines: list[str], directory: Path) -> str:
    """Leaves the changed output in the directory; returns the text of the file that was last."""
    current = directory / "stdout"
    for line in lines:
        word, *names = line.split(" ", 2)
        if word == "file":
            (current,) = directory.glob(names[0])
        elif word == "add":
            text = "".join(names[1:]).encode().decode("unicode_escape")
            (directory / names[0]).write_text(text, encoding="utf-8")
        elif word in ("move", "copy"):
            target = directory / names[1]
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.move if word == "move" else shutil.copy)(directory / names[0], target)
        elif word == "after":
            own = directory / names[1]
            own.write_bytes((GOLDEN / names[0] / names[1]).read_bytes() + own.read_bytes())
        else:
            match = CHANGE.fullmatch(line)
            assert match is not None, line
            pattern, once, text = match.groups()
            whole = current.read_text(encoding="utf-8")
            changed, count = re.subn(
                pattern, text or "", whole, count=int(once or 0), flags=re.MULTILINE
            )
            assert count, f"nothing matches {pattern}"
            current.write_text(changed, encoding="utf-8")
    return current.read_text(encoding="utf-8") if current.exists() else ""


@pytest.mark.parametrize("case", cases("outputs.txt"))
def test_what_is_read_of_an_output(tmp_path: Path, case: Case) -> None:
    _, name, *reader = case.lines[0].replace(" as ", " ").split(" ")
    expectations = [match for line in case.lines if (match := EXPECTATION.fullmatch(line))]
    copied = shutil.copytree(GOLDEN / name, tmp_path / "output")
    text = make([line for line in case.lines[1:] if not EXPECTATION.fullmatch(line)], copied)
    application = find(reader[0] if reader else READERS[name])

    reading = application.read(output_of(copied))

    before = find(READERS[name]).read(output_of(GOLDEN / name))
    names: dict[str, Any] = {
        **dict(reading),
        **{"application": application, "reading": reading, "before": before, "text": text},
        **{"about": pytest.approx, "re": re, "Section": Section},
        "section": lambda *of: section(reading, *of),
        "value": lambda of: value(reading, of),
        **{
            field: getattr(reading, field) for field in ("metrics", "sections", "series", "remarks")
        },
        "names": [part.name for part in reading.sections],
    }
    failing = False
    for mark, words, variable, expression in (match.groups() for match in expectations):
        failing |= mark == "!" or "failure" in (words or "")
        match mark:
            case "!":
                assert words in reading.failure
            case "~":
                assert any(words in remark for remark in reading.remarks), reading.remarks
            case "=":
                assert eval(words, names), (words, reading)
            case _:
                names[variable] = eval(expression, names)
    assert failing or reading.failure == ""
