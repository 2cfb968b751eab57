"""Environment variables that a study sets: which library reads them, and which was meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checked_study import READERS, remarks_of, study_directory, study_of
from waywiser.study.configurations import configurations_of
from waywiser.study.rules.known_variables import DOCUMENTED, FAMILIES
from waywiser.study.rules.subject import Subject
from waywiser.study.rules.variables import edit_distance, meant_by, variables_here


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return study_directory(tmp_path)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("XDMFWRITE_ALIGNMNET", "XDMFWRITER_ALIGNMENT"),
        ("OMP_NUM_THREAD", "OMP_NUM_THREADS"),
        ("omp_num_threads", "OMP_NUM_THREADS"),
        ("OMP_PROCBIND", "OMP_PROC_BIND"),
        ("I_MPI_FABRIC", "I_MPI_FABRICS"),
        ("I_MPI_PIN_DOMIAN", "I_MPI_PIN_DOMAIN"),
        ("UCX_TSL", "UCX_TLS"),
        ("FI_PROVDER", "FI_PROVIDER"),
        ("GOMP_CPU_AFINITY", "GOMP_CPU_AFFINITY"),
        ("OMPI_MCA_blt", "OMPI_MCA_btl"),
        ("MPICH_ASYNC_PROGRES", "MPICH_ASYNC_PROGRESS"),
        ("OMP_NUM_THREADS", ""),
        ("MY_THREADS", ""),
        ("PATH", ""),
        ("OMP_TOOLS_OF_MINE", ""),
        ("UCX_RNDV_FRAG_SIZE", ""),
    ],
)
def test_the_variable_that_was_meant_is_named(name: str, meant: str) -> None:
    assert meant_by(name) == meant


def test_no_documented_variable_is_taken_for_another() -> None:
    assert [name for name in sorted(DOCUMENTED) if meant_by(name)] == []


@pytest.mark.parametrize("library", ["openmpi", "mpich", "impi"])
def test_no_variable_of_a_library_is_taken_for_another_where_it_is_not_here(library: str) -> None:
    """A login node without its module has no library; the names here are the library's own."""
    study = study_of(f"mpi = {{{library} = {{}}}}")
    here = variables_here(Subject(study, configurations_of(study), Path(), READERS), library)
    prefixes = {"openmpi": "OMPI_MCA_", "mpich": "MPIR_CVAR_", "impi": "I_MPI_"}
    names = sorted(name for name in here if name.startswith(prefixes[library]))

    assert len(names) > 400
    assert {name: meant for name in names if (meant := meant_by(name))} == {}


def test_documented_names_begin_as_their_family_does() -> None:
    for family in FAMILIES:
        assert [n for n in family.names.split() if not n.startswith(family.prefixes)] == []


@pytest.mark.parametrize(
    ("library", "known", "unknown"),
    [
        ("openmpi", "OMPI_MCA_btl_sm_backing_directory", "OMPI_MCA_btl_sm_baking_directory"),
        ("mpich", "MPIR_CVAR_BARRIER_INTRA_ALGORITHM", "MPIR_CVAR_BARIER_INTRA_ALGORITHM"),
        ("impi", "I_MPI_HYDRA_GDB_ARGS", "I_MPI_HYDRA_GBD_ARGS"),
    ],
)
def test_a_library_that_is_here_tells_its_own_variables(
    library: str, known: str, unknown: str, directory: Path
) -> None:
    assert {known, unknown}.isdisjoint(DOCUMENTED)

    def remarks(name: str) -> list[str]:
        changes = f'mpi = {{{library} = {{environment = {{{name} = "1"}}}}}}'
        misspelt = remarks_of("a misspelt variable of a known library", changes, directory)
        return [remark.text for remark in misspelt]

    assert remarks(known) == []
    assert remarks(unknown) == [f"no library reads {unknown}; {known} is probably meant"]


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [
        ("", "", 0),
        ("abc", "abc", 0),
        ("abc", "acb", 1),
        ("abc", "ab", 1),
        ("abc", "xabc", 1),
        ("abc", "abd", 1),
        ("abcd", "badc", 2),
        ("abc", "xyz", 3),
        ("abc", "uvwxyz", 4),
    ],
)
def test_slips_are_counted(first: str, second: str, distance: int) -> None:
    assert edit_distance(first, second, 3) == distance
    assert edit_distance(second, first, 3) == distance
