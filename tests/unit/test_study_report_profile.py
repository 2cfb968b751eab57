"""A report's part on MPI and on sections: what of a collective is waiting, of which configurations
pies are drawn, and how sections add up."""

from __future__ import annotations

import pytest

from tests import synthetic_study
from tests.unit.test_study_report import analysed, lammps, numbers
from waywiser.model.configuration_findings import SectionTime
from waywiser.report.study.contents import contents_of
from waywiser.report.study.plots.profile import most_in_mpi, profiled, shares
from waywiser.report.study.plots.sections import parts_of


@pytest.mark.parametrize(("waiting", "barrier"), [(0.9, True), (0.3, False)])
def test_waiting_before_a_collective_is_distinguished_from_it(
    waiting: float, barrier: bool
) -> None:
    """Allreduce has a quarter of the MPI time, which is 4 % for each doubling: 6 % at 32 ranks."""
    study = synthetic_study.study(synthetic_study.LAMMPS)
    findings = analysed(study, synthetic_study.Truth(waiting=waiting))
    [sentence] = [s for s in contents_of(findings, study).abstract if "ranks wait" in s]
    parts = dict(shares(profiled(findings)))["MPICH, 32 ranks"]

    assert ", 32 ranks, ranks wait" in sentence
    assert numbers(sentence.partition("ranks wait")[2]) == pytest.approx(
        [6 * waiting, 100 * waiting]
    )
    assert ("it acts as a barrier" in sentence) == barrier
    assert parts["MPI_Allreduce, waiting"] == pytest.approx(0.06 * waiting, rel=1e-3)
    if not barrier:  # else it is one of those that are too small for a part of their own
        assert parts["MPI_Allreduce"] == pytest.approx(0.06 * (1 - waiting), rel=1e-3)
    assert sum(parts.values()) == pytest.approx(1)


def test_a_study_without_split_sync_says_nothing_of_waiting() -> None:
    study, findings = lammps()

    assert not [s for s in contents_of(findings, study).abstract if "ranks wait" in s]
    assert not [
        part for _, parts in shares(profiled(findings)) for part in parts if "waiting" in part
    ]


def test_pies_are_of_the_configurations_that_spend_most_in_mpi() -> None:
    """MPI's share grows with the ranks."""
    _, findings = lammps()
    configurations = profiled(findings)
    by_share = sorted(configurations, key=lambda pair: pair[1].mpi_share)

    drawn = most_in_mpi(findings, 3)

    assert {configuration.label for configuration, _ in drawn} == {
        configuration.label for configuration, _ in by_share[-3:]
    }
    assert [pair for pair in configurations if pair in drawn] == drawn
    assert most_in_mpi(findings, len(configurations)) == configurations


def test_stacked_sections_add_up_to_the_applications_time() -> None:
    """Quantum ESPRESSO's clocks are a tree, with routines counted once more below headings."""
    clocks = [
        *(("init_run", None, 1.0), ("electrons", None, 9.0)),
        *(("c_bands", "electrons", 7.0), ("sum_band", "electrons", 1.5)),
        *(("h_psi", "c_bands", 4.0), ("cdiaghg", "c_bands", 2.0), ("vloc_psi", "h_psi", 3.5)),
        *(("fftw", "General routines", 4.5), ("fft_scatter", "Parallel routines", 2.0)),
    ]
    sections = tuple(
        SectionTime(name=name, parent=parent, seconds=seconds, minimum=None, maximum=None)
        for name, parent, seconds in clocks
    )
    configuration = lammps()[1].configurations[0].replace(sections=sections)
    (parts,) = parts_of([configuration])

    assert sum(parts.values()) == pytest.approx(10.0)
    assert parts == pytest.approx(
        {
            "init_run": 1.0,
            "electrons, rest": 0.5,
            "c_bands, rest": 1.0,
            "h_psi": 4.0,
            "cdiaghg": 2.0,
            "sum_band": 1.5,
        }
    )
