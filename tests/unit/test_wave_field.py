"""The picture of modelled waves: what is read from files, and what is drawn of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.field_images import page_with
from waywiser.errors import InvalidCommand
from waywiser.report.run.plots.wave_field import SHADES, colour_numbers, drawn_wave_field
from waywiser.store.wave_fields import MOST_SNAPSHOTS, wave_fields_of_run

N1, N2, N3, COUNT = 12, 20, 9, 9


def written(directory: Path, **more: Any) -> Path:
    """Samples of a shot whose field is 100 times the snapshot, 10 times x1 and once x2, on a plane
    of its own; elsewhere far too much."""
    fields = np.full((COUNT, N3, N2, N1), 1e6, dtype=np.float32)
    i, j = np.arange(N1), np.arange(N2)
    for k in range(COUNT):
        fields[k, 4] = 100 * k + 10 * i[None, :] + j[:, None]
    np.save(directory / "snapshots.npy", fields)
    np.save(directory / "traces.npy", np.arange(30.0).reshape(3, 10))
    shot = {
        **{"spacings_m": [10, 5, 20], "source_m": [20, 50, 80], "dt_s": 0.5},
        **{"receivers_m": [0, 0, 0, 10, 5, 20, 20, 10, 40], "traces": "traces.npy"},
        **{"snapshots": "snapshots.npy", "snapshots_s": [k + 1.0 for k in range(COUNT)], **more},
    }
    line = {
        **{"workload": "propa", "phase": "modelling", "variant": "blocked", "ranks": 1},
        **{"threads": 1, "details": {"modelling": shot}},
    }
    file = directory / "propa.json"
    text = json.dumps(line)
    file.write_text(f"{text}\n{text}\n", encoding="utf-8")
    return file


def test_the_plane_of_the_source_is_taken(tmp_path: Path) -> None:
    [field] = wave_fields_of_run(tmp_path, [written(tmp_path)])

    assert (field.depth_m, field.width_m) == (110, 95)
    assert len(field.snapshots) == MOST_SNAPSHOTS
    assert field.snapshots[0].time_s == 1
    assert field.snapshots[-1].time_s == COUNT
    last = field.snapshots[-1].values
    assert last.shape == (N1, N2)
    assert last[3, 7] == 100 * (COUNT - 1) + 10 * 3 + 7
    assert field.receivers_m.tolist() == [[0, 0, 0], [10, 5, 20], [20, 10, 40]]
    assert field.traces[2, 4] == 24
    assert field.times_s[4] == 2


def test_large_fields_are_thinned_out(tmp_path: Path) -> None:
    file = written(tmp_path, snapshots_s=[1.0], spacings_m=[1, 1, 1], source_m=[0, 0, 0])
    np.save(tmp_path / "snapshots.npy", np.arange(600 * 700.0).reshape(1, 1, 700, 600))
    [field] = wave_fields_of_run(tmp_path, [file])
    assert field.snapshots[0].values.shape == (200, 234)
    assert field.snapshots[0].values[1, 1] == 3 * 600 + 3


def test_colours_are_even_about_zero() -> None:
    values = np.array([[-2.0, -1.0, 0.0, 1.0, 2.0]])
    middle = (SHADES + 1) // 2
    assert colour_numbers(values).tolist() == [[1, 32, middle, 96, SHADES]]
    assert (colour_numbers(np.zeros((2, 2))) == middle).all()


def test_page_and_files_have_the_image(tmp_path: Path) -> None:
    fields = wave_fields_of_run(tmp_path, [written(tmp_path)])
    drawn = drawn_wave_field(fields)

    page_with(tmp_path / "plots", "waves", drawn, MOST_SNAPSHOTS, fields=fields)

    assert drawn is not None
    assert "20, 50, 80 m" in drawn.caption


def test_receivers_have_three_coordinates_each(tmp_path: Path) -> None:
    file = written(tmp_path, receivers_m=[0.0] * 8)

    with pytest.raises(InvalidCommand, match=r"propa\.json: receivers_m has 8 numbers"):
        wave_fields_of_run(tmp_path, [file])


def test_what_is_not_there_is_named_or_passed_over(tmp_path: Path) -> None:
    file = written(tmp_path)
    (tmp_path / "snapshots.npy").unlink()
    with pytest.raises(InvalidCommand, match=r"snapshots\.npy cannot be read"):
        wave_fields_of_run(tmp_path, [file])
    assert wave_fields_of_run(tmp_path, []) == []

    np.save(tmp_path / "snapshots.npy", np.zeros((COUNT, 3, 3)))
    with pytest.raises(InvalidCommand, match="has 3 axes, expected 4"):
        wave_fields_of_run(tmp_path, [file])

    np.save(tmp_path / "snapshots.npy", np.zeros((2, N3, N2, N1)))
    with pytest.raises(InvalidCommand, match="of another shape"):
        wave_fields_of_run(tmp_path, [file])
