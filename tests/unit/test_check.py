"""The command of `make check`: tests that a change reaches, within a limit of time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT
from tools import check

TREE = {
    "pytest.ini": "[pytest]\npythonpath = . src\nmarkers = alone\n  long\n",
    "src/waywiser/near.py": "",
    "src/waywiser/far.py": "from waywiser import near\n",
    "src/waywiser/cli/say_it.py": "from waywiser.far import nothing\n",
    "tests/support.py": "",
    "tests/unit/conftest.py": "",
    "tests/unit/test_far.py": "def test_it():\n    import waywiser.far\n",
    "tests/unit/test_near.py": "from waywiser.near import x as y\n",
    "tests/unit/test_none.py": "import json\n",
    "tests/system/test_verb.py": 'call("say-it", "what")\n',
    "tests/system/test_program.py": 'program = "ww-stones"  # page.md\n',
    "tests/system/programs/one.c": "",
    "native/workloads/stones/main.cpp": "",
    "docs/page.md": "",
}

SMALL = """
import sys
from pathlib import Path
from tools import check, run_tests
check.ROOT = run_tests.ROOT = Path(sys.argv.pop(1))
check.TIMES = check.ROOT / "checked.xml"
check.TO_END = 0
check.style = lambda changed: []
sys.exit(check.main())
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small project, committed."""
    for name, text in TREE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for words in ("init -q", "add -A", "-c user.name=n -c user.email=e commit -qm first"):
        subprocess.run(["git", *words.split()], cwd=tmp_path, check=True)
    return tmp_path


def checked(tree: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SMALL, str(tree), *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


REACHED = {
    "src/waywiser/near.py": ["unit/test_near", "unit/test_far", "system/test_verb"],
    "src/waywiser/far.py": ["unit/test_far", "system/test_verb"],
    "src/waywiser/cli/say_it.py": ["system/test_verb"],
    "tests/unit/conftest.py": ["unit/test_far", "unit/test_near", "unit/test_none"],
    "tests/unit/test_none.py": ["unit/test_none"],
    "native/workloads/stones/main.cpp": ["system/test_program"],
    "docs/page.md": ["system/test_program"],
    "tests/support.py": [],
}


@pytest.mark.parametrize("changed", REACHED)
def test_a_change_reaches_what_imports_or_names_it_the_nearest_first(
    tree: Path, changed: str
) -> None:
    assert checked(tree, "--list").stdout == "\n"
    with (tree / changed).open("a") as file:
        file.write("\n")

    listed = checked(tree, "--list")

    assert listed.stdout.split() == [f"tests/{name}.py" for name in REACHED[changed]], listed.stderr


def test_new_files_count_and_so_does_what_was_committed_since_a_branch(tree: Path) -> None:
    subprocess.run(["git", "branch", "base"], cwd=tree, check=True)
    (tree / "tests/unit/test_new.py").write_text("")
    assert checked(tree, "--list").stdout.split() == ["tests/unit/test_new.py"]

    for words in ("add -A", "-c user.name=n -c user.email=e commit -qm second"):
        subprocess.run(["git", *words.split()], cwd=tree, check=True)
    assert checked(tree, "--list").stdout.split() == []
    assert checked(tree, "--list", "--base", "base").stdout.split() == ["tests/unit/test_new.py"]


def test_of_equally_near_ones_the_cheap_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "TIMES", tmp_path / "checked.xml")
    cases = {"costly": 9.0, "cheap": 0.5}
    lines = (
        f'<testcase classname="tests.unit.test_{name}" name="test_a" time="{seconds}" />'
        for name, seconds in cases.items()
    )
    (tmp_path / "tests-computing.xml").write_text(f"<suite>{''.join(lines)}</suite>")
    away = {"tests/unit/test_far.py": 2} | {f"tests/unit/test_{name}.py": 1 for name in cases}

    order = check.in_order(away)

    assert order == [f"tests/unit/test_{name}.py" for name in ("cheap", "costly", "far")]


def test_a_test_that_fails_counts(tree: Path) -> None:
    (tree / "tests/unit/test_near.py").write_text("def test_it(): assert 0\n")

    done = checked(tree)

    assert done.returncode == 1
    assert "FAILED tests/unit/test_near.py::test_it" in done.stdout
    assert "not run" not in done.stdout


def test_what_there_was_no_time_for_is_reported(tree: Path) -> None:
    for name in "abc":
        slow = "import time\ndef test_it(): time.sleep(1000)\n"
        (tree / f"tests/unit/test_{name}.py").write_text(slow)

    done = checked(tree, "--seconds", "5")

    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith("check: not run: 3 of 3 files: tests/unit/test_a.py ")
