"""Fortran in its three forms, and C++, on Debian's libraries and, as far as its wheel has modules
for gfortran, on Intel's: the other wheels bring no Fortran."""

from __future__ import annotations

import functools
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser, cases, mpi_libraries
from tests.system.conftest import PROGRAMS, TRANSPORT, debian_library
from tests.system.ledger import Ledger
from waywiser.native._native import Load, RankProfile, read_profile

INT = 4
DOUBLE = 8
FORMS = {"mpif.h": 1, "mpi": 2, "mpi_f08": 3}
FORMS_OF = {"mpich": tuple(FORMS), "openmpi": tuple(FORMS), "impi": ("mpif.h", "mpi")}
FEW_FORMS = {"mpich": ("mpi",), "openmpi": ("mpif.h", "mpi_f08"), "impi": ("mpif.h",)}
"""Forms that `make test` tries: mpif.h and the module mpi call the same names of a library."""

ONE_LIBRARY = {"openmpi": FEW_FORMS["openmpi"]}

Document = dict[str, Any]


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Document]:
    """`forms("openmpi", "mpi_f08")`: the profile of fortran.F90 on that library in that form."""

    @functools.cache
    def profiled(name: str, form: str) -> Document:
        directory = tmp_path_factory.mktemp(f"fortran-{name}-")
        return _profile(_library(name), form, directory)

    return profiled


def _library(name: str) -> MpiLibrary:
    if shutil.which("gfortran") is None:
        pytest.skip("no Fortran compiler (gfortran)")
    wheels = {library.name: library for library in mpi_libraries()}
    return wheels["impi"] if name == "impi" else debian_library(name)


def _environment(library: MpiLibrary) -> dict[str, str]:
    """Intel's libmpifort finds libmpi where its vars.sh says, and nowhere else."""
    intel = {"LD_LIBRARY_PATH": str(library.bin.parent / "lib")}
    return intel if library.name == "impi" else TRANSPORT.get(library.suffix, {})


def _build(library: MpiLibrary, source: str, form: str, directory: Path) -> Path:
    options = [f"-DFORM={FORMS[form]}", f"-J{directory}", "-ffree-line-length-none"]
    # Without an interface the compiler sees one buffer passed under many types.
    options += ["-w", "-fallow-argument-mismatch"]
    return library.build(PROGRAMS / source, directory / Path(source).stem, *options)


def _profile(library: MpiLibrary, form: str, directory: Path) -> Document:
    program = _build(library, "fortran.F90", form, directory)
    settings = _environment(library)
    plain = library.run(3, program, directory / "file", env=settings)
    waywiser = Waywiser(directory)
    done = waywiser.profile(library.command(3, program, directory / "file"), env=settings)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "rank 2 has" in plain.stdout
    assert sorted(done.stdout.splitlines()) == sorted(plain.stdout.splitlines())
    return waywiser.show("run", "--per-rank")


def each(forms_of: Mapping[str, Sequence[str]]) -> list[str]:
    """A library and one of its forms."""
    return [f"{name} {form}" for name, forms in forms_of.items() for form in forms]


def together(forms_of: Mapping[str, Sequence[str]]) -> list[str]:
    """A library and its forms."""
    return [" ".join([name, *forms]) for name, forms in forms_of.items()]


@pytest.mark.parametrize("library", cases(each(FEW_FORMS), long=each(FORMS_OF)))
def test_fortran_counts_what_its_arguments_say(
    forms: Callable[[str, str], Document], library: str
) -> None:
    name, form = library.split()
    ledger = Ledger(3)
    for rank in ledger.ranks:
        _point_to_point(ledger, rank)
        _persistent(ledger, rank)
        _collectives(ledger, rank)
        _other(ledger, rank)

    ledger.check(
        forms(name, form),
        "MPI_Init_thread MPI_Get_count MPI_Mprobe MPI_Improbe MPI_Wait MPI_Waitall "
        "MPI_Request_free MPI_Op_create MPI_Op_free MPI_Barrier MPI_Cart_create MPI_Comm_free "
        "MPI_Alloc_mem MPI_Free_mem MPI_Win_create MPI_Win_fence MPI_Win_free MPI_Get_address "
        "MPI_Type_create_struct MPI_Type_commit MPI_Type_free MPI_Comm_split MPI_Comm_dup "
        "MPI_Comm_create_keyval MPI_Comm_free_keyval MPI_Comm_set_attr MPI_Comm_get_attr "
        "MPI_Comm_disconnect MPI_Comm_set_name MPI_Comm_get_name MPI_Get_processor_name "
        "MPI_Info_create MPI_Info_set MPI_Info_get MPI_Info_free MPI_File_open MPI_File_close "
        "MPI_Type_size",
    )


