"""The picture of a rupture: what is read from files, and what is drawn of it."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.field_images import page_with
from waywiser.errors import InvalidCommand
from waywiser.report.run.plots.rupture_field import contour_step_s, drawn_rupture_field
from waywiser.store.ruptures import MOST_SNAPSHOTS, ruptures_of_run
from waywiser.store.xdmf import read_xdmf

COUNT = 8


def xdmf(directory: Path, name: str, tags: list[int], velocities: list[float]) -> None:
    """Triangles in two planes; in snapshot k the corners move with k times `velocities` along x."""
    count = len(tags)
    corners = np.zeros((count, 3, 3), "<f8")
    corners[:, 1, 0], corners[:, 2, 1] = 9000, 9000
    corners[..., 0] += np.arange(count)[:, None] * 1000
    numbers = np.arange(3 * count, dtype="<i8")
    data = corners.tobytes() + numbers.tobytes() + np.array(tags, "<i4").tobytes()
    head = {
        "Topology": (72 * count, "Int", 8, f"{count} 3"),
        "Geometry": (0, "Float", 8, f"{3 * count} 3"),
    }

    def item(seek: int, kind: str, size: int, shape: str) -> str:
        return (
            f'<DataItem Format="Binary" NumberType="{kind}" Precision="{size}" Endian="Little" '
            f'Seek="{seek}" Dimensions="{shape}">{name}.bin</DataItem>'
        )

    grids = ""
    for k in range(COUNT):
        mesh = "".join(f"<{part}>{item(*of)}</{part}>" for part, of in head.items())
        tag = item(96 * count, "Int", 4, f"{count} 1")
        speed = item(len(data), "Float", 4, f"{3 * count} 3")
        moving = np.zeros((count, 3, 3), "<f4")
        moving[..., 0] = k * np.array(velocities)[:, None]
        data += moving.tobytes()
        grids += (
            f'<Grid><Time Value="{k + 1}"/>{mesh}<Attribute Name="tag" Center="Cell">{tag}'
            f'</Attribute><Attribute Name="velocity" Center="Node">{speed}</Attribute></Grid>'
        )
    (directory / f"{name}.bin").write_bytes(data)
    text = f"<Xdmf><Domain><Grid>{grids}</Grid></Domain></Xdmf>"
    (directory / f"{name}.xdmf").write_text(text, encoding="utf-8")


def written(directory: Path, **more: Any) -> Path:
    """Samples of a rupture that spreads at 2 km/s from the middle and does not reach the end."""
    x, z = (
        coordinates.ravel()
        for coordinates in np.meshgrid(np.linspace(-8e3, 8e3, 81), np.linspace(-1e4, 0, 51))
    )
    time = np.hypot(x, z + 5e3) / 2e3
    rows = [
        f"{a},0,{b},{'' if t > 4 else t},{5 - t},1"
        for a, b, t in zip(x.tolist(), z.tolist(), time.tolist(), strict=True)
    ]
    header = "x_m,y_m,z_m,rupture_time_s,slip_m,peak_rate_mps"
    (directory / "f.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    xdmf(directory, "s", [1, 3, 1], [0.5, 100.0, -0.25])
    times = [k + 1.0 for k in range(COUNT)]
    outputs = {"fault": "f.csv", "snapshots": "s.xdmf", "snapshots_s": times, **more}
    line = {"workload": "rupture", "ranks": 1, "threads": 1, "details": {"outputs": outputs}}
    file = directory / "rupture.json"
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    return file


def test_files_are_read(tmp_path: Path) -> None:
    [field] = ruptures_of_run(tmp_path, [written(tmp_path)])

    assert field.points_m.shape == (81 * 51, 3)
    assert np.isnan(field.rupture_time_s[0])
    assert np.nanmax(field.rupture_time_s) <= 4
    assert len(field.snapshots) == MOST_SNAPSHOTS
    last = field.snapshots[-1]
    assert last.time_s == COUNT
    assert last.corners_m.shape == (2, 3, 2)  # the fault's triangle is not the surface's
    assert last.velocity_mps[:, 0].tolist() == [0.5 * (COUNT - 1), -0.25 * (COUNT - 1)]
    grids = list(read_xdmf(tmp_path / "s.xdmf"))
    assert [grid.time_s for grid in grids] == [k + 1 for k in range(COUNT)]


def test_contours_are_where_the_front_was(tmp_path: Path) -> None:
    fields = ruptures_of_run(tmp_path, [written(tmp_path)])
    drawn = drawn_rupture_field(fields)
    assert drawn is not None
    assert "Contours of rupture time are 0.5 s apart." in drawn.caption
    titles = [
        panel["title"]["text"] for panel in json.loads(drawn.specification)["vconcat"][0]["hconcat"]
    ]
    assert titles == ["Rupture time, 0 to 4 s", "Final slip, 0.283 to 5 m"]

    sets = json.loads(drawn.specification)["datasets"].values()
    ends = np.array([(row["x"], row["y"]) for rows in sets for row in rows if "y2" in row])
    radius = np.hypot(ends[:, 0], ends[:, 1] - 5)
    inner = radius[radius < 4.5]
    assert np.abs(inner - inner.round()).max() < 0.12  # km, at 2 km/s and each 0.5 s
    assert {1, 2, 3, 4} <= set(inner.round().astype(int).tolist())


def pixels(uri: str) -> NDArray[np.uint8]:
    """Colour numbers of a picture in a page; 0 is transparent."""
    png = base64.b64decode(uri.partition(",")[2])
    (width,) = struct.unpack(">I", png[16:20])
    begin = png.index(b"IDAT") + 4
    (length,) = struct.unpack(">I", png[begin - 8 : begin - 4])
    rows = np.frombuffer(zlib.decompress(png[begin : begin + length]), np.uint8)
    rows = rows.reshape(-1, 1 + width)
    return rows[rows[:, 0] == 0, 1:]  # others repeat the row above


def test_what_has_not_slipped_is_left_empty(tmp_path: Path) -> None:
    """Points that slipped by rounding alone are empty, too."""
    [field] = ruptures_of_run(tmp_path, [written(tmp_path)])
    slip = np.where(field.points_m[:, 0] < 0, 1e-16, field.slip_m)

    drawn = drawn_rupture_field([replace(field, slip_m=slip)])

    assert drawn is not None
    specification = json.loads(drawn.specification)
    slipped = specification["vconcat"][0]["hconcat"][1]
    assert slipped["title"]["text"] == "Final slip, 0 to 5 m"
    [whole] = specification["datasets"][slipped["data"]["name"]]
    left, right = np.array_split(pixels(whole["picture"]), 2, axis=1)
    edge = left.shape[1] // 20
    assert not left[:, :-edge].any()
    assert right[:, edge:].all()


@pytest.mark.parametrize(("last", "step"), [(12.0, 1.0), (5.5, 0.5), (0.9, 0.1), (25, 5), (0, 1)])
def test_steps_are_round(last: float, step: float) -> None:
    assert contour_step_s(np.array([0, last, np.nan])) == pytest.approx(step)
    assert contour_step_s(np.array([np.nan])) == 1


def test_page_and_files_have_the_image(tmp_path: Path) -> None:
    fields = ruptures_of_run(tmp_path, [written(tmp_path)])
    drawn = drawn_rupture_field(fields)

    html = page_with(tmp_path / "plots", "rupture", drawn, 2 + MOST_SNAPSHOTS, ruptures=fields)

    assert len(html) < 2e6


@pytest.mark.parametrize("field", ["tag", "velocity"])
def test_a_field_that_is_not_there_is_named(tmp_path: Path, field: str) -> None:
    file = written(tmp_path)
    grids = tmp_path / "s.xdmf"
    text = grids.read_text(encoding="utf-8")
    grids.write_text(text.replace(f'Name="{field}"', 'Name="other"'), encoding="utf-8")

    with pytest.raises(InvalidCommand, match=rf"s\.xdmf has no field '{field}'"):
        ruptures_of_run(tmp_path, [file])


def test_what_is_not_there_is_named_or_passed_over(tmp_path: Path) -> None:
    file = written(tmp_path)
    (tmp_path / "s.bin").unlink()
    with pytest.raises(InvalidCommand, match=r"s\.xdmf cannot be read"):
        ruptures_of_run(tmp_path, [file])
    assert ruptures_of_run(tmp_path, []) == []

    (tmp_path / "s.xdmf").write_text("<Xdmf>", encoding="utf-8")
    with pytest.raises(InvalidCommand, match=r"s\.xdmf cannot be read"):
        ruptures_of_run(tmp_path, [file])

    (tmp_path / "f.csv").write_text("x\n1,2\n", encoding="utf-8")
    with pytest.raises(InvalidCommand, match="has 1 rows of 2 columns; expected points of a fault"):
        ruptures_of_run(tmp_path, [file])
    (tmp_path / "f.csv").unlink()
    with pytest.raises(InvalidCommand, match=r"f\.csv cannot be read"):
        ruptures_of_run(tmp_path, [file])
