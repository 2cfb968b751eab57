"""Fixtures of all tests: the MPI libraries that are installed, and the command under test."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import cast

import pytest

from tests.support import MpiLibrary, Waywiser, mpi_libraries

INTEL = "impi"

# A shell ignores the signal in what it starts in the background, and so would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`mpi` is one library of each family in turn; with the mark `every_mpi`, also Intel's, which
    is of MPICH's."""
    if "mpi" in metafunc.fixturenames:
        libraries = libraries_of(metafunc.definition)
        metafunc.parametrize("mpi", libraries, ids=lambda library: library.name)


def libraries_of(item: pytest.Item) -> list[MpiLibrary]:
    marked = item.get_closest_marker("every_mpi") is not None
    return [mpi for mpi in mpi_libraries() if marked or mpi.name != INTEL]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With the mark `in_turn`, a file's tests and their cases are the libraries' in turn, as in a
    Latin square; the same cases under the other libraries tell little more, and are `long`."""
    seen = Counter[tuple[Path, str]]()
    for item in items:
        function = cast("pytest.Function", item)
        if item.get_closest_marker("in_turn") is None or "mpi" not in function.fixturenames:
            continue
        library = cast("MpiLibrary", function.callspec.params["mpi"])
        number, libraries = seen[item.path, library.name], libraries_of(item)
        seen[item.path, library.name] += 1
        if libraries.index(library) != (number + number // len(libraries)) % len(libraries):
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def openmpi() -> MpiLibrary:
    """One library, where which one it is does not matter."""
    return next(library for library in mpi_libraries() if library.name == "openmpi")


@pytest.fixture
def waywiser(tmp_path: Path) -> Waywiser:
    """The installed command, run in an empty folder."""
    return Waywiser(tmp_path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI (FAIL_ON_SKIP) a skipped test is a failed one: there, everything is installed."""
    report = yield
    if report.skipped and os.environ.get("FAIL_ON_SKIP"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and FAIL_ON_SKIP is set"
    return report
