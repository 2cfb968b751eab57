"""Pictures of points and triangles in a plane, and contours of pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Box:
    """A rectangle cut into pixels, of which row 0 is at the lowest y."""

    x: tuple[float, float]
    y: tuple[float, float]
    columns: int
    rows: int

    def place(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """The column and row of points in pixels, counted from the middle of the first pixel."""
        column = (x - self.x[0]) / (self.x[1] - self.x[0]) * self.columns - 0.5
        row = (y - self.y[0]) / (self.y[1] - self.y[0]) * self.rows - 0.5
        return column, row

    def position(self, column: float, row: float) -> tuple[float, float]:
        """The coordinates of a column and a row in pixels: the inverse of `place`."""
        x = self.x[0] + (column + 0.5) / self.columns * (self.x[1] - self.x[0])
        y = self.y[0] + (row + 0.5) / self.rows * (self.y[1] - self.y[0])
        return x, y


def means(box: Box, x: Floats, y: Floats, values: Floats) -> Floats:
    """The mean of the points in each pixel, shape (rows, columns); points without a number do not
    count, and pixels without any point take the mean of their neighbours.

    A pixel whose points have no number has none.
    """
    column, row = (np.rint(coordinates).astype(np.intp) for coordinates in box.place(x, y))
    inside = (column >= 0) & (column < box.columns) & (row >= 0) & (row < box.rows)
    at = (row[inside], column[inside])
    numbers = values[inside]
    counted = np.isfinite(numbers)
    total, count, points = (np.zeros((box.rows, box.columns)) for _ in range(3))
    np.add.at(points, at, 1)
    np.add.at(count, at, counted)
    np.add.at(total, at, np.where(counted, numbers, 0))
    with np.errstate(invalid="ignore"):
        image = total / count
    return _filled(image, points > 0)


def _filled(image: Floats, known: NDArray[np.bool_]) -> Floats:
    while known.any() and not known.all():
        values = np.pad(np.where(known & np.isfinite(image), image, 0), 1)
        weights = np.pad((known & np.isfinite(image)).astype(np.float64), 1)
        reached = np.pad(known, 1)
        rows, columns = image.shape
        steps = [(i, j) for i in range(3) for j in range(3)]
        window = [(slice(i, i + rows), slice(j, j + columns)) for i, j in steps]
        with np.errstate(invalid="ignore"):
            mean = sum(values[w] for w in window) / sum(weights[w] for w in window)
        near = np.logical_or.reduce([reached[w] for w in window])
        image = np.where(known, image, mean)
        known = known | near
    return image


def triangles(box: Box, corners: Floats, values: Floats) -> Floats:
    """Values interpolated linearly in each triangle, shape (rows, columns); NaN outside.

    Args:
        corners: shape (triangles, 3, 2).
        values: shape (triangles, 3).
    """
    column, row = box.place(corners[..., 0], corners[..., 1])
    image = np.full((box.rows, box.columns), np.nan)
    low_c, high_c = np.ceil(column.min(1)).astype(int), np.floor(column.max(1)).astype(int)
    low_r, high_r = np.ceil(row.min(1)).astype(int), np.floor(row.max(1)).astype(int)
    low_c, low_r = np.maximum(low_c, 0), np.maximum(low_r, 0)
    high_c, high_r = np.minimum(high_c, box.columns - 1), np.minimum(high_r, box.rows - 1)
    for i in np.flatnonzero((low_c <= high_c) & (low_r <= high_r)):
        c, r = np.meshgrid(np.arange(low_c[i], high_c[i] + 1), np.arange(low_r[i], high_r[i] + 1))
        (c0, c1, c2), (r0, r1, r2) = column[i], row[i]
        area = (c1 - c0) * (r2 - r0) - (c2 - c0) * (r1 - r0)
        if area == 0:
            continue
        second = ((c - c0) * (r2 - r0) - (c2 - c0) * (r - r0)) / area
        third = ((c1 - c0) * (r - r0) - (c - c0) * (r1 - r0)) / area
        first = 1 - second - third
        inside = (first >= -1e-9) & (second >= -1e-9) & (third >= -1e-9)
        value = first * values[i, 0] + second * values[i, 1] + third * values[i, 2]
        image[r[inside], c[inside]] = value[inside]
    return image


Segment = tuple[float, float, float, float]
"""Ends of a segment: x, y, x2, y2."""


def contour(box: Box, image: Floats, level: float) -> list[Segment]:
    """The contour of a picture at `level`, as segments between edges of the squares whose corners
    are the centres of four neighbouring pixels. Each square is cut into two triangles; the picture
    is linear along edges.

    Squares with a NaN pixel have no segments.
    """
    segments: list[Segment] = []
    above = image > level
    whole = np.isfinite(image)
    corners = [(0, 0), (0, 1), (1, 1), (1, 0)]

    def part(mask: NDArray[np.bool_], i: int, j: int) -> NDArray[np.bool_]:
        return mask[i : mask.shape[0] - 1 + i, j : mask.shape[1] - 1 + j]

    high = sum(part(above, i, j).astype(int) for i, j in corners)
    complete = np.logical_and.reduce([part(whole, i, j) for i, j in corners])
    for row, column in np.argwhere((high > 0) & (high < 4) & complete).tolist():
        square = [(row + i, column + j) for i, j in corners]
        for triangle in ((0, 1, 2), (0, 2, 3)):
            ends = []
            for start, end in zip(triangle, (*triangle[1:], triangle[0]), strict=True):
                (r0, c0), (r1, c1) = square[start], square[end]
                a, b = image[r0, c0], image[r1, c1]
                if (a > level) != (b > level):
                    share = (level - a) / (b - a)
                    ends.append(box.position(c0 + share * (c1 - c0), r0 + share * (r1 - r0)))
            if ends:
                segments.append((*ends[0], *ends[1]))
    return segments
