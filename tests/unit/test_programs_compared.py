"""Only equal programs are compared: unlike versions have no verdict, unlike builds are reported."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests import synthetic_study
from tests.support import mpi_libraries
from tests.synthetic_sets import of_study, write_plain
from waywiser.analyse.compare_sets import compare_sets
from waywiser.analyse.sets import plain_set
from waywiser.analyse.study import analyse_study
from waywiser.apps.application import Output
from waywiser.apps.table import APPLICATIONS, version_in
from waywiser.launch.library import read_executable
from waywiser.model.findings import Findings
from waywiser.model.run import Run
from waywiser.report.answers.comparison import comparison_text
from waywiser.report.study.abstract import abstract

GOLDEN = Path(__file__).parents[1] / "golden" / "apps"
NEW, OLD = "22 Jul 2025 - Update 4", "29 Sep 2021 - Update 2"
VERSIONS = {
    "lammps-rhodopsin": NEW,
    "lammps-2022-two-runs": OLD,
    "espresso-silicon": "6.7MaX",
    "gromacs": "2022.5-Debian_2022.5_2",
    "gromacs-screen": "2022.5-Debian_2022.5_2",
    "hpcc": "1.5.0",
    "hpcg": "3.1",
    "hpcg-yaml": "3.0",
    "nas-sp": "3.4.2",
    "io500": "io500-isc26_v2-26-g02091cf254d8",
    "vasp-5.4-synthetic": "5.4.1",
    "imb-mpi1": "2021.11",
    "osu-latency": "7.4",
    "osu-iallreduce": "7.4",
}
WORKLOADS = (
    *("minife", "mpibench", "memory", "grid", "comm"),
    *("fd", "propa", "npb", "tbl", "lattice", "shallow", "spectral", "rupture"),
)
"""Waywiser's own, which tests/system/test_workload_versions.py runs."""

BY_LIBRARY = synthetic_study.LAMMPS | {"axes": {"ranks": [1, 2]}, "repeats": {"blocks": 8}}


def test_every_reader_that_knows_a_version_has_read_one() -> None:
    names = {name.split("-")[0] for name in VERSIONS}
    knowing = {name for name, application in APPLICATIONS.items() if application.version}

    programs = {name.removeprefix("quantum-").removesuffix("-unconverged") for name in knowing}
    assert names | {"hpl", *WORKLOADS} == programs
    banner = (GOLDEN / "hpcc" / "hpccoutf.txt").read_text()  # HPCC prints that of its HPL
    assert APPLICATIONS["hpl"].version_in(Output(banner, "", GOLDEN)) == "2.0"


@pytest.mark.parametrize("name", VERSIONS)
def test_the_version_that_a_program_prints(name: str) -> None:
    directory = GOLDEN / name
    texts = {
        stream: (directory / stream).read_text() if (directory / stream).exists() else ""
        for stream in ("stdout", "stderr")
    }
    output = Output(texts["stdout"], texts["stderr"], directory)

    assert version_in(output) == VERSIONS[name]


def test_the_build_of_a_program_is_its_linkers() -> None:
    program = next(iter(mpi_libraries())).program("ww-minife")
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True)
    executable = read_executable(program)

    assert executable is not None
    assert f"Build ID: {executable.build_id}\n" in notes.stdout
    assert executable.build_id


def findings(
    versions: Mapping[str, str],
    builds: Mapping[str, str],
    compilers: Mapping[str, str] | None = None,
    document: Mapping[str, object] = BY_LIBRARY,
) -> Findings:
    """Findings of a study whose sides, by the values of their configurations, ran the given
    programs."""
    study = synthetic_study.study(document)
    change = programs(versions, builds, compilers or {})
    runs = synthetic_study.runs(study, synthetic_study.Truth(slower={"impi": 1.5}))
    return analyse_study(study, [change(run) for run in runs])


def programs(
    versions: Mapping[str, str], builds: Mapping[str, str], compilers: Mapping[str, str]
) -> Callable[[Run], Run]:
    def changed(run: Run) -> Run:
        assert run.result is not None
        values = [str(value) for value in run.result.values.values()]

        def of(texts: Mapping[str, str], otherwise: str) -> str:
            return next((texts[value] for value in values if value in texts), otherwise)

        reading = run.result.reading.replace(version=of(versions, ""))
        program = run.program.replace(build_id=of(builds, "b0"), compiler=of(compilers, "GCC 12"))
        result = run.result.replace(reading=reading)
        return run.replace(result=result, program=program)

    return changed