@pytest.mark.parametrize("library", cases(together(ONE_LIBRARY), long=together(FORMS_OF)))
def test_the_forms_have_one_profile(forms: Callable[[str, str], Document], library: str) -> None:
    """Every function, with those that carry nothing, and the matrix."""
    name, *some = library.split()
    first, *others = (_counted(forms(name, form)) for form in some)
    assert others
    for profile in others:
        assert profile == first


def _counted(document: Document) -> Document:
    functions = {
        name: (f["calls"], f["bytes"], f["receive_bytes"], [size[:2] for size in f["sizes"]])
        for name, f in document["functions"].items()
        if name != "MPI_Improbe"  # polled until a message is there
    }
    return {"functions": functions, "matrix": document["matrix"]}


@pytest.mark.parametrize("forms_of", cases(together(ONE_LIBRARY), long=together(FORMS_OF)))
def test_phases_and_synchronisation_are_those_of_c(waywiser: Waywiser, forms_of: str) -> None:
    name, *some = forms_of.split()
    library = _library(name)
    in_c = library.build(PROGRAMS / "stages.c", waywiser.directory / "stages-c")
    expected = _stages(library, waywiser, in_c, "c")
    for rank in expected:
        assert rank["entries"] == {1: 4, 2: 3, 7: 1}
        assert rank["synchronised"] == {
            *(("MPI_Allreduce", phase) for phase in (1, 2, 7)),
            *(("MPI_Bcast", 2), ("MPI_Alltoall", 7), ("MPI_Reduce", 7)),
        }

    for form in some:
        program = _build(library, "stages.F90", form, waywiser.directory)

        assert _stages(library, waywiser, program, f"fortran-{FORMS[form]}") == expected


def test_an_error_code_beyond_the_standards_arguments_arrives(waywiser: Waywiser) -> None:
    library = _library("mpich")
    program = library.build(PROGRAMS / "pcontrol.F90", waywiser.directory / "pcontrol")

    waywiser.succeeds(
        *("profile", "-o", "run", "--", *library.command(1, program)), env=_environment(library)
    )

    assert waywiser.show("run")["functions"]["MPI_Pcontrol"]["calls"] == 2


def _stages(library: MpiLibrary, waywiser: Waywiser, program: Path, run: str) -> list[Document]:
    """The ranks' profiles with --split-sync, without times."""
    waywiser.succeeds(
        *("profile", "-o", run, "--split-sync", "--", *library.command(3, program)),
        env=_environment(library),
    )
    profile = read_profile(str(waywiser.directory / run / "profile.ww"))
    return [_untimed(rank) for rank in profile.ranks]


def _untimed(rank: RankProfile) -> Document:
    def carried(load: Load) -> tuple[int, int, int]:
        return load.calls, load.bytes, load.receive_bytes

    (thread,) = rank.threads
    loads = {(function.name, function.phase): function.load for function in thread.functions}
    return {
        "entries": {phase.phase: phase.entries for phase in rank.phases},
        "functions": {key: carried(load) for key, load in loads.items()},
        "synchronised": {key for key, load in loads.items() if load.sync_ns > 0},
        "collectives": {
            (c.communicator, c.function, c.root): (carried(c.load), c.load.sync_ns > 0)
            for c in rank.collectives
        },
    }


def _point_to_point(ledger: Ledger, rank: int) -> None:
    left, right = (rank - 1) % 3, (rank + 1) % 3
    ledger.send(rank, "MPI_Send", right, INT * (10 + rank))
    ledger.call(rank, "MPI_Recv", posted=INT * 20)
    ledger.send(rank, "MPI_Sendrecv", right, INT * (15 + rank), posted=INT * 30)
    ledger.send(rank, "MPI_Sendrecv_replace", right, INT * 25, posted=INT * 25)
    ledger.call(rank, "MPI_Send")  # to MPI_PROC_NULL
    ledger.send(rank, "MPI_Isend", right, INT * 35)
    ledger.call(rank, "MPI_Mrecv", posted=INT * 40)
    for count in (8, 6):  # a column and a piece of a row
        ledger.send(rank, "MPI_Sendrecv", right, DOUBLE * count, posted=DOUBLE * count)
    ledger.call(rank, "MPI_Irecv", posted=INT * 50, times=2)
    ledger.send(rank, "MPI_Isend", right, INT * (20 + rank))
    ledger.send(rank, "MPI_Issend", right, INT * 30)
    ledger.send(rank, "MPI_Isend", right, INT * 31)
    ledger.call(rank, "MPI_Imrecv", posted=INT * 33)
    # In a communicator whose ranks are reversed, the next one is the left one.
    ledger.send(rank, "MPI_Sendrecv", left, INT * 45, posted=INT * 46)


