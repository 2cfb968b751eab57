"""Tests that take turns with the MPI libraries: no case is left out, and no library."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.support import ROOT, mpi_libraries
from tests.system.test_virtual_windows import CASES

TEST = "tests/system/test_virtual_windows.py::test_epochs_wait_for_partners"


def collected(*options: str) -> list[tuple[str, str]]:
    """Library and case of each time that the test runs."""
    words = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*words, *options, TEST], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    return re.findall(r"\[(\w+)-(\w+)\]", done.stdout)


def test_what_needs_the_machine_alone_says_why() -> None:
    without_reason = re.compile(r"mark\.alone\b(?!\(\s*\"\w)")
    files = (ROOT / "tests").rglob("*.py")
    assert not [str(f) for f in files if without_reason.search(f.read_text(encoding="utf-8"))]


def test_each_case_has_a_turn_and_so_has_each_library() -> None:
    libraries = {library.name for library in mpi_libraries()}
    short, all_of_them = collected("-m", "not long"), collected()

    assert sorted(case for _, case in short) == sorted(CASES)
    assert {library for library, _ in short} == libraries
    assert sorted(all_of_them) == sorted((library, case) for library in libraries for case in CASES)
