"""The fault and snapshots that ww-rupture wrote, in the directory of the samples that name them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from waywiser.errors import InvalidCommand
from waywiser.model.rupture_field import Floats, RuptureField, SurfaceSnapshot
from waywiser.model.sample import Outputs
from waywiser.store.samples import of_run, read_samples
from waywiser.store.xdmf import read_xdmf

MOST_SNAPSHOTS = 6
FREE_SURFACE = 1
COLUMNS = 6
DIMENSIONS = {"tag": 2, "velocity": 3}
"""Number of dimensions of each field: values of triangles have two, values of their corners
three."""


def ruptures_of_run(run: Path, named: Iterable[Path]) -> list[RuptureField]:
    """The ruptures that the samples of the files name; without files, those of the run that exist.

    Raises:
        InvalidCommand: a named file has an output that does not exist or is not valid.
    """
    return of_run(run, named, _ruptures)


def _ruptures(file: Path) -> Iterator[RuptureField]:
    by_file: dict[Path, Outputs] = {}  # lines of one run name the same files
    for sample in read_samples(file):
        outputs = sample.details.outputs
        if outputs is not None and outputs.fault:
            by_file.setdefault((file.parent / outputs.fault).resolve(), outputs)
    for outputs in by_file.values():
        yield _rupture(file, outputs)


def _rupture(file: Path, outputs: Outputs) -> RuptureField:
    table = _table(file.parent / outputs.fault)
    count = len(outputs.snapshots_s)
    chosen = set(np.linspace(0, count - 1, min(count, MOST_SNAPSHOTS)).round().astype(int).tolist())
    snapshots = []
    if count:
        for number, grid in enumerate(read_xdmf(file.parent / outputs.snapshots)):
            if number not in chosen:
                continue
            for name, dimensions in DIMENSIONS.items():
                if name not in grid.fields or grid.fields[name].ndim != dimensions:
                    raise InvalidCommand(
                        f"{file.parent / outputs.snapshots} has no field {name!r} of "
                        f"{dimensions} dimensions; expected what ww-rupture wrote"
                    )
            surface = grid.fields["tag"][:, 0] == FREE_SURFACE
            snapshots.append(
                SurfaceSnapshot(
                    grid.time_s,
                    grid.corners_m[surface][:, :, :2],
                    grid.fields["velocity"][surface][:, :, 0].astype(np.float64),
                )
            )
    return RuptureField(
        points_m=table[:, :3],
        rupture_time_s=table[:, 3],
        slip_m=table[:, 4],
        snapshots=tuple(snapshots),
    )


def _table(path: Path) -> Floats:
    try:
        table: Floats = np.genfromtxt(path, delimiter=",", skip_header=1, ndmin=2)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())  # NumPy has a line for each wrong line
        raise InvalidCommand(
            f"{path} cannot be read ({reason}); expected what ww-rupture wrote"
        ) from error
    if table.shape[1] != COLUMNS or not len(table):
        raise InvalidCommand(
            f"{path} has {len(table)} rows of {table.shape[1]} columns; expected points of a fault "
            f"of {COLUMNS} columns"
        )
    return table
