"""The figures as files, the matrix as an image, and the numbers as texts."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
import vl_convert

from tests import synthetic
from waywiser.errors import NotSaved
from waywiser.report.export_figures import export_figures
from waywiser.report.figures import FIGURES
from waywiser.report.matrix_image import (
    encode_png,
    matrix_data_uri,
    matrix_squares,
    palette,
    ranks_per_square,
)
from waywiser.report.plots import sizes
from waywiser.units import (
    bytes_text,
    count_text,
    counted,
    percent_text,
    seconds_text,
    size_text,
)

BEGINS = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF-"}


@pytest.mark.parametrize("ranks", [1, 4, 300])
def test_each_figure_becomes_three_files(tmp_path: Path, ranks: int) -> None:
    summary = synthetic.summary(ranks)

    written = export_figures(summary, tmp_path / "figures")

    drawn = [figure.name for figure in FIGURES if not figure.absent(summary)]
    assert [path.name for path in written] == [
        f"{name}.{ending}" for name in drawn for ending in BEGINS
    ]
    for path in written:
        assert path.read_bytes().startswith(BEGINS[path.suffix[1:]])


def test_a_figure_shows_its_numbers(tmp_path: Path) -> None:
    summary = synthetic.summary(4)
    export_figures(summary, tmp_path)

    functions = (tmp_path / "functions.svg").read_text(encoding="utf-8")
    assert count_text(summary.functions["MPI_Allreduce"].calls) in functions
    pie = (tmp_path / "time.svg").read_text(encoding="utf-8")
    assert pie.count('aria-roledescription="arc mark"') == 4
    bars = (tmp_path / "ranks.svg").read_text(encoding="utf-8")
    assert bars.count('aria-roledescription="rect mark"') == 4 * 4
    assert "<image" in (tmp_path / "matrix-bytes.svg").read_text(encoding="utf-8")


def test_figures_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(NotSaved, match="figures could not be written"):
        export_figures(synthetic.summary(1), tmp_path / "file")


def test_an_empty_size_bin_keeps_its_place() -> None:
    function = synthetic.function({0: 1, 8: 1, 64: 1}, 1.0)

    assert sizes.axis_bounds([("MPI_Send", function)]) == [0, 8, 16, 32, 64]


def test_the_matrix_has_senders_downwards_and_receivers_to_the_right() -> None:
    squares = matrix_squares(((0, 1, 10), (2, 0, 1000), (1, 1, 0)), 3)

    zoom = len(squares) // 3
    small = squares[::zoom, ::zoom]
    assert small.tolist() == [[0, 1, 0], [0, 0, 0], [255, 0, 0]]
    assert (small.repeat(zoom, 0).repeat(zoom, 1) == squares).all()


def test_colours_follow_the_logarithm() -> None:
    squares = matrix_squares(((0, 0, 1), (0, 1, 100), (1, 0, 10_000)), 2)

    assert sorted(set(squares.flat)) == [0, 1, 128, 255]


def test_more_ranks_than_pixels_share_squares_by_their_largest_pair() -> None:
    ranks = 5000
    pairs = ((0, 4999, 7), (1, 4998, 900), (4999, 0, 7))

    squares = matrix_squares(pairs, ranks)

    together = ranks_per_square(ranks)
    assert together == 3
    assert squares.shape[0] == -(-ranks // together)
    assert squares[0, 4999 // together] == 255
    assert squares[4999 // together, 0] == 1


def test_the_png_decodes_to_what_was_encoded() -> None:
    squares = np.array([[0, 255, 3], [1, 128, 2]], dtype=np.uint8)

    png = encode_png(squares)

    chunks = {}
    at = 8
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        data = png[at + 8 : at + 8 + length]
        [check] = struct.unpack(">I", png[at + 8 + length : at + 12 + length])
        assert check == zlib.crc32(name + data)
        chunks[name] = data
        at += 12 + length
    assert struct.unpack(">II", chunks[b"IHDR"][:8]) == (3, 2)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), dtype=np.uint8).reshape(2, 4)
    assert (rows[:, 1:] == squares).all()
    assert chunks[b"tRNS"] == b"\0", "nothing sent is transparent"


def test_the_image_is_small() -> None:
    summary = synthetic.summary(1024)

    uri = matrix_data_uri(summary.matrix.bytes, 1024)

    assert uri.startswith("data:image/png;base64,")
    assert base64.b64decode(uri.split(",")[1]).startswith(b"\x89PNG")
    assert len(uri) < 60_000


def test_the_legend_has_the_colours_of_the_image() -> None:
    """The legend is Vega's cividis, the image ours: three amounts must look alike in both."""
    svg = vl_convert.vegalite_to_svg(
        {
            "data": {"values": [{"amount": amount} for amount in (1, 100, 10_000)]},
            "mark": "point",
            "encoding": {
                "fill": {
                    "field": "amount",
                    "type": "quantitative",
                    "scale": {
                        "type": "log",
                        "scheme": "cividis",
                        "reverse": True,
                        "domain": [1, 10_000],
                    },
                }
            },
        }
    )
    drawn = re.findall(r'aria-roledescription="point"[^>]*fill="rgb\((\d+), (\d+), (\d+)\)"', svg)

    assert len(drawn) == 3
    for number, colour in zip((1, 128, 255), drawn, strict=True):
        assert palette()[number].astype(int) == pytest.approx([int(c) for c in colour], abs=3)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (seconds_text(0), "0 s"),
        (seconds_text(1e-9), "1 ns"),
        (seconds_text(0.01234), "12.3 ms"),
        (seconds_text(0.9999), "1.00 s"),
        (seconds_text(119.6), "120 s"),
        (seconds_text(125), "2 min 05 s"),
        (seconds_text(3725), "1 h 02 min"),
        (bytes_text(0), "0 B"),
        (bytes_text(1_210_000_000), "1.21 GB"),
        (bytes_text(999_999), "1.00 MB"),
        (size_text(8), "8 B"),
        (size_text(1024), "1 KiB"),
        (size_text(1 << 40), "1 TiB"),
        (percent_text(0), "0 %"),
        (percent_text(0.0001), "< 0.1 %"),
        (percent_text(0.0734), "7.3 %"),
        (percent_text(0.31), "31 %"),
        (percent_text(1), "100 %"),
        (counted(1, "rank"), "1 rank"),
        (counted(1024, "rank"), "1,024 ranks"),
    ],
)
def test_numbers_for_people(text: str, wanted: str) -> None:
    assert text == wanted
