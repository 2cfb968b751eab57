"""--callsites: each call is counted at the place in the program that made it."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import PROGRAMS, TRANSPORT

pytestmark = pytest.mark.in_turn

RANKS = 2
CALLS_OF_FIRST = 2
"""Number of calls of `first` in main."""

Sites = Counter[tuple[str, str]]
"""Calls by function and place."""


def _expected(source: str) -> Sites:
    """Calls in marks at the ends of lines: "first: 3 MPI_Bcast" for each rank and call of first."""
    sites: Sites = Counter()
    for number, line in enumerate((PROGRAMS / source).read_text().splitlines(), start=1):
        mark = re.search(r"(?:/\*|!) ([\w:]+): (\d+) (MPI_\w+)(?: \*/)?$", line)
        if mark:
            function, calls, name = mark.groups()
            alone = name in ("MPI_Send", "MPI_Recv")  # one rank sends, the other receives
            times = CALLS_OF_FIRST if function == "first" else 1
            place = f"{function} at {source}:{number}"
            sites[name, place] += int(calls) * times * (1 if alone else RANKS)
    assert sites
    return sites


def _profile(
    waywiser: Waywiser, mpi: MpiLibrary, program: Path, run: str = "run"
) -> dict[str, Any]:
    waywiser.succeeds(
        *("profile", "-o", run, "--callsites", "--", *mpi.command(RANKS, program)),
        env=TRANSPORT.get(mpi.suffix),
    )
    return waywiser.show(run)


def _sites(document: dict[str, Any], names: set[str]) -> Sites:
    sites: Sites = Counter()
    for site in document["call_sites"]:
        if site["function"] in names:
            sites[site["function"], site["place"]] += site["calls"]
    return sites


def _check_sums(document: dict[str, Any]) -> None:
    """Every call has its site: sites add up to what is counted without them."""
    for name, function in document["functions"].items():
        own = [site for site in document["call_sites"] if site["function"] == name]
        for key in ("calls", "bytes", "receive_bytes"):
            assert sum(site[key] for site in own) == function[key], (name, key)
        assert sum(site["seconds"] for site in own) == pytest.approx(function["seconds"], abs=1e-6)


NAMES = {"MPI_Bcast", "MPI_Send", "MPI_Recv", "MPI_Allreduce"}


def test_each_call_is_at_its_line(mpi: MpiLibrary, waywiser: Waywiser) -> None:
    program = mpi.build(PROGRAMS / "sites.c", waywiser.directory / "sites")

    document = _profile(waywiser, mpi, program)

    assert _sites(document, NAMES) == _expected("sites.c")
    _check_sums(document)
    [send] = [site for site in document["call_sites"] if site["function"] == "MPI_Send"]
    assert (send["ranks"], send["most"]["rank"]) == (1, 0)
    assert Path(send["module"]) == program


def test_without_debug_information_the_function_is_named(
    mpi: MpiLibrary, waywiser: Waywiser
) -> None:
    # "-g0" comes after the "-g" that all test programs are built with.
    program = mpi.build(PROGRAMS / "sites.c", waywiser.directory / "sites", "-g0")

    document = _profile(waywiser, mpi, program)

    expected: Sites = Counter()
    for (name, place), calls in _expected("sites.c").items():
        expected[name, place.split(" at ")[0]] += calls
    assert _sites(document, NAMES) == expected
    _check_sums(document)


def test_a_stripped_program_has_addresses(mpi: MpiLibrary, waywiser: Waywiser) -> None:
    program = mpi.build(PROGRAMS / "sites.c", waywiser.directory / "sites")
    known = _profile(waywiser, mpi, program, "known")
    subprocess.run(["strip", str(program)], check=True)

    document = _profile(waywiser, mpi, program)

    assert {site["place"] for site in document["call_sites"]} <= {None, ""}
    assert _calls_by_address(document) == _calls_by_address(known)


def _unnamed(waywiser: Waywiser, mpi: MpiLibrary, name: str) -> list[dict[str, Any]]:
    """The sites of MPI_Barrier in a stripped library that a program calls."""
    shared = mpi.build(PROGRAMS / name, waywiser.directory / "libgap.so", "-shared", "-fPIC", "-g0")
    subprocess.run(["strip", str(shared)], check=True)
    program = mpi.build(
        PROGRAMS / name,
        waywiser.directory / "gap",
        *("-DMAIN", str(shared), f"-Wl,-rpath,{waywiser.directory}"),
    )
    sites = _profile(waywiser, mpi, program)["call_sites"]
    return [site for site in sites if site["function"] == "MPI_Barrier"]


def test_a_name_is_given_only_where_its_symbol_covers_the_address(
    mpi: MpiLibrary, waywiser: Waywiser
) -> None:
    """The nearest symbol before the address is here that of a function which calls nothing."""
    sites = _unnamed(waywiser, mpi, "sites_stripped.c")

    named = Counter({site["place"]: 0 for site in sites})
    for site in sites:  # a compiler may unroll the loop
        named[site["place"]] += site["calls"]
    assert named == {None: 3 * RANKS, "visible": RANKS}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="assembly of x86-64")
def test_assembly_without_sizes_has_offsets(mpi: MpiLibrary, waywiser: Waywiser) -> None:
    sites = _unnamed(waywiser, mpi, "sites_assembly.c")

    assert [site["place"] for site in sites] == [None]


def _calls_by_address(document: dict[str, Any]) -> Counter[tuple[str, str]]:
    calls: Counter[tuple[str, str]] = Counter()
    for site in document["call_sites"]:
        calls[site["function"], site["address"]] += site["calls"]
    return calls


def test_a_shared_library_has_sites_of_its_own(mpi: MpiLibrary, waywiser: Waywiser) -> None:
    shared = mpi.build(
        PROGRAMS / "sites_library.c", waywiser.directory / "libsites.so", "-shared", "-fPIC"
    )
    program = mpi.build(
        PROGRAMS / "sites.c",
        waywiser.directory / "sites",
        *("-DLIBRARY", str(shared), f"-Wl,-rpath,{waywiser.directory}"),
    )

    document = _profile(waywiser, mpi, program)

    assert _sites(document, {"MPI_Barrier"}) == _expected("sites_library.c")
    assert _sites(document, NAMES) == _expected("sites.c")
    barriers = [site for site in document["call_sites"] if site["function"] == "MPI_Barrier"]
    assert {Path(site["module"]) for site in barriers} == {shared}


@pytest.mark.parametrize("form", [1, 2, 3], ids=["mpif.h", "mpi", "mpi_f08"])
def test_fortran_calls_are_at_the_programs_lines(
    debian: MpiLibrary, waywiser: Waywiser, form: int
) -> None:
    """The library's Fortran layer, from which some calls come, does not appear as their site."""
    if shutil.which("gfortran") is None:
        pytest.skip("no Fortran compiler (gfortran)")
    program = debian.build(
        PROGRAMS / "sites.F90",
        waywiser.directory / "sites",
        # Binutils 2.40 knows the line of an inlined procedure, but gives the program's name.
        *(
            f"-DFORM={form}",
            f"-J{waywiser.directory}",
            "-w",
            "-fallow-argument-mismatch",
            "-fno-inline",
            "-ffree-line-length-none",
        ),
    )

    document = _profile(waywiser, debian, program)

    assert _sites(document, {"MPI_Bcast", "MPI_Allreduce"}) == _expected("sites.F90")
    _check_sums(document)
