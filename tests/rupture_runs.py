"""Runs of ww-rupture that write files, and what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.kernel_programs import Sample, samples
from tests.support import MpiLibrary

Floats = NDArray[np.float64]

SMALL_FAULT = [
    *("--case=tpv33", "--order=2", "--spacing=2000", "--growth=2", "--reach=16000"),
    *("--end=1", "--every=0.5"),
]
LAMBDA, MU = 2.0, 1.0
"""Lamé's parameters of the exact cases' box, whose density is 1: waves travel at 2 and 1."""


def table(file: Path) -> Floats:
    read: Floats = np.genfromtxt(file, delimiter=",", skip_header=1, ndmin=2)
    return read


def named(file: Path) -> dict[str, Floats]:
    header = file.read_text(encoding="utf-8").splitlines()[0].split(",")
    return dict(zip(header, table(file).T, strict=True))


def points_file(file: Path, points: Sequence[Sequence[float]] | Floats) -> Path:
    lines = [", ".join(format(x, ".15g") for x in point) for point in np.asarray(points).tolist()]
    file.write_text("# x, y, z in m\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return file


def run(
    mpi: MpiLibrary, directory: Path, *options: str, program: Path | None = None, **how: int
) -> Sample:
    all_samples = samples(program or mpi.program("ww-rupture"), mpi, directory, *options, **how)
    [sample] = all_samples
    return sample


STATIONS = [(-6330, 0, -6660), (-6660, 0, -5330), (-4330, 0, -2660)]
"""Each amid a face, so that no other one has a nearer point."""
