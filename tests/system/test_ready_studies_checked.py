"""The studies that Waywiser brings, checked without a run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import Waywiser, executable, succeeded
from tests.system.test_ready_studies import SMALL_CODES, STUDIES, WEAK, small


def test_a_study_without_its_program_says_so(tmp_path: Path, waywiser: Waywiser) -> None:
    """LAMMPS is not in PATH: one sentence, and nothing is run."""
    bench = tmp_path / "bench"
    bench.mkdir()
    for name in ("in.rhodo", "data.rhodo"):
        (bench / name).touch()
    file = small("nurion.toml", tmp_path, SMALL_CODES)
    env = {"LAMMPS_BENCH": str(bench), "PATH": str(tmp_path)}
    output = waywiser("study", "run", str(file), env=env)

    assert output.returncode == 2
    assert "application.rhodo.program" in output.stderr
    assert "lmp" in output.stderr
    assert not file.with_suffix(".study").exists()


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("minife.toml", {"ranks = [1, 2, 4]": "ranks = [2]"}),
        *((name, WEAK) for name in ("grid-weak.toml", "waves-weak.toml")),
        ("halo-exchange.toml", {"ranks = [2, 4]": "ranks = [2]"}),
        ("channel.toml", {}),
    ],
)
def test_a_study_that_only_the_long_test_runs_is_right(
    waywiser: Waywiser, name: str, changes: dict[str, str]
) -> None:
    succeeded(waywiser.here("study", "check", str(small(name, waywiser.directory, changes))))


def test_messages_between_hosts_are_a_study_for_slurm(tmp_path: Path, waywiser: Waywiser) -> None:
    file = STUDIES / "mpi-libraries-between-hosts.toml"

    output = waywiser("study", "check", str(file), "-o", str(tmp_path / "out"))

    assert output.returncode == 0, output.stdout[-2000:] + output.stderr
    assert "6 configurations" in output.stdout
    assert "#SBATCH --nodes=2" in output.stdout


def test_seissols_study_is_right_for_who_has_seissol(tmp_path: Path, waywiser: Waywiser) -> None:
    executable(tmp_path / "SeisSol_Release_dskx_4_elastic", "#!/bin/sh\n")
    inputs = tmp_path / "tpv33"
    for name in ("meshes", "input"):
        (inputs / name).mkdir(parents=True)
    (inputs / "parameters.par").write_text("MeshFile = 'meshes/@mesh@'\n")
    checked = waywiser(
        *("study", "check", str(STUDIES / "seissol-itself.toml"), "-o", str(tmp_path / "out")),
        env={"SEISSOL_TPV33": str(inputs), "PATH": f"{tmp_path}:/usr/bin:/bin"},
    )
    assert checked.returncode == 0, checked.stdout[-2000:] + checked.stderr
    assert "error" not in checked.stdout
    assert "45 configurations" in checked.stdout
    assert checked.stdout.count("#SBATCH --nodes=16") == 7, "a job for each block"


@pytest.mark.parametrize("file", sorted(STUDIES.rglob("*.toml")), ids=lambda file: file.stem)
def test_a_newcomers_study_is_short(file: Path) -> None:
    """LAMMPS on two libraries, three rank counts, six repeats, profile and report: 20 lines."""
    own = re.findall(r"^\s*[^#\s]", file.read_text(), re.MULTILINE)
    assert len(own) <= (20 if "lammps" in file.name else 40)
