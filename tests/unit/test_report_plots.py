"""The plots as files, the matrix as an image, and the numbers as texts."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import vl_convert

from tests import synthetic
from tests.synthetic_plots import drawn_as, rows_of, specification
from waywiser.analyse.times import RankTime, extremes, rank_times
from waywiser.model.pairs import Pairs
from waywiser.model.summary import Matrix, Summary
from waywiser.report.drawing.export_plots import export_plots
from waywiser.report.drawing.image_formats import FORMATS
from waywiser.report.drawing.matrix_image import (
    COLOURS,
    LARGEST_PNG_BYTES,
    SIDE_PX,
    encode_png,
    matrix_image,
    matrix_squares,
    palette,
)
from waywiser.report.run.plots import matrix, ranks, sizes
from waywiser.report.run.run_plots import drawn_plots
from waywiser.units import (
    bytes_text,
    count_text,
    counted,
    percent_text,
    seconds_text,
    size_text,
)

BEGINS = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF-"}


@pytest.mark.parametrize("size", [1, 4, pytest.param(300, marks=pytest.mark.long)])
def test_each_plot_becomes_three_files(tmp_path: Path, size: int) -> None:
    summary = synthetic.summary(size)

    written = export_plots(drawn_plots(summary), tmp_path / "plots")

    drawn = [plot.name for plot in drawn_plots(summary) if plot.chart is not None]
    assert [path.name for path in written] == [
        f"{name}.{ending}" for name in drawn for ending in BEGINS
    ]
    for path in written:
        assert path.read_bytes().startswith(BEGINS[path.suffix[1:]])


def marks(svg: str, kind: str) -> int:
    """The number of drawn marks of a kind."""
    groups = re.findall(f'<g class="mark-{kind} role-mark[^>]*>(.*?)</g>', svg, re.DOTALL)
    return sum(group.count("<path") for group in groups)


def drawn(name: str, summary: Summary) -> str:
    """The plot's SVG, as the file NAME.svg has it."""
    return FORMATS["svg"](json.dumps(specification(drawn_as(name, summary)))).decode()


def test_a_screen_reader_is_not_given_each_mark() -> None:
    summary = synthetic.summary(64)

    for plot in drawn_plots(summary):
        if plot.chart is not None:
            svg = FORMATS["svg"](plot.specification).decode()
            assert ' mark"' not in svg, plot.name


def test_a_plot_shows_its_numbers() -> None:
    summary = synthetic.summary(4)

    calls = count_text(summary.functions["MPI_Allreduce"].calls)
    assert calls in drawn("functions", summary)
    assert marks(drawn("ranks", summary), "rect") == 4 * 4
    assert "<image" in drawn("matrix-bytes", summary)


def test_one_bar_of_a_thousand_is_pointed_at(tmp_path: Path) -> None:
    summary = synthetic.summary(1024)
    pair = extremes(rank_times(summary))
    assert pair is not None

    svg = vl_convert.vegalite_to_svg(specification(drawn_as("ranks", summary)))

    for name, time in zip(("slowest", "fastest"), pair, strict=True):
        assert f"{name}: rank {time.rank}<" in svg


@pytest.mark.parametrize(
    ("slow", "fast", "size"),
    [
        *((0, 1, 100), (1, 0, 100), (0, 99, 100), (99, 0, 100), (98, 99, 100), (40, 60, 100)),
        *((50, 51, 100), (2, 97, 100), (3, 0, 4), (0, 3, 4), (2, 1, 4), (0, 1, 2), (1, 0, 2)),
    ],
)
def test_labels_of_marked_ranks_stay_inside_and_apart(slow: int, fast: int, size: int) -> None:
    paces = {slow: 2.0, fast: 0.5}
    times = [
        RankTime(paces.get(rank, 1.0), 0.0, 0.0, 0.0, rank, "n0", 2.0, 1) for rank in range(size)
    ]

    labels = ranks.marked_ranks(times, size)

    ends = {}
    for mark in labels:
        at = (mark["rank"] + 0.5) * ranks.PLOT_PX / size
        ends[mark["rank"]] = (
            (at - ranks.LABEL_PX, at) if mark["align"] == "right" else (at, at + ranks.LABEL_PX)
        )
        assert 0 <= ends[mark["rank"]][0] < ends[mark["rank"]][1] <= ranks.PLOT_PX
    lower, upper = sorted(labels, key=lambda mark: mark["line"])
    assert lower["line"] < upper["line"]
    rule = (upper["rank"] + 0.5) * ranks.PLOT_PX / size
    left, right = ends[lower["rank"]]
    assert not left < rule < right, "the rule of the upper label crosses the lower label"


