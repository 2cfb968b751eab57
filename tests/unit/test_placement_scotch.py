"""Scotch as a method: what it proposes is a placement, and a good one."""

from __future__ import annotations

import ctypes
import json
import random
from pathlib import Path

import numpy as np
import pytest

from tests.unit.test_place import write_matrix
from waywiser.cli.main import main
from waywiser.native import _native as native


def is_installed() -> bool:
    try:
        ctypes.CDLL("libscotcherr-7.0.so", ctypes.RTLD_GLOBAL)
        ctypes.CDLL("libscotch-7.0.so")
    except OSError:
        return False
    return True


needs_scotch = pytest.mark.skipif(not is_installed(), reason="libscotch-7.0 is not installed")

LENGTHS = (8, 8, 8)


def shuffled_halo(seed: int) -> native.Pattern:
    """A 3-D halo whose ranks are numbered at random."""
    count = int(np.prod(LENGTHS))
    number = np.random.default_rng(seed).permutation(count).reshape(LENGTHS)
    ends = []
    for axis in range(3):
        low = np.moveaxis(number, axis, 0)[:-1].ravel()
        high = np.moveaxis(number, axis, 0)[1:].ravel()
        ends += [(low, high), (high, low)]
    sources, targets = (
        np.concatenate(parts).astype(np.uint32) for parts in zip(*ends, strict=True)
    )
    sent = np.full(sources.size, 1000, dtype=np.uint64)
    return native.Pattern(count, sources, targets, sent, np.zeros_like(sent))


def slots_of(counts: list[int]) -> native.Slots:
    torus = native.make_topology("torus", {"lengths": [4, 4, 4]})
    node = np.repeat(np.arange(64, dtype=np.uint32), counts)
    position = np.concatenate([np.arange(count, dtype=np.uint32) for count in counts])
    return native.Slots(torus, node, position, [])


@needs_scotch
@pytest.mark.parametrize("seed", [1, 2])
def test_a_halo_on_a_torus(seed: int) -> None:
    """The proposal alone, then refined: 2x2x2 ranks a node leave 3 * 3 * 64 edges of one hop."""
    best = 1000 * 3 * 3 * 64
    pattern, slots = shuffled_halo(seed), slots_of([8] * 64)

    placed, again = (native.place(pattern, slots, seed=seed, methods=["scotch"]) for _ in range(2))

    assert best <= placed.cost.hop_bytes < min(2 * best, placed.default_cost.hop_bytes / 4)
    assert placed.method == "scotch"
    assert placed.order.tolist() == again.order.tolist()


@needs_scotch
def test_no_slot_is_taken_twice() -> None:
    """Unequal nodes, some of them with more slots than there are ranks for."""
    rng = random.Random(7)
    counts = [rng.randint(1, 17) for _ in range(64)]
    counts[0] += max(0, 512 - sum(counts))

    placed = native.place(shuffled_halo(3), slots_of(counts), methods=["scotch"])

    assert placed.order.size == np.unique(placed.order).size == 512
    assert placed.order.max() < sum(counts)


def test_it_is_only_tried_where_it_is_named() -> None:
    assert [name for name, _, on_request in native.placement_methods() if on_request] == ["scotch"]


def test_by_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_matrix(tmp_path / "six.mtx", {(0, 3): 10, (1, 4): 10, (2, 5): 10}, 6)
    (tmp_path / "three").write_text("n0 slots=2\nn1 slots=2\nn2 slots=2\n")
    command = ["place", "six.mtx", "--on", "rig-3", "--hosts", "three", "--also", "scotch"]

    code = main([*command, "--json"])

    output = capsys.readouterr()
    if is_installed():
        assert json.loads(output.out)["after"]["off_node_bytes"] == 0
    else:
        assert code == 2
        assert "--also scotch: the Scotch library is not installed" in output.err
