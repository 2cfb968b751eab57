"""The picture of a placement: what its squares and bars stand for."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.unit.test_place import place, write_matrix
from waywiser.model.pairs import Pairs
from waywiser.report.answers.placement_plot import MOST_SQUARES, slots_per_square, summed


def test_a_square_is_the_sum_of_its_pairs() -> None:
    rng = np.random.default_rng(5)
    ranks, together = 10, 3
    sent = rng.integers(1, 100, size=(ranks, ranks))
    sources, targets = np.indices(sent.shape)
    columns = (sources.ravel(), targets.ravel(), sent.ravel())
    order = rng.permutation(ranks).tolist()

    squares = summed(Pairs(np.stack(columns, axis=1).astype(np.uint64)), order, ranks, together)

    expected = np.zeros((4, 4))
    for (source, target), amount in np.ndenumerate(sent):
        expected[order[source] // together, order[target] // together] += amount
    assert squares.tolist() == expected.tolist()


def test_large_jobs_have_squares_of_whole_hosts() -> None:
    assert slots_per_square([2, 2, 2]) == 1
    assert slots_per_square([24] * 288) == 72
    assert slots_per_square([64] * 3) == 64
    uneven = [3, 5] * 400
    assert sum(uneven) / slots_per_square(uneven) <= MOST_SQUARES


def test_bars_and_legend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_matrix(tmp_path / "six.mtx", {(0, 3): 900, (1, 4): 900, (2, 5): 900, (0, 1): 300}, 6)
    (tmp_path / "three").write_text("n0 slots=2\nn1 slots=2\nn2 slots=2\n")

    place("six.mtx", "--on", "rig-3", "--hosts", "three", "--draw", "six.svg")

    texts = re.findall(r"<text[^>]*>([^<]*)</text>", (tmp_path / "six.svg").read_text())
    assert texts[0] == "six.mtx on Three nodes of two slots on one switch"
    assert texts[4:6] == ["300 B", "900 B a dot (logarithmic)"]
    # Ranks 0 and 1 share a host in the run; in the placement, the three pairs do.
    shares = [text for text in texts if text.endswith("%")]
    assert shares == ["10 %", "90 %", "90 %", "10 %"]
