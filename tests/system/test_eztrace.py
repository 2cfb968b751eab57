"""A trace that EZTrace wrote of a real program becomes a run."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.support import MpiLibrary, environment, run_bounded
from tests.system.conftest import TRANSPORT
from waywiser.cli.main import main

RING = """
#include <mpi.h>
int main(int argc, char** argv) {
    int rank, size, mine = 1, theirs = 0;
    double sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int lap = 0; lap < 10; ++lap) {
        double part = rank;
        if (rank == 0) MPI_Send(&mine, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(&theirs, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(&sum, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""


def test_its_trace_is_read(debian: MpiLibrary, tmp_path: Path) -> None:
    if shutil.which("eztrace") is None:
        pytest.skip("needs eztrace (Debian package eztrace)")
    source = tmp_path / "ring.c"
    source.write_text(RING)
    program = debian.build(source, tmp_path / "ring")
    line = debian.command(2, program)
    at = line.index(str(program))
    traced = [*line[:at], "eztrace", "-t", debian.name, *line[at:]]
    done = run_bounded(
        traced, cwd=tmp_path, env=environment(TRANSPORT.get(debian.suffix)), timeout=200
    )
    assert done.returncode == 0, done.stderr

    anchor = tmp_path / "ring_trace" / "eztrace_log.otf2"
    assert main(["import", str(anchor), "--from", "otf2", "-o", str(tmp_path / "run")]) == 0

    table = tmp_path / "calls.csv"
    assert main(["export", str(tmp_path / "run"), "--to", "csv", "-o", str(table)]) == 0
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    keys = ("rank", "function", "peer", "tag", "source", "source_tag", "bytes", "receive_bytes")
    calls = Counter(tuple(row[key] for key in keys) for row in rows)
    assert calls["0", "MPI_Send", "1", "5", "", "", "4", "0"] == 10
    assert calls["1", "MPI_Recv", "", "", "0", "5", "0", "4"] == 10
    for rank in ("0", "1"):
        assert calls[rank, "MPI_Allreduce", "", "", "", "", "8", "8"] == 10
        assert calls[rank, "MPI_Bcast", "1", "", "", "", "8", "8"] == 10
    assert calls.total() == 60
