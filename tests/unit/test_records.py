"""The metrics of ranks and nodes: files of version 0.1 stay readable, and no line of a list of
native/trace/records/fields.hpp goes unnoticed."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from pathlib import Path

import pytest

from tests import synthetic
from tests.support import ROOT
from waywiser.native import _native as native
from waywiser.store.summary import summarise

OF_0_1 = ROOT / "tests" / "golden" / "profile-0.1.txt"
"""Written by 0.1, of two ranks; compressed, in base64. Each metric is its place in this list."""

PLACES = (
    *("wall_ns", "init_ns", "finalize_ns", "cpu_ns", "voluntary_switches", "involuntary_switches"),
    *("queued_ns", "peak_memory_bytes", "outside_world_messages", "outside_world_bytes"),
    *("unrecorded_calls", "instructions", "cycles"),
)
UNKNOWN = {"queued_ns": None, "instructions": 0, "cycles": 0}
"""Fields of rank 1 whose values are unknown."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "profile.ww"
    path.write_bytes(zlib.decompress(base64.b64decode(OF_0_1.read_text(encoding="ascii"))))
    return path


def test_every_metric_of_a_profile_of_0_1_is_read(old: Path) -> None:
    profile = native.read_profile(str(old))

    assert profile.lost == []
    assert profile.nodes == []
    for number, rank in enumerate(profile.ranks):
        metrics = {name: getattr(rank, name) for name in PLACES}
        placed = {name: 1000**number * 1001 * at for at, name in enumerate(PLACES, 1)}
        assert metrics == placed | (UNKNOWN if number else {})
    assert [rank.not_counted for rank in profile.ranks] == ["", "not permitted"]
    assert profile.ranks[1].threads[0].functions[0].load.receive_bytes == 6


def test_a_profile_of_0_1_is_shown_and_says_nothing_of_nodes(old: Path) -> None:
    summary = summarise(synthetic.run(2), native.read_profile(str(old)))

    assert summary.nodes == ()
    ranks = summary.per_rank or ()
    assert [rank.peak_memory_bytes for rank in ranks] == [8 * 1001, 8 * 1001 * 1000]
    assert [rank.cycles for rank in ranks] == [13 * 1001, None]
    assert ranks[0].cpu_seconds == 4 * 1001 / 1e9


def test_ranks_and_nodes_are_read_as_they_were_written(old: Path, tmp_path: Path) -> None:
    profile = native.read_profile(str(old))
    known, unknown = native.NodeProfile(), native.NodeProfile()
    known.host, known.observed_ns, known.energy_uj = "n0", 2_000_000_000, 3_500_000
    unknown.host, unknown.observed_ns = "n1", 1
    profile.nodes = [known, unknown]

    native.write_profile(profile, str(tmp_path / "again.ww"))
    again = native.read_profile(str(tmp_path / "again.ww"))

    assert again.lost == []
    assert native.rank_documents(again) == native.rank_documents(profile)
    assert native.node_documents(again) == [
        {"host": "n0", "observed_seconds": 2.0, "energy_joules": 3.5, "unknown": {}},
        {"host": "n1", "observed_seconds": 1e-9, "energy_joules": None, "unknown": {}},
    ]


def test_no_field_is_taken_from_the_lists() -> None:
    """Readers of old files and users' scripts go by these names."""
    rank = {name for name, *_ in native.RANK_FIELDS}
    assert rank >= {
        *("wall_seconds", "init_seconds", "finalize_seconds", "cpu_seconds", "voluntary_switches"),
        *("involuntary_switches", "queued_seconds", "peak_memory_bytes", "instructions", "cycles"),
    }
    assert {name for name, *_ in native.NODE_FIELDS} >= {"observed_seconds", "energy_joules"}


def _merged(folder: Path, state: bytes) -> native.RankProfile:
    (folder / "0.state").write_bytes(state.ljust(4096, b"\0"))
    [rank] = native.merge_states([str(folder / "0.state")], True).ranks
    return rank


OLD_USAGE, FIELDS, MOST = 96, 2836, 32
"""Layout of the header of a live state (native/trace/records/state.hpp)."""