def test_an_empty_size_bin_keeps_its_place() -> None:
    function = synthetic.function({0: 1, 8: 1, 64: 1}, 1.0)

    assert sizes.axis_bounds([("MPI_Send", function)]) == [0, 8, 16, 32, 64]


def test_half_of_the_calls_and_half_of_the_time_have_their_own_sizes() -> None:
    sizes_ = ((0, 50, 9.0), (8, 6, 1.0), (64, 3, 1.0), (1024, 1, 2.5))
    function = synthetic.function({8: 1}, 1.0).replace(sizes=sizes_)
    summary = synthetic.summary(4).replace(functions={"MPI_Send": function})

    caption = sizes.sizes(summary).caption

    assert caption.startswith(
        "Half of the calls with a payload have at most 8 B; half of their time is in calls of at "
        "most 1 KiB. "
    )


def test_the_matrix_names_the_rank_that_sends_most_and_the_share_within_nodes() -> None:
    summary = synthetic.summary(64)  # 32 ranks share a host
    sent = Pairs([(0, 1, 30), (0, 40, 10), (33, 63, 20), (63, 2, 20)])
    caption = matrix.matrix_bytes(summary.replace(matrix=Matrix(bytes=sent, messages=sent))).caption

    assert caption.startswith(
        "Rank 0 sends most, 40 B, 32 times the mean. 62 % of the bytes stay within a node. "
    )


def test_ranks_that_send_alike_on_one_node_are_one_sentence() -> None:
    sent = Pairs([(rank, (rank + 1) % 4, 100 + rank % 2) for rank in range(4)])
    summary = synthetic.summary(4).replace(matrix=Matrix(bytes=sent, messages=sent))

    drawn = matrix.matrix_messages(summary)

    assert drawn is not None
    assert drawn.caption.startswith("All ranks send about alike, 100 messages. Point-to-point")


def test_the_matrix_has_senders_downwards_and_receivers_to_the_right() -> None:
    squares, zoom = matrix_squares(Pairs([(0, 1, 10), (2, 0, 1000), (1, 1, 0)]).array, 3)

    assert squares.tolist() == [[0, 1, 0], [0, 0, 0], [COLOURS, 0, 0]]
    assert zoom == SIDE_PX // 3


