"""Readers of applications read their present output, and the output is consistent."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.support import MpiLibrary, captured, mpi_libraries
from tests.system.conftest import TRANSPORT
from waywiser.apps.application import Output
from waywiser.apps.table import find
from waywiser.model.reading import Reading

INPUTS = Path(__file__).parent / "inputs"
LIBRARIES = {library.name: library for library in mpi_libraries()}


def read_run(
    application: str, command: Sequence[str], directory: Path, env: Mapping[str, str] | None = None
) -> Reading:
    done = captured(command, cwd=directory, env=env, check=True)
    return find(application).read(Output(done.stdout, done.stderr, directory))


def value(reading: Reading, name: str) -> float:
    metric = reading.metric(name)
    assert metric is not None, (name, reading.failure)
    return metric.value


def test_minife_says_the_same_in_its_summary_and_in_its_samples(tmp_path: Path) -> None:
    mpi = LIBRARIES["openmpi"]
    arguments = ["--nx", "12", "--json", "minife.json"]

    precise = read_run("minife", mpi.command(2, mpi.program("ww-minife"), *arguments), tmp_path)
    samples = tmp_path / "minife.json"
    summary_only = tmp_path / "elsewhere"
    summary_only.mkdir()
    rounded = read_run(
        "minife", mpi.command(2, mpi.program("ww-minife"), "--nx", "12"), summary_only
    )

    assert samples.exists()
    assert [each.name for each in precise.sections] == [each.name for each in rounded.sections]
    for reading in (precise, rounded):
        cg = {each.name: each for each in reading.sections}["cg"]
        assert value(reading, "cg_time") == cg.maximum
        assert cg.minimum is not None
        assert 0 < cg.minimum <= cg.seconds <= value(reading, "cg_time")
        per_iteration = value(reading, "cg_time") / value(reading, "iterations")
        assert value(reading, "time_per_iteration") == pytest.approx(per_iteration, rel=0.01)
    assert value(precise, "iterations") == value(rounded, "iterations")


def test_imb_of_the_wheel(tmp_path: Path) -> None:
    mpi = LIBRARIES["impi"]
    env = {"LD_LIBRARY_PATH": str(mpi.bin.parent / "lib")}
    options = ["-iter", "10", "-msglog", "2:3", "Allreduce"]

    reading = read_run("imb", mpi.command(2, mpi.program("IMB-MPI1"), *options), tmp_path, env)

    assert reading.failure == ""
    assert value(reading, "small_message") == value(reading, "allreduce_4_b")
    assert {series.x for series in reading.series} == {(0, 4, 8)}
    least, most, mean = (series.y for series in reading.series)
    assert all(low <= middle <= high for low, middle, high in zip(least, mean, most, strict=True))


def test_imb_that_gives_up_ends_with_0_and_has_failed(tmp_path: Path) -> None:
    mpi = LIBRARIES["impi"]
    env = {"LD_LIBRARY_PATH": str(mpi.bin.parent / "lib")}
    options = ["-time", "0.0000001", "-msglog", "14:15", "Allreduce"]

    reading = read_run("imb", mpi.command(2, mpi.program("IMB-MPI1"), *options), tmp_path, env)

    assert "IMB gave Allreduce up" in reading.failure
    assert not reading.metrics


def test_lammps_of_debian(tmp_path: Path) -> None:
    lmp, launcher = shutil.which("lmp"), shutil.which("mpirun.openmpi")
    if lmp is None or launcher is None:
        pytest.skip("Debian's packages lammps and openmpi-bin are not installed")
    mpi = MpiLibrary("openmpi", Path(launcher).parent, ".openmpi")
    command = mpi.command(
        2, lmp, "-in", INPUTS / "lennard_jones.lmp", "-var", "steps", "100", "-screen", "none"
    )

    reading = read_run("lammps", command, tmp_path, TRANSPORT[".openmpi"])  # from log.lammps

    assert reading.failure == ""
    loop_time = value(reading, "loop_time")
    assert value(reading, "step_rate") == pytest.approx(100 / loop_time, rel=1e-3)
    assert sum(each.seconds for each in reading.sections) == pytest.approx(loop_time, rel=1e-3)
    for each in reading.sections[:-1]:
        assert each.minimum is not None
        assert each.maximum is not None
        assert each.minimum <= each.seconds * (1 + 1e-4)
        assert each.seconds <= each.maximum * (1 + 1e-4)
