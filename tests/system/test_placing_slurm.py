"""A real Slurm: srun puts each rank on the host that SLURM_HOSTFILE names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rigs import slurm as rig
from tests.rigs.slurm import Slurm
from tests.support import MpiLibrary, environment
from tests.system.conftest import Build
from waywiser.launch.placing.forms import FORMS
from waywiser.launch.placing.placed import Placed


@pytest.fixture(scope="module")
def slurm() -> Iterator[Slurm]:
    with rig.started(3) as slurm:
        yield slurm


def test_ranks_go_where_the_hostfile_says(
    slurm: Slurm, openmpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    placed = Placed(("n0", "n1", "n2"), (0, 0, 0, 1, 1, 1, 2, 2, 2), (6, 3, 0, 7, 1, 8, 4))
    form = FORMS["slurm"]
    (tmp_path / "placed").write_text(form.text(placed), encoding="utf-8")
    command = form.launch(placed.ranks, str(tmp_path / "placed"))

    done = slurm.run(
        *("sh", "-c", f"{command} --mpi=pmix {build(openmpi, 'sharing.c')}"),
        env=environment({"OMPI_MCA_btl": "self,sm,tcp", "OMPI_MCA_btl_tcp_if_include": "eth0"}),
    )

    assert done.returncode == 0, done.stderr
    on_host = Counter(placed.hosts)
    assert sorted(done.stdout.splitlines()) == [
        f"rank {rank} of 7 on {host} in {on_host[host]}" for rank, host in enumerate(placed.hosts)
    ]