def test_colours_follow_the_logarithm() -> None:
    pairs = Pairs([(0, 0, 1), (0, 1, 100), (1, 0, 10_000), (1, 1, 0)])

    squares, _ = matrix_squares(pairs.array, 2)

    assert squares.tolist() == [[1, COLOURS // 2], [COLOURS, 0]]


def test_more_ranks_than_pixels_share_squares_by_their_largest_pair() -> None:
    size = 5000
    pairs = Pairs([(0, 4999, 7), (1, 4998, 900), (4999, 0, 7)])

    together = matrix_image(pairs, size).ranks_per_square
    squares, _ = matrix_squares(pairs.array, size, together)

    assert together == 3
    assert squares.shape[0] == -(-size // together)
    assert squares[0, 4999 // together] == COLOURS
    assert squares[4999 // together, 0] == 1


def test_ranks_share_squares_until_the_image_is_small() -> None:
    pairs = synthetic.dense(512).matrix.bytes

    few = matrix_image(Pairs(pair for pair in pairs if max(pair[:2]) < 128), 128)
    many = matrix_image(
        Pairs((a + 512 * b % 1536, to, n) for b in range(3) for a, to, n in pairs), 1536
    )

    assert few.ranks_per_square == 1
    assert many.ranks_per_square > 1
    assert len(base64.b64decode(many.data_uri.split(",")[1])) <= LARGEST_PNG_BYTES


def test_amounts_up_to_64_bits_keep_their_order() -> None:
    pairs = Pairs([(0, 1, 1), (2, 0, 2**64 - 1), (1, 0, 2**64 - 2), (0, 2, 1), (1, 1, 0)])

    assert pairs.heaviest(3) == [(2, 0, 2**64 - 1), (1, 0, 2**64 - 2), (0, 1, 1)]
    assert pairs.heaviest(9) == [*pairs.heaviest(3), (0, 2, 1)]


def test_pairs_are_the_same_however_they_are_created() -> None:
    triples = [(0, 1, 5), (2, 0, 2**64 - 1), (1, 0, 0)]
    result = Pairs(np.array(triples, np.uint64))

    assert Pairs(triples) == Pairs(iter(triples)) == result == Pairs(result.array.data)
    assert hash(Pairs(triples)) == hash(result)
    assert list(result) == list(map(tuple, result.array.tolist())) == triples
    assert (result[1], result[-1], list(result[::2])) == (triples[1], triples[2], triples[::2])
    assert result != Pairs(triples[:2])
    assert not result.array.flags.writeable
    with pytest.raises(IndexError):
        result[3]


@pytest.mark.parametrize("nothing", [(), np.empty((0, 3), np.uint64)])
def test_no_pairs_are_an_empty_array(nothing: Any) -> None:
    assert list(Pairs(nothing)) == Pairs(nothing).heaviest(2) == []
    assert Pairs(nothing).array.shape == (0, 3)


def test_the_table_joins_bytes_and_messages() -> None:
    sent = Matrix(
        bytes=Pairs([(0, 1, 5), (2, 0, 9)]), messages=Pairs([(0, 1, 1), (1, 2, 3), (2, 0, 1)])
    )

    rows = rows_of("matrix-bytes", synthetic.summary(3).replace(matrix=sent))

    assert rows == ((2, 0, 9, 1), (0, 1, 5, 1), (1, 2, 0, 3))


def test_the_png_decodes_to_what_was_encoded() -> None:
    squares = np.array([[0, 32, 3], [1, 16, 2]], dtype=np.uint8)

    png = encode_png(squares, zoom=2)

    chunks = {}
    at = 8
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        data = png[at + 8 : at + 8 + length]
        [check] = struct.unpack(">I", png[at + 8 + length : at + 12 + length])
        assert check == zlib.crc32(name + data)
        chunks[name] = data
        at += 12 + length
    assert struct.unpack(">II", chunks[b"IHDR"][:8]) == (6, 4)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), dtype=np.uint8).reshape(4, 7)
    assert rows[:, 0].tolist() == [0, 2, 0, 2], "filters None and Up"
    assert (rows[::2, 1:] == squares.repeat(2, axis=1)).all()
    assert not rows[1::2, 1:].any()
    assert len(chunks[b"PLTE"]) == 3 * (COLOURS + 1)
    assert chunks[b"tRNS"] == b"\0", "nothing sent is transparent"


def test_the_image_is_small() -> None:
    summary = synthetic.summary(1024)

    image = matrix_image(summary.matrix.bytes, 1024)

    uri = image.data_uri
    assert image.ranks_per_square == 1
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
    for number, colour in zip((1, COLOURS // 2, COLOURS), drawn, strict=True):
        assert palette()[number].astype(int) == pytest.approx([int(c) for c in colour], abs=6)


@pytest.mark.parametrize(
    ("text", "expected"),
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
def test_numbers_for_people(text: str, expected: str) -> None:
    assert text == expected
