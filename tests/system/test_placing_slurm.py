"""A real Slurm: srun puts each rank on the host that SLURM_HOSTFILE names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rigs import slurm as rig
from tests.rigs.slurm import Slurm
from tests.support import environment
from waywiser.launch.placing.forms import FORMS
from waywiser.launch.placing.placed import Placed


@pytest.fixture(scope="module")
def slurm() -> Iterator[Slurm]:
    with rig.started(3) as slurm:
        yield slurm


def test_ranks_go_where_the_hostfile_says(slurm: Slurm, tmp_path: Path) -> None:
    """The program is a shell: under this Slurm, ranks of Open MPI that start apart crash in
    MPI_Init on a busy machine, whatever has placed them."""
    placed = Placed(("n0", "n1", "n2"), (0, 0, 0, 1, 1, 1, 2, 2, 2), (6, 3, 0, 7, 1, 8, 4))
    form = FORMS["slurm"]
    (tmp_path / "placed").write_text(form.text(placed), encoding="utf-8")
    (tmp_path / "where").write_text('echo "rank $SLURM_PROCID on $(hostname)"', encoding="ascii")
    command = form.launch(placed.ranks, str(tmp_path / "placed"))

    done = slurm.run("sh", "-c", f"{command} sh {tmp_path / 'where'}", env=environment())

    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [
        f"rank {rank} on {host}" for rank, host in enumerate(placed.hosts)
    ]
