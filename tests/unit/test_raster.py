"""Pictures of points and triangles, and contours of pictures, against plain geometry."""

from __future__ import annotations

import numpy as np
import pytest

from waywiser.report.drawing.raster import Box, contour, means, triangles

BOX = Box((0, 4), (-1, 1), 4, 2)
NAN = float("nan")


def test_places_and_positions_are_each_other_s_inverse() -> None:
    column, row = BOX.place(np.array([0.5, 3.5]), np.array([-0.5, 0.5]))
    assert column.tolist() == [0, 3]
    assert row.tolist() == [0, 1]
    assert BOX.position(3, 1) == (3.5, 0.5)


def test_pixels_have_the_mean_of_their_points_and_gaps_that_of_their_neighbours() -> None:
    x = np.array([0.2, 0.8, 1.5, 3.5, 9.0])
    y = np.array([-0.5, -0.2, -0.5, 0.5, 0.0])
    pixels = means(BOX, x, y, np.array([1, 3, 5, NAN, 100]))
    assert pixels[0, :2].tolist() == [2, 5]
    assert pixels[1, 0] == pytest.approx(3.5)  # of 2 and 5
    assert pixels[0, 2] == 5
    assert np.isnan(pixels[1, 3])  # a point without a number, not a gap


def test_triangles_are_linear_and_end_at_their_edges() -> None:
    box = Box((0, 10), (0, 10), 100, 100)
    corners = np.array([[[1, 1], [9, 1], [1, 9]]], np.float64)
    image = triangles(box, corners, 2 * corners[..., 0] + 3 * corners[..., 1])
    row, column = np.mgrid[:100, :100]
    x, y = (column + 0.5) / 10, (row + 0.5) / 10
    inside = (x >= 1) & (y >= 1) & (x + y <= 10 + 1e-9)
    assert (np.isfinite(image) == inside).all()
    assert image[inside] == pytest.approx((2 * x + 3 * y)[inside])


def test_the_contour_of_a_cone_is_a_circle() -> None:
    box = Box((-1, 1), (-1, 1), 80, 80)
    row, column = np.mgrid[:80, :80]
    x, y = box.position(column, row)
    image = np.hypot(x, y)
    image[:, 70:] = NAN
    segments = np.array(contour(box, image, 0.5)).reshape(-1, 2, 2)
    assert np.linalg.norm(segments, axis=2) == pytest.approx(0.5, abs=2e-3)
    length = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1).sum()
    assert length == pytest.approx(2 * np.pi * 0.5, rel=1e-2)
    assert contour(box, image, 5) == []