def test_unlike_versions_have_no_verdict_and_that_comes_first() -> None:
    analysis = findings({"mpich": NEW, "impi": OLD}, {"mpich": "b1", "impi": "b2"})

    assert {comparison.kind for comparison in analysis.comparisons} == {"refused"}
    assert {comparison.reason for comparison in analysis.comparisons} == {
        f"unlike versions of lmp: {NEW} and {OLD}"
    }
    first = abstract(analysis)[0]
    assert first == (
        f"The versions of lmp are not the same: {NEW} (MPICH), {OLD} (Intel MPI); no verdict holds "
        "between them."
    )
    assert all(
        section.kind == "refused"
        for comparison in analysis.comparisons
        for section in comparison.sections
    )


def test_versions_that_changed_meanwhile_have_no_verdict() -> None:
    """A program that was replaced between two blocks of a study."""
    study = synthetic_study.study(BY_LIBRARY)
    runs = []
    for run in synthetic_study.runs(study, synthetic_study.Truth()):
        assert run.result is not None
        version = NEW if run.result.block > 4 else OLD
        reading = run.result.reading.replace(version=version)
        result = run.result.replace(reading=reading)
        runs.append(run.replace(result=result))

    assert {comparison.kind for comparison in analyse_study(study, runs).comparisons} == {"refused"}


def test_one_version_built_for_each_library_is_judged() -> None:
    analysis = findings({"mpich": NEW, "impi": NEW}, {"mpich": "b1", "impi": "b2"})

    assert {
        comparison.kind for comparison in analysis.comparisons if comparison.metric == "loop_time"
    } == {"slower"}
    assert analysis.programs == ()
    builds = [row.text for row in analysis.system if row.name.startswith("Build")]
    assert builds == ["b1", "b2"]


def test_another_compiler_is_reported_first() -> None:
    analysis = findings(
        {"mpich": NEW, "impi": NEW},
        {"mpich": "b1", "impi": "b2"},
        {"mpich": "GCC 12", "impi": "Intel oneAPI 2025"},
    )

    assert abstract(analysis)[0] == (
        f"The builds of lmp, version {NEW}, come from different compilers: GCC 12 (MPICH), "
        "Intel oneAPI 2025 (Intel MPI)."
    )
    assert {
        comparison.kind for comparison in analysis.comparisons if comparison.metric == "loop_time"
    } == {"slower"}


def test_builds_of_unknown_version_are_reported_first() -> None:
    analysis = findings({}, {"mpich": "b1", "impi": "b2"})

    assert abstract(analysis)[0].startswith(
        "The sides ran different builds of lmp, whose version is"
    )
    assert findings({}, {}).programs == ()


def test_programs_may_be_compared_on_purpose() -> None:
    document = synthetic_study.LAMMPS | {
        "mpi": ["mpich"],
        "application": {"rhodo": {"reader": "lammps", "program": "lmp-{release}"}},
        "axes": {"ranks": 2, "release": ["new", "old"]},
        "repeats": {"blocks": 8},
    }
    analysis = findings({"new": NEW, "old": OLD}, {"new": "b1", "old": "b2"}, document=document)

    assert "refused" not in {comparison.kind for comparison in analysis.comparisons}
    assert "what is compared are the programs" in abstract(analysis)[0]


def test_sets_of_unlike_programs_under_unlike_libraries_have_no_verdict() -> None:
    mpich = programs({"mpich": OLD}, {}, {})
    new = of_study("a", change=programs({"mpich": NEW}, {}, {}))

    alone = compare_sets(new, of_study("b", seed=2, change=mpich))
    assert "refused" not in {comparison.kind for comparison in alone.comparisons}
    sentence = f"The versions of lmp are not the same: {NEW} (a), {OLD} (b); what is compared are"
    assert comparison_text(alone).startswith(sentence)

    impi = of_study(
        "b",
        synthetic_study.LAMMPS | {"mpi": ["impi"], "axes": {"ranks": [1, 2, 4]}},
        seed=2,
        change=programs({"impi": OLD}, {}, {}),
    )
    both = compare_sets(new, impi, ignore=["mpi"])
    assert {comparison.kind for comparison in both.comparisons} == {"refused"}
    assert comparison_text(both).startswith("The versions of lmp are not the same")


def test_the_version_of_plain_runs_is_read_from_their_output(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 2)):
        write_plain(tmp_path / name, 1.0, seed=seed)
    versions = {"a": NEW, "b": OLD}
    a, b = (
        plain_set(name, tmp_path / name, lambda run: versions[run.parent.parent.name])
        for name in versions
    )

    assert comparison_text(compare_sets(a, b)).startswith(
        f"The versions of lmp are not the same: {NEW} (a), {OLD} (b)"
    )
