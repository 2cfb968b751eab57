"""Snapshots and traces that ww-propa wrote, in the directory of the samples that name them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tokenize import TokenError

import numpy as np

from waywiser.errors import InvalidCommand
from waywiser.model.sample import Modelling
from waywiser.model.wave_field import Floats, Snapshot, WaveField
from waywiser.store.samples import of_run, read_samples

UNREADABLE = (OSError, ValueError, EOFError, SyntaxError, TokenError, RecursionError, MemoryError)
"""Errors of NumPy for a damaged file, whose header is a Python expression."""

MOST_SNAPSHOTS = 6
MOST_POINTS = 256
"""Largest number of points along an axis of a picture."""


def wave_fields_of_run(run: Path, named: Iterable[Path]) -> list[WaveField]:
    """The fields that the samples of the files name; without files, those of the run that exist.

    Raises:
        InvalidCommand: a named file has an output that does not exist or is not valid.
    """
    return of_run(run, named, _fields)


def _fields(file: Path) -> list[WaveField]:
    shots: dict[str, Modelling] = {}  # variants of one run write the same files
    for sample in read_samples(file):
        shot = sample.details.modelling
        if shot is not None and shot.snapshots and shot.snapshots_s:
            shots.setdefault(shot.snapshots, shot)
    return [_field(file, shot) for shot in shots.values()]


def _field(file: Path, shot: Modelling) -> WaveField:
    if len(shot.receivers_m) % 3:
        raise InvalidCommand(
            f"--samples {file}: receivers_m has {len(shot.receivers_m)} numbers, expected three for"
            " each receiver"
        )
    snapshots = _array(file, shot.snapshots, 4)
    count, n3, n2, n1 = snapshots.shape
    receivers = np.array(shot.receivers_m, dtype=np.float64).reshape(-1, 3)
    traces = _array(file, shot.traces, 2) if shot.traces else np.zeros((0, 0))
    plane = round(shot.source_m[2] / shot.spacings_m[2])
    if count != len(shot.snapshots_s) or plane >= n3 or len(traces) not in (0, len(receivers)):
        raise InvalidCommand(
            f"--samples {file}: {shot.snapshots} or {shot.traces} is of another shape than it says"
        )
    thin = -(-max(n1, n2) // MOST_POINTS)
    chosen = np.unique(np.linspace(0, count - 1, min(count, MOST_SNAPSHOTS)).round().astype(int))
    return WaveField(
        width_m=(n2 - 1) * shot.spacings_m[1],
        depth_m=(n1 - 1) * shot.spacings_m[0],
        source_m=shot.source_m,
        receivers_m=receivers,
        snapshots=tuple(
            Snapshot(
                shot.snapshots_s[i],
                np.asarray(snapshots[i, plane, ::thin, ::thin], dtype=np.float64).T,
            )
            for i in chosen
        ),
        times_s=shot.dt_s * np.arange(traces.shape[1], dtype=np.float64),
        traces=np.asarray(traces, dtype=np.float64),
    )


def _array(file: Path, name: str, axes: int) -> Floats:
    path = file.parent / name
    try:
        array: Floats = np.load(path, mmap_mode="r", allow_pickle=False)
    except UNREADABLE as error:
        raise InvalidCommand(
            f"--samples {file}: {path} cannot be read ({error}); expected what ww-propa wrote"
        ) from error
    if array.ndim != axes:
        raise InvalidCommand(f"--samples {file}: {path} has {array.ndim} axes, expected {axes}")
    return array
