"""Communication matrices in the Matrix Market format, and what is said of those that are none."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from pathlib import Path
from typing import IO

import numpy as np
import pytest

from waywiser.errors import InvalidMatrix
from waywiser.store import matrix_market
from waywiser.store.matrix_market import (
    CommunicationMatrix,
    component_count,
    read_matrix_market,
)

GENERAL = "%%MatrixMarket matrix coordinate integer general\n"
SYMMETRIC = "%%MatrixMarket matrix coordinate integer symmetric\n"
REAL = "%%MatrixMarket matrix coordinate real general\n"
PATTERN = "%%MatrixMarket matrix coordinate pattern symmetric\n"


def read(path: Path, text: str) -> CommunicationMatrix:
    file = path / "matrix.mtx"
    file.write_text(text, encoding="utf-8")
    return read_matrix_market(file)


def sent(matrix: CommunicationMatrix) -> dict[tuple[int, int], int]:
    pairs = zip(matrix.sources.tolist(), matrix.targets.tolist(), strict=True)
    by_pair = dict(zip(pairs, matrix.bytes.tolist(), strict=True))
    assert len(by_pair) == matrix.bytes.size
    return by_pair


def test_an_entry_of_a_general_matrix_goes_in_one_direction(tmp_path: Path) -> None:
    matrix = read(tmp_path, GENERAL + "% who\n%  sends\n\n3 3 2\n1 3 7\n 2  1\t9 \n")

    assert matrix.ranks == 3
    assert sent(matrix) == {(0, 2): 7, (1, 0): 9}
    assert matrix.remarks == ()


def test_an_entry_of_a_symmetric_matrix_goes_in_both_directions(tmp_path: Path) -> None:
    matrix = read(tmp_path, SYMMETRIC + "3 3 2\n2 1 5\n3 1 6\n")

    assert sent(matrix) == {(1, 0): 5, (0, 1): 5, (2, 0): 6, (0, 2): 6}


def test_bytes_are_exact_up_to_the_last(tmp_path: Path) -> None:
    large = [2**32 + 1, 2**53 + 1, 2**62 + 12_345]

    matrix = read(tmp_path, GENERAL + f"4 4 3\n1 2 {large[0]}\n1 3 {large[1]}\n1 4 {large[2]}\n")

    assert sent(matrix) == {(0, 1): large[0], (0, 2): large[1], (0, 3): large[2]}


def test_real_entries_are_rounded_and_patterns_count_one_byte(tmp_path: Path) -> None:
    assert sent(read(tmp_path, REAL + "2 2 2\n1 2 1.6e3\n2 1 2.7\n")) == {(0, 1): 1600, (1, 0): 3}
    assert sent(read(tmp_path, PATTERN + "2 2 1\n2 1\n")) == {(1, 0): 1, (0, 1): 1}


def test_entries_of_a_rank_to_itself_are_left_out_with_a_remark(tmp_path: Path) -> None:
    matrix = read(tmp_path, GENERAL + "2 2 3\n1 1 5\n2 2 5\n1 2 5\n")

    assert sent(matrix) == {(0, 1): 5}
    assert [remark.split(": ")[1] for remark in matrix.remarks] == [
        "2 entries of a rank to itself are left out"
    ]


def test_parts_that_never_talk_are_remarked(tmp_path: Path) -> None:
    matrix = read(tmp_path, GENERAL + "6 6 3\n1 2 5\n2 3 5\n5 4 5\n")

    assert "fall into 3 parts" in matrix.remarks[0]


def test_components_are_those_of_a_search() -> None:
    dice = random.Random(5)
    for _ in range(200):
        ranks = dice.randint(1, 12)
        edges = [(dice.randrange(ranks), dice.randrange(ranks)) for _ in range(dice.randint(0, 9))]
        unseen, parts = set(range(ranks)), 0
        while unseen:
            parts += 1
            reached = [unseen.pop()]
            for rank in reached:
                near = {b if a == rank else a for a, b in edges if rank in (a, b)} & unseen
                unseen -= near
                reached += near
        rows = np.array([a for a, _ in edges], np.int64)
        columns = np.array([b for _, b in edges], np.int64)

        assert component_count(ranks, rows, columns) == parts


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1: expected a Matrix Market header"),
        ("2 2 1\n1 2 3\n", "line 1: expected a Matrix Market header"),
        ("%%MatrixMarket matrix array real general\n", "line 1: 'matrix array real general'"),
        ("%%MatrixMarket matrix coordinate complex general\n", "line 1: 'matrix coordinate comp"),
        ("%%MatrixMarket matrix coordinate real skew-symmetric\n", "line 1: 'matrix coordinate re"),
        (GENERAL, "line 1: the file ends before its size line"),
        (GENERAL + "% none\n2 2\n1 2 3\n", "line 3: expected 'ranks ranks entries'"),
        (GENERAL + "2 2 -1\n1 2 3\n", "line 2: expected 'ranks ranks entries'"),
        (GENERAL + "2 3 1\n1 2 3\n", "line 2: 2 rows and 3 columns"),
        (GENERAL + "0 0 0\n", "line 2: 0 ranks"),
        (GENERAL + "2147483648 2147483648 1\n1 2 3\n", "line 2: 2147483648 ranks"),
        (GENERAL + "2 2 0\n", "no rank sends a byte to another"),
        (GENERAL + "2 2 2\n1 1 9\n1 2 0\n", "no rank sends a byte to another"),
        (GENERAL + "3 3 3\n1 2 3\n1 3 3\n", "ends after 2 of 3 entries"),
        (GENERAL + "3 3 1\n1 2 3\n1 3 3\n", "more entries than the 1"),
        (GENERAL + "3 3 2\n1 2 3\n4 3 3\n", "line 4: 4 is not a row or column of 3"),
        (GENERAL + "3 3 2\n1 2 3\n\n0 3 3\n", "line 5: 0 is not a row or column of 3"),
        (GENERAL + "3 3 1\n1 99999999999999999999 3\n", "line 3: 99999999999999999999 is not"),
        (GENERAL + "3 3 1\n1 2 -3\n", "line 3: -3 bytes"),
        (REAL + "3 3 1\n1 2 -1e-9\n", "line 3: -1e-9 bytes"),
        (GENERAL + "3 3 1\n1 2 9223372036854775808\n", "line 3: 9223372036854775808 bytes; a"),
        (REAL + "3 3 1\n1 2 1e19\n", "line 3: 1e19 bytes; at most"),
        (GENERAL + "3 3 1\n1 2 many\n", "line 3: expected a whole number of bytes: 'many'"),
        (GENERAL + "3 3 1\n1 2 2.5\n", "line 3: expected a whole number of bytes: '2.5'"),
        (REAL + "3 3 1\n1 2 nan\n", "line 3: expected a number of bytes: 'nan'"),
        (REAL + "3 3 1\n1 2 1_0\n", "line 3: expected a number of bytes: '1_0'"),
        (GENERAL + "3 3 1\n1.0 2 3\n", "line 3: expected the number of a rank, from 1: '1.0'"),
        (GENERAL + "3 3 1\n1 2\n", "line 3: expected 'row column bytes': '1 2'"),
        (GENERAL + "3 3 1\n1 2 3 4\n", "line 3: expected 'row column bytes': '1 2 3 4'"),
        (PATTERN + "3 3 1\n2 1 4\n", "line 3: expected 'row column': '2 1 4'"),
        (SYMMETRIC + "3 3 1\n1 2 3\n", r"line 3: \(1, 2\) lies above the diagonal"),
        (GENERAL + f"2 2 2\n1 2 {2**62}\n2 1 {2**62}\n", "all entries together exceed"),
        (SYMMETRIC + f"2 2 1\n2 1 {2**62}\n", "all entries together exceed"),
        (GENERAL + "3 3 4\n" + f"1 2 {2**62}\n" * 4, "all entries together exceed"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InvalidMatrix, match=rf"^{tmp_path}/matrix\.mtx(, |: ){says}"):
        read(tmp_path, text)


def test_lines_are_counted_through_all_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix_market, "LINES_AT_A_TIME", 2)
    good = "1 2 3\n\n\n\n2 1 3\n"

    assert sent(read(tmp_path, GENERAL + "2 2 2\n" + good)) == {(0, 1): 3, (1, 0): 3}
    with pytest.raises(InvalidMatrix, match="line 8: 3 is not a row or column of 2"):
        read(tmp_path, GENERAL + "2 2 3\n" + good + "3 1 3\n")


def test_a_file_that_is_missing_or_cut_off_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidMatrix, match=r"none\.mtx: No such file"):
        read_matrix_market(tmp_path / "none.mtx")
    whole = gzip.compress((GENERAL + "3 3 2\n1 2 3\n1 3 3\n").encode())
    for length in range(2, len(whole)):
        (tmp_path / "cut.mtx.gz").write_bytes(whole[:length])
        with pytest.raises(InvalidMatrix, match=r"cut\.mtx\.gz: the compressed file is cut off"):
            read_matrix_market(tmp_path / "cut.mtx.gz")


@pytest.mark.parametrize("opener", [open, gzip.open])
def test_what_is_written_is_read(tmp_path: Path, opener: Callable[..., IO[str]]) -> None:
    dice = np.random.default_rng(1)
    sources = dice.integers(0, 50, 1000, dtype=np.uint32)
    targets = (sources + dice.integers(1, 50, 1000, dtype=np.uint32)) % np.uint32(50)
    amounts = dice.integers(1, 2**53, 1000, np.uint64)

    with opener(tmp_path / "matrix", "wt", encoding="utf-8") as out:
        out.write(f"{GENERAL}%of a run\n%of ours\n50 50 1000\n")
        for source, target, amount in zip(sources, targets, amounts, strict=True):
            out.write(f"{source + 1} {target + 1} {amount}\n")
    matrix = read_matrix_market(tmp_path / "matrix")

    assert matrix.ranks == 50
    assert np.array_equal(matrix.sources, sources)
    assert np.array_equal(matrix.targets, targets)
    assert np.array_equal(matrix.bytes, amounts)
