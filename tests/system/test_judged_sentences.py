"""The tests that the tables of sentences name fail where the sentence is another one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sentences import PACKAGE, TABLES, table
from tests.support import ROOT

BREAKER = ROOT / "tests" / "broken"


def judged() -> Iterator[tuple[str, str, str]]:
    """Module, sentence and test; those of `tests/sentence_runs` are looked for already."""
    for path in sorted(TABLES.glob("*.toml")):
        for entry in table(path.stem):
            if entry.elsewhere:
                yield path.stem, entry.text, f"unit/{entry.sides[0]}"


JUDGED = list(judged())


def passed(*tests: str, **variables: str) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    run = subprocess.run(
        command, cwd=ROOT / "tests", env=os.environ | variables, capture_output=True
    )
    assert run.returncode in (0, 1), run.stdout.decode()
    return run.returncode == 0


@pytest.mark.long
def test_all_pass_with_the_sentences() -> None:
    assert passed(*sorted({test for _, _, test in JUDGED}))


@pytest.mark.long
@pytest.mark.parametrize(("module", "text", "test"), JUDGED, ids=lambda value: str(value)[:60])
def test_it_fails_without(module: str, text: str, test: str) -> None:
    file = PACKAGE / Path(*module.split(".")).with_suffix(".py")
    broken = {"PYTHONPATH": str(BREAKER), "BROKEN_SENTENCE": f"{file}\n{text}"}

    assert not passed(test, **broken)
