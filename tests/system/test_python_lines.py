"""Call sites of programs in Python: the line that called mpi4py."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser, captured
from tests.system.conftest import PROGRAMS
from tests.system.test_mpi4py import PYTHON, settings_of
from waywiser.native._native import TraceFile

RANKS = 2
EXEC_LINES = 40

Sites = Counter[tuple[str, str]]
"""Calls by function and place."""


def expected_sites(source: Path, ranks: int) -> Sites:
    """Calls in marks at the ends of lines: "collect: 3 Barrier" for each rank."""
    sites: Sites = Counter()
    for number, line in enumerate(source.read_text().splitlines(), start=1):
        mark = re.search(r"# ([\w.<>]+): (\d+) (\w+)$", line)
        if mark:
            function, calls, name = mark.groups()
            sites[f"MPI_{name}", f"{function} at {source.name}:{number}"] += int(calls) * ranks
    assert sites
    return sites


def sites_in(document: dict[str, Any], *files: str) -> Sites:
    sites: Sites = Counter()
    for site in document["call_sites"]:
        place = (site["place"] or "").replace(".<locals>", "")
        if re.search(rf" at ({'|'.join(map(re.escape, files))}):", place):
            sites[site["function"].removesuffix("_c"), place] += site["calls"]
    return sites


@pytest.mark.every_mpi
@pytest.mark.in_turn
def test_calls_through_mpi4py_are_at_lines_of_python(mpi: MpiLibrary, waywiser: Waywiser) -> None:
    source = PROGRAMS / "mpi4py_lines.py"

    waywiser.succeeds(
        *("profile", "-o", "run", "--callsites", "--trace", "--"),
        *mpi.command(RANKS, PYTHON, source),
        env=settings_of(mpi, "file"),
    )

    document = waywiser.show()
    sites = sites_in(document, source.name)
    assert {
        site: calls for site, calls in sites.items() if site[0] in ("MPI_Barrier", "MPI_Allreduce")
    } == (expected_sites(source, RANKS))
    # A statement of several lines is where its call begins; what importing calls is at the import.
    places = {place for function, place in sites if function in ("MPI_Bcast", "MPI_Init_thread")}
    assert places == {"Solver.step.inner at mpi4py_lines.py:22", "<module> at mpi4py_lines.py:6"}
    result = sites_in(document, *(f"made-{i}.py" for i in range(EXEC_LINES)))
    assert result == {
        ("MPI_Barrier", f"<module> at made-{i}.py:{i + 1}"): RANKS for i in range(EXEC_LINES)
    }
    trace = TraceFile(str(waywiser.directory / "run" / "trace" / "trace.ww"))
    assert {place for _, place in sites} <= {
        site.place.replace(".<locals>", "") for site in trace.job.call_sites
    }
    [site] = [s for s in document["call_sites"] if s["place"] == "collect at mpi4py_lines.py:13"]
    assert (site["module"], site["ranks"]) == (str(source), RANKS)


def _pythons() -> list[str]:
    """Interpreters whose lines are known: this one, and others that are installed."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    others = [
        next(iter(sorted(pyenv.glob(f"3.{minor}.*/bin/python3"))), f"python3.{minor}")
        for minor in (12, 13)
    ]
    return [sys.executable, *map(str, others)]


@pytest.mark.parametrize("python", _pythons(), ids=["here", "3.12", "3.13"])
def test_each_version_of_python_whose_layout_is_known(
    openmpi: MpiLibrary, waywiser: Waywiser, python: str
) -> None:
    ask = "import sysconfig as s; print(s.get_path('include'), s.get_config_var('EXT_SUFFIX'))"
    try:
        requested = captured([python, "-c", ask], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip(f"no {python}")
    include, suffix = requested.stdout.split()
    if not Path(include, "Python.h").exists():
        pytest.skip(f"no headers of {python}")
    package = waywiser.directory / "mpi4py"
    package.mkdir()
    (package / "__init__.py").touch()
    openmpi.build(
        PROGRAMS / "mpi_stub.c", package / f"MPI{suffix}", "-shared", "-fPIC", f"-I{include}"
    )
    source = PROGRAMS / "mpi_stub_lines.py"

    waywiser.succeeds(
        *("profile", "-o", "run", "--callsites", "--"),
        *openmpi.command(1, python, source),
        env={"PYTHONPATH": str(waywiser.directory)},
    )

    document = waywiser.show()
    sites = sites_in(document, source.name, "größe-数.py")
    expected = expected_sites(source, 1)
    expected["MPI_Barrier", "<module> at größe-数.py:3"] = 1
    expected["MPI_Init", "<module> at mpi_stub_lines.py:5"] = 1
    assert sites == expected
    # The end of the interpreter keeps the place in the module.
    rest = {(name, place.partition(" at ")[0]) for name, place in sites_in(document, "mpi_stub.c")}
    assert rest == {("MPI_Finalize", "finish")}