HEAD = struct.pack("<8sIIQIIii", b"WWSTATE4", 4096, 65536, 0, 1, 2, 0, 1)
"""Rank 0 of 1, finalised."""

COUNTED = PLACES[3:]
"""All but three, which follow from times."""


@pytest.mark.parametrize("fields", [8, len(PLACES), MOST], ids=["older", "same", "newer"])
def test_a_state_has_the_metrics_of_its_build(tmp_path: Path, fields: int) -> None:
    """Each is what was added since the first call; of the largest, the last one is it."""
    begin = [1000 * at for at in range(1, fields + 1)]
    end = [1001 * at for at in range(1, fields + 1)]
    metrics = b"".join(
        struct.pack(f"<{fields}Q", *all).ljust(8 * MOST, b"\0") for all in (begin, end)
    )
    rank = _merged(tmp_path, HEAD.ljust(FIELDS, b"\0") + struct.pack("<I", fields) + metrics)

    for at, name in enumerate(PLACES, 1):
        if name in COUNTED:
            there = 1001 * at if name == "peak_memory_bytes" else at
            assert getattr(rank, name) == (there if at <= fields else 0)


def test_a_state_without_the_number_of_its_metrics_has_those_of_0_1(tmp_path: Path) -> None:
    usage = [7, 7, 7, 2**64 - 1], [8, 9, 10, 2**64 - 1]
    most, sharing, counters = [5, 6, 7, 8], [0], ([100, 200], [111, 222])
    words = [*usage[0], *usage[1], *most, *sharing, *counters[0], *counters[1]]
    rank = _merged(tmp_path, HEAD.ljust(OLD_USAGE, b"\0") + struct.pack("<17Q", *words))

    assert [getattr(rank, name) for name in COUNTED] == [1, 2, 3, None, 5, 6, 7, 8, 11, 22]


def test_the_example_of_a_new_metric_is_what_the_code_has() -> None:
    text = (ROOT / "native" / "README.md").read_text(encoding="utf-8")
    example = text.partition("## A new metric")[2].partition("\n## ")[0]
    files = [ROOT / path for path in re.findall(r"`((?:native|src)/[^`]+)`", example)]
    code = "".join(file.read_text(encoding="utf-8") for file in files if file.suffix != ".md")

    blocks = re.findall(r"```\w+\n(.*?)```", example, re.DOTALL)
    assert len(blocks) == 4
    assert [block for block in blocks if block not in code] == []


def _page(host: str, collector: int, end_ns: int, energy_uj: int, why: str = "") -> bytes:
    """A collector's record of a node (native/trace/records/node_state.hpp)."""
    head = struct.pack("<8sIIQQ256s", b"WWNODE01", collector, 2, 7, end_ns, host.encode())
    values = struct.pack("<Q160sQ160s", end_ns, b"", energy_uj, why.encode())
    return (head + values).ljust(4096, b"\0")


def test_the_latest_page_of_each_collector_counts_and_collectors_of_a_node_are_added(
    tmp_path: Path,
) -> None:
    state = struct.pack("<8sIIQIIii", b"WWSTATE4", 4096, 65536, 0, 1, 1, 0, 1).ljust(4096, b"\0")
    early, late = _page("b", 1, 5, 10), _page("b", 1, 9, 30)
    (tmp_path / "1.states").write_bytes(state + late + bytes(4096) + early)
    (tmp_path / "1.copy").write_bytes(state + _page("b", 2, 4, 500) + _page("a", 3, 1, 0, "why"))
    (tmp_path / "2.states").write_bytes(state + _page("c", 4, 1, 1) + _page("c", 5, 1, 0, "other"))

    merged = native.merge_states([str(path) for path in sorted(tmp_path.iterdir())], True)

    assert [(node["host"], node["energy_joules"]) for node in native.node_documents(merged)] == [
        *(("a", None), ("b", (30 + 500) / 1e6), ("c", None))
    ]
    assert [node["unknown"] for node in native.node_documents(merged)] == [
        *({"energy_joules": "why"}, {}, {"energy_joules": "other"})
    ]
    assert [node["observed_seconds"] for node in native.node_documents(merged)] == [
        *(1e-9, 13e-9, 2e-9)
    ]
