"""Each rule of `study check`: a study that trips it, and the same one put right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checked_study import READERS, remarks_of, study_directory, study_of
from tests.support import executable, mpi_libraries
from tests.wrong_studies import CASES, Case
from waywiser.study.check import RULES, check
from waywiser.study.configurations import configurations_of
from waywiser.study.remark import Remark


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return study_directory(tmp_path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}: {case.says[:30]}")
def test_a_rule_finds_its_fault_and_nothing_else(
    case: Case, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    remarks = remarks_of(case.rule, case.wrong, directory)

    assert [remark.key for remark in remarks] == [case.key] * len(remarks)
    assert case.says in remarks[0].text
    assert remarks_of(case.rule, case.right, directory) == []


def test_every_rule_has_a_case() -> None:
    assert {case.rule for case in CASES} == set(RULES)


def test_nothing_is_wrong_with_a_study_that_is_right(directory: Path) -> None:
    study = study_of("")

    assert check(study, configurations_of(study), directory, READERS) == []


def test_errors_come_first_and_each_once(directory: Path) -> None:
    study = study_of('repeats.blocks = 2\napplication.app.program = "./missing"')

    assert [remark.level for remark in check(study, configurations_of(study), directory)] == [
        "error",
        "warning",
    ]


@pytest.mark.parametrize(
    "allowance",
    [
        'mpi.openmpi.launcher_arguments = ["--oversubscribe"]',
        'mpi.openmpi.launcher_arguments = ["--map-by", ":OVERSUBSCRIBE"]',
        'mpi.openmpi.launcher_arguments = ["-bind-to", "none"]',
        'mpi.openmpi.launcher_arguments = ["-genv", "I_MPI_PIN", "0"]',
        'mpi.openmpi.environment.PRTE_MCA_rmaps_default_mapping_policy = ":oversubscribe"',
    ],
)
def test_ranks_that_may_share_cores_are_no_error_but_decide_nothing(
    allowance: str, directory: Path
) -> None:
    (remark,) = remarks_of("more ranks than slots", f"axes.ranks = [9]\n{allowance}", directory)

    assert remark.level == "warning"
    assert "validity gate" in remark.text


def test_a_remark_on_many_configurations_names_one_and_counts_the_others(directory: Path) -> None:
    (remark,) = remarks_of("more ranks than slots", "axes.ranks = [9, 10, 11]", directory)

    assert remark.text.startswith("r9 (and 2 more configurations): ")


def test_each_library_has_its_own_word_for_sharing_cores(directory: Path) -> None:
    changes = "axes.ranks = [9]\nmpi.mpich = {}\nmpi.impi = {}"
    (remark,) = remarks_of("more ranks than slots", changes, directory)

    assert remark.text.endswith(
        '["--oversubscribe"] for Open MPI, ["-bind-to", "none"] for MPICH, '
        '["-genv", "I_MPI_PIN", "0"] for Intel MPI'
    )


def test_an_axis_may_be_read_by_a_template(directory: Path) -> None:
    def remarks_on(text: str) -> list[Remark]:
        (directory / "in.txt").write_text(text)
        changes = 'axes.size = [1, 2]\napplication.app.templates = ["in.txt"]'
        return remarks_of("an axis changes nothing", changes, directory)

    assert remarks_on("n = @size@") == []
    assert [remark.key for remark in remarks_on("n = size")] == ["axes.size"]
    changes = 'axes.size = [1, 2]\napplication.app.templates = ["$NOT_SET_HERE/in.txt"]'
    assert remarks_of("an axis changes nothing", changes, directory) == []


def test_workloads_are_built_for_each_library(directory: Path, tmp_path: Path) -> None:
    """A launcher in a directory of its own has no workload beside it."""
    launcher = next(mpi.bin / "mpirun" for mpi in mpi_libraries() if mpi.name == "mpich")
    (tmp_path / "bin").mkdir()
    alone = executable(tmp_path / "bin" / "mpirun", f'#!/bin/sh\nexec {launcher} "$@"\n')
    changes = f'application = {{w = {{workload = "minife"}}}}\nmpi.mpich.launcher = "{alone}"'

    (remark,) = remarks_of("a workload that is unknown or not built", changes, directory)

    assert "ww-minife is not built for MPICH" in remark.text
    assert "`waywiser build minife --with mpicxx` builds it" in remark.text
