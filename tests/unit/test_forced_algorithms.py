"""Algorithms that settings of MPI libraries force, and the settings that force one."""

from __future__ import annotations

import pytest

from waywiser.analyse.whatif.collectives import algorithms
from waywiser.analyse.whatif.recorded import tunable
from waywiser.launch.tuning.forced import (
    SIMULATED,
    forced,
    library_of,
    setting_of,
    settings_of,
)

EACH = [
    (library, collective, simulated)
    for library, collectives in SIMULATED.items()
    for collective, values in collectives.items()
    for simulated in values.values()
]
RING = {
    "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
    "OMPI_MCA_coll_tuned_allreduce_algorithm": "4",
}


@pytest.mark.parametrize(("library", "collective", "algorithm"), EACH)
def test_a_replay_simulates_what_the_setting_forces(
    library: str, collective: str, algorithm: str
) -> None:
    assert algorithm in algorithms(switches=False)[collective]
    setting = setting_of(library, collective, algorithm)
    assert setting
    assert forced(library, setting | {"PATH": "/bin"}) == {collective: algorithm}


def test_a_setting_that_the_library_does_not_heed_forces_nothing() -> None:
    without = {name: value for name, value in RING.items() if "dynamic" not in name}

    assert forced("openmpi", RING) == {"allreduce": "ring"}
    assert forced("openmpi", without) == {}
    assert forced("mpich", RING) == {}
    assert setting_of("openmpi", "allreduce", "allgather and reduce") is None


@pytest.mark.parametrize(
    "words",
    [
        "mpirun --mca {} {} --mca {} {} -n 4 ./app",
        "mpirun -mca {} {} -x OMPI_MCA_{}={} -n 4 ./app",
        "mpiexec -genv OMPI_MCA_{} {} -genv OMPI_MCA_{}={} -n 4 ./app",
    ],
)
def test_settings_are_found_on_the_command_line(words: str) -> None:
    texts = (text.removeprefix("OMPI_MCA_") for item in RING.items() for text in item)

    assert settings_of(words.format(*texts).split(), {"OMP_NUM_THREADS": "1"}) == RING | {
        "OMP_NUM_THREADS": "1"
    }


def test_a_command_that_ends_within_an_option_is_read() -> None:
    assert settings_of(["mpirun", "--mca"], {}) == {"OMPI_MCA_": ""}


@pytest.mark.parametrize(
    ("version", "library"),
    [
        ("Open MPI v5.0.11", "openmpi"),
        ("MPICH 4.3.0", "mpich"),
        ("Intel(R) MPI Library 2021.18", "impi"),
        ("paper", None),
    ],
)
def test_libraries_are_known_by_what_they_say(version: str, library: str | None) -> None:
    assert library_of(version) == library


@pytest.mark.parametrize(
    ("nodes", "heeded"), [((0, 0, 0, 0), True), ((0, 1, 2, 3), True), ((0, 0, 1, 1), False)]
)
def test_settings_of_open_mpi_are_heeded_where_coll_han_does_not_come_first(
    nodes: tuple[int, ...], heeded: bool
) -> None:
    assert tunable("openmpi", nodes) == heeded
    assert tunable("mpich", nodes)
