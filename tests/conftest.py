"""Fixtures of all tests: the MPI libraries that are installed, and the command under test."""

from __future__ import annotations

import gc
import os
import resource
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests import default_signals
from tests.support import ALLOWANCES, MpiLibrary, Waywiser, mpi_libraries, mpi_library
from tests.terminal import Terminal
from waywiser import progress

INTEL = "impi"
USED_BEFORE = pytest.StashKey[float]()

default_signals.restore()
# `study check` in this process refuses Open MPI's launcher for root without these variables.
os.environ |= {name: value for name, value in ALLOWANCES.items() if "ALLOW_RUN_AS_ROOT" in name}


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
    """The mark `in_turn` gives a file's tests and their cases to the libraries in turn, as in a
    Latin square. The same cases under the other libraries tell little more, and are `long`."""
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


def pytest_collection_finish() -> None:
    """Modules and tests stay: no collection of garbage need look at them again."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Unfreezes objects, which nanobind would otherwise report as leaked."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def openmpi() -> MpiLibrary:
    """A library for tests to which the library does not matter."""
    return mpi_library("openmpi")


@pytest.fixture
def waywiser(tmp_path: Path) -> Waywiser:
    """The installed command, run in an empty directory."""
    return Waywiser(tmp_path)


def processor_seconds() -> float:
    """Used so far by this process and by what it has started and waited for."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    item.stash[USED_BEFORE] = processor_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Processor time goes into the junit report, for `tools/test_times.py`.

    In CI (FAIL_ON_SKIP) a skipped test is a failed one: there, everything is installed.
    """
    if call.when == "teardown":
        used = processor_seconds() - item.stash[USED_BEFORE]
        item.user_properties.append(("processor_seconds", f"{used:.3f}"))
    report = yield
    if report.skipped and os.environ.get("FAIL_ON_SKIP"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and FAIL_ON_SKIP is set"
    return report


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    shown = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=shown))
    monkeypatch.setattr(progress, "EVERY_SECONDS", 0.001)
    return shown


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST_SECONDS", 0.001)