def _persistent(ledger: Ledger, rank: int) -> None:
    right = (rank + 1) % 3
    sent = INT * (40 + rank)
    ledger.call(rank, "MPI_Recv_init")
    ledger.call(rank, "MPI_Send_init", times=2)
    ledger.call(rank, "MPI_Startall", sent=sent, posted=INT * 60, times=3)
    ledger.call(rank, "MPI_Start", posted=INT * 60, times=2)
    ledger.call(rank, "MPI_Start", sent=sent, times=2)
    ledger.message(rank, right, sent, 5)
    ledger.call(rank, "MPI_Start", sent=INT * 3)
    ledger.message(rank, right, INT * 3)
    ledger.call(rank, "MPI_Recv", posted=INT * 3)


def _collectives(ledger: Ledger, rank: int) -> None:
    def enter(name: str, sent: int, posted: int, unit: int = INT) -> None:
        ledger.call(rank, f"MPI_{name}", sent=unit * sent, posted=unit * posted)

    def size(peer: int) -> int:
        return DOUBLE if (rank + peer) % 2 else INT

    peers = range(3)
    enter("Bcast", 5 * (rank == 1), 5 * (rank != 1))
    enter("Gather", 3, 9 * (rank == 2))
    enter("Gatherv", rank + 1, 6 * (rank == 1))
    enter("Scatter", 18 * (rank == 2), 6)
    enter("Scatterv", 6 * (rank == 1), rank + 1)
    enter("Reduce", 9, 9 * (rank == 1))
    enter("Allgather", 2, 6)
    enter("Allgatherv", (3, 1, 2)[rank], 6)
    enter("Alltoall", 6, 6)
    enter("Alltoallv", sum(rank + 2 * p for p in peers), sum(p + 2 * rank for p in peers))
    enter(
        "Alltoallw",
        sum((rank + 2 * p) * size(p) for p in peers),
        sum((p + 2 * rank) * size(p) for p in peers),
        unit=1,
    )
    for name, count in (("Iallreduce", 4), ("Allreduce", 4), ("Allreduce", 6)):
        enter(name, count, count)
    enter("Scan", 5, 5)
    enter("Exscan", 6, 6)
    enter("Reduce_scatter", 6, rank + 1)
    enter("Reduce_scatter_block", 6, 2)
    enter("Neighbor_allgather", 2, 4)
    enter("Neighbor_alltoallv", 7, 7)
    # Two integers and two reals from MPI_BOTTOM.
    described = 2 * INT + 2 * DOUBLE
    enter("Bcast", described * (rank == 1), described * (rank != 1), unit=1)


def _other(ledger: Ledger, rank: int) -> None:
    for name, sent, posted in (
        ("Put", 3, 0),
        ("Get", 0, 4),
        ("Accumulate", 0, 0),  # to MPI_PROC_NULL
        ("Get_accumulate", 0, 6),  # MPI_NO_OP sends nothing
        ("Fetch_and_op", 1, 1),
        ("File_write_at", 12, 0),
        ("File_read_at", 0, 12),
    ):
        ledger.call(rank, f"MPI_{name}", sent=INT * sent, posted=INT * posted)


def test_cplusplus(debian: MpiLibrary, waywiser: Waywiser) -> None:
    try:
        program = debian.build(PROGRAMS / "objects.cpp", waywiser.directory / "objects", "-w")
    except subprocess.CalledProcessError:
        pytest.skip(f"{debian.name} was built without the C++ bindings")
    waywiser.profiles(debian.command(3, program), env=TRANSPORT.get(debian.suffix))
    ledger = Ledger(3)
    for rank in ledger.ranks:
        right = (rank + 1) % 3
        ledger.send(rank, "MPI_Isend", right, INT * (10 + rank))
        ledger.call(rank, "MPI_Recv", posted=INT * 20)
        ledger.call(rank, "MPI_Allreduce", sent=INT, posted=INT)
        ledger.send(rank, "MPI_Sendrecv", right, INT * 30, posted=INT * 31)

    document = waywiser.show("run", "--per-rank")
    # Open MPI's C++ library calls MPI_Initialized from its constructors, before the profiler's.
    ledger.check(document, "MPI_Wait MPI_Initialized")
    assert document["wall_seconds"] >= 0.05, "the program sleeps for that long"
