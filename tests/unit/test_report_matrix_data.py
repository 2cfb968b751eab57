"""All pairs of a matrix in the page: packed without loss, and left out where they are too many."""

from __future__ import annotations

import base64
import zlib

import numpy as np
import pytest

from tests import synthetic, synthetic_pages
from waywiser.model.pairs import Pairs
from waywiser.model.summary import Matrix
from waywiser.report.run.matrix_data import FEWEST_BYTES, leb128, packed


def unpacked(text: str, ranks: int) -> dict[tuple[int, int], tuple[int, int]]:
    """(source, destination) -> bytes, messages: the slow and obvious way."""
    numbers = [0]
    shift = 0
    for byte in zlib.decompress(base64.b64decode(text)):
        numbers[-1] += (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(0)
            shift = 0
    count = len(numbers) // 3
    keys = np.cumsum(numbers[:count]).tolist()
    amounts = zip(numbers[count : 2 * count], numbers[2 * count : 3 * count], strict=True)
    return {divmod(key, ranks): pair for key, pair in zip(keys, amounts, strict=True)}


def test_what_was_packed_comes_out_again() -> None:
    matrix = Matrix(
        bytes=Pairs([(4999, 0, 2**50), (0, 4999, 127), (0, 1, 128)]),
        messages=Pairs([(0, 1, 1), (7, 7, 16_384), (4999, 0, 3)]),
    )

    text = packed(matrix, 5000)

    assert text is not None
    assert unpacked(text, 5000) == {
        (0, 1): (128, 1),
        (0, 4999): (127, 0),
        (7, 7): (0, 16_384),
        (4999, 0): (2**50, 3),
    }


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, "00"), (127, "7f"), (128, "8001"), (624_485, "e58e26"), (2**64 - 1, "ff" * 9 + "01")],
)
def test_numbers_are_groups_of_seven_bits(number: int, expected: str) -> None:
    assert leb128(np.array([number], dtype=np.uint64)).hex() == expected


def test_a_dense_matrix_without_any_order_has_no_room() -> None:
    halo, dense = synthetic.summary(1024), synthetic.dense(1024)

    room = packed(halo.matrix, 1024)

    assert room is not None
    assert len(unpacked(room, 1024)) == len(halo.matrix.bytes)
    assert packed(halo.matrix, 1024, FEWEST_BYTES - len(room)) == room
    assert packed(halo.matrix, 1024, FEWEST_BYTES - len(room) + 1) is None
    assert packed(dense.matrix, 1024) is None
    html = synthetic_pages.of_dense(1024)
    assert "all of the 1,047,552 would make this page too large" in html
    assert 'class="chart explorer"' not in html


def test_two_plots_share_the_pairs() -> None:
    html = synthetic_pages.of(1024)

    assert html.count('id="pairs-messages"') == 1
    assert html.count('data-pairs="pairs-messages"') == 2
    assert 'class="chart explorer"' not in synthetic_pages.of(64)
