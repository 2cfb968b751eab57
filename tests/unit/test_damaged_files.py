"""Damaged and truncated profiles and states: what is readable is read, the rest is named."""

from __future__ import annotations

import platform
import secrets
import shutil
import struct
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import synthetic
from waywiser.errors import InvalidRun
from waywiser.model.run import Run
from waywiser.native._native import (
    InvalidInput,
    NodeProfile,
    Profile,
    merge_states,
    read_profile,
    write_profile,
)
from waywiser.store import RunDirectory, new_state_directory
from waywiser.store.read import read_run

# Offsets and sizes of native/trace/records/state.hpp.
HEADER_BYTES = 4096
CHUNK_BYTES = 64 * 1024
FUNCTION, PARTNERS, THREAD = 1, 2, 3
RANKS = 3
END_AT = 64
"""Offset of Header::end in the file [B]."""


class Call(NamedTuple):
    name: str
    size_bin: int
    calls: int
    bytes: int


def _record(kind: int, content: bytes) -> bytes:
    size = -(-(16 + len(content)) // 64) * 64
    return (struct.pack("<IIII", kind, size, 0, 0) + content).ljust(size, b"\0")


def _function(identifier: int, call: Call) -> bytes:
    bins = [(0, 0)] * 66
    bins[call.size_bin] = (call.calls, 1000 * call.calls)
    longest = struct.pack("<QQQQ", 0, 0, 1000, 0)  # nothing pending, no barrier before
    content = struct.pack("<Q48sqQQ", identifier, call.name.encode(), 1, call.bytes, 0) + longest
    return _record(FUNCTION, content + b"".join(struct.pack("<QQ", *entry) for entry in bins))


def state(rank: int, size: int = RANKS, phase: int = 2, host: bytes = b"node") -> bytes:
    """A process's state as the profiler lays it out: two functions and a row of the matrix."""
    numbers = (HEADER_BYTES, CHUNK_BYTES, 1, 1000 + rank, phase, rank, size, 2, 0)
    header = struct.pack("<8sIIQIIiiIi", b"WWSTATE4", *numbers)
    ticks = struct.pack("<QQQQQQ", 0, 0, 10**9, 10**9, 100, 1_000_000)
    usage = struct.pack("<QQQQQQQQ", 0, 0, 0, 0, 5000, 1, 2, 300)
    counters = struct.pack("<QQQQIIQQQQ", 1 << 20, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    texts = struct.pack("<256s1024s1024s256s", host, b"0-3", b"MPICH Version: 5", b"ch4:ofi")
    partners = struct.pack("<Q", 1) + struct.pack("<qQQQQ", (rank + 1) % size, 40, 4, 0, 0)
    chunk = (
        _record(THREAD, struct.pack("<QQQQ", 0, 0, 100, 900_000))
        + _function(1, Call("MPI_Send", 5, 4, 40))
        + _function(2, Call("MPI_Barrier", 0, 2, 0))
        + _record(PARTNERS, partners.ljust(8 + 40 * 40, b"\0"))
    )
    return (header + ticks + usage + counters + texts).ljust(HEADER_BYTES, b"\0") + chunk.ljust(
        CHUNK_BYTES, b"\0"
    )


def _merged(directory: Path, *contents: bytes) -> Profile:
    paths = []
    for i, content in enumerate(contents):
        paths.append(directory / f"{i}.state")
        paths[-1].write_bytes(content)
    return merge_states([str(path) for path in paths], True)


def _whole(directory: Path) -> bytes:
    profile, node = _merged(directory, *map(state, range(RANKS))), NodeProfile()
    node.host, node.observed_ns, node.energy_uj = "node", 10**9, 12345
    profile.nodes = [node]
    write_profile(profile, str(directory / "profile.ww"))
    return (directory / "profile.ww").read_bytes()


def _touch_everything(profile: Profile) -> None:
    """Reads every field, so that text which is no text would be noticed."""
    assert isinstance(profile.library + profile.transport + profile.abi, str)
    assert all(isinstance(node.host, str) for node in profile.nodes)
    for rank in profile.ranks:
        assert isinstance(rank.host + rank.cpus + rank.inside, str)
        for thread in rank.threads:
            for function in thread.functions:
                assert isinstance(function.name, str)


def test_states_are_merged_exactly(tmp_path: Path) -> None:
    profile = _merged(tmp_path, *map(state, range(RANKS)))

    assert (profile.world_size, profile.abi, profile.lost) == (RANKS, "mpich", [])
    for number, rank in enumerate(profile.ranks):
        assert (rank.rank, rank.host, rank.cpus) == (number, "node", "0-3")
        assert (rank.init_ns, rank.finalize_ns, rank.wall_ns) == (0, 0, 999_900)
        (thread,) = rank.threads
        functions = [
            (f.name, f.load.bytes, [(s.upper_bound_bytes, s.calls, s.ns) for s in f.sizes])
            for f in thread.functions
        ]
        assert functions == [("MPI_Barrier", 0, [(0, 2, 2000)]), ("MPI_Send", 40, [(16, 4, 4000)])]
        (message,) = rank.messages
        assert (message.destination, message.bytes, message.messages) == ((number + 1) % 3, 40, 4)


def test_a_file_holds_the_states_of_a_node(tmp_path: Path) -> None:
    """The file has a hole, where a writer was killed, and a cut end."""
    hole = bytes(HEADER_BYTES)

    profile = _merged(tmp_path, state(0) + hole + state(1) + state(2)[: HEADER_BYTES + 8192])

    assert profile.lost == []
    assert [rank.rank for rank in profile.ranks] == [0, 1, 2]
    assert all(len(rank.threads[0].functions) == 2 for rank in profile.ranks)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_latest_state_of_a_process_counts(tmp_path: Path, order: tuple[int, int]) -> None:
    """A copy of a running rank, and what the rank saved later; in whatever order they are read."""
    earlier = bytearray(state(0, size=1, phase=1))
    earlier[END_AT : END_AT + 16] = struct.pack("<QQ", 10**8, 10**8)
    states = (bytes(earlier), state(0, size=1))

    profile = _merged(tmp_path, *(states[i] for i in order))

    assert profile.lost == []
    assert len(profile.ranks) == 1


def test_the_time_of_an_unfinished_call_is_counted(tmp_path: Path) -> None:
    """The call counts up to the last known moment, as a call without bytes."""
    killed = bytearray(state(0, size=1, phase=1))
    inside = struct.pack("<QQ", 2, 950_000)  # MPI_Barrier, since
    killed[HEADER_BYTES + 16 : HEADER_BYTES + 32] = inside

    profile = _merged(tmp_path, bytes(killed))

    barrier, _ = profile.ranks[0].threads[0].functions
    assert [(s.upper_bound_bytes, s.calls, s.ns) for s in barrier.sizes] == [
        (0, 3, 2000 + 10**9 - 950_000)
    ]
    assert barrier.load.calls == 3
    assert profile.lost == [
        "rank 0 ended inside MPI_Barrier (killed); the profile holds what came before, "
        "and the time of that call"
    ]


def test_a_profile_survives_writing(tmp_path: Path) -> None:
    _whole(tmp_path)

    profile = read_profile(str(tmp_path / "profile.ww"))

    assert profile.lost == []
    assert [(node.host, node.energy_uj) for node in profile.nodes] == [("node", 12345)]
    assert [rank.rank for rank in profile.ranks] == [0, 1, 2]
    assert [f.load.bytes for f in profile.ranks[1].threads[0].functions] == [0, 40]


def test_every_truncation_is_reported(tmp_path: Path) -> None:
    whole = _whole(tmp_path)
    file = tmp_path / "cut.ww"
    readable = 0
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        if length < 8:
            with pytest.raises(InvalidInput, match="is not a Waywiser profile"):
                read_profile(str(file))
            continue
        profile = read_profile(str(file))
        assert profile.lost, length
        assert len(profile.ranks) >= readable, "a longer file holds at least as much"
        readable = len(profile.ranks)
    assert readable == RANKS


def test_every_flipped_byte_is_reported(tmp_path: Path) -> None:
    """One damaged byte costs at most its own rank, unless it is in a block's header."""
    whole = _whole(tmp_path)
    file = tmp_path / "flipped.ww"
    kept = []
    for at in range(8, len(whole)):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0x5A]) + whole[at + 1 :])
        profile = read_profile(str(file))
        assert profile.lost, at
        assert all("flipped.ww: " in sentence for sentence in profile.lost)
        _touch_everything(profile)
        kept.append(len(profile.ranks))
    assert sum(n >= RANKS - 1 for n in kept) > 0.6 * len(kept)


def test_a_state_that_was_cut_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = state(0, size=1)
    for length in range(0, HEADER_BYTES + 4096, 61):
        profile = _merged(tmp_path, whole[:length])
        _touch_everything(profile)
        if length < HEADER_BYTES:
            assert profile.ranks == []
            assert "expected a profiler's state" in profile.lost[0]
        else:
            assert len(profile.ranks) == 1
    assert len(profile.ranks[0].threads[0].functions) == 2


@pytest.mark.parametrize(
    ("rank", "size"), [(2**31 - 1, 2**31 - 1), (0, 2**31 - 1), (5, 2), (5, -7), (0, 0)]
)
def test_impossible_ranks_are_damage(tmp_path: Path, rank: int, size: int) -> None:
    damaged = bytearray(state(0))
    damaged[32:40] = struct.pack("<ii", rank, size)

    profile = _merged(tmp_path, bytes(damaged), state(0))

    assert [r.rank for r in profile.ranks] == [0]
    assert any("is damaged" in sentence for sentence in profile.lost)


def test_text_that_is_no_text_becomes_readable(tmp_path: Path) -> None:
    profile = _merged(tmp_path, state(0, size=1, host=b"n\xc3\xb6de\xff\xe2\x82 <b>"))

    assert profile.ranks[0].host == "nöde??? <b>"


def test_missing_and_unfinished_ranks_are_named(tmp_path: Path) -> None:
    profile = _merged(tmp_path, state(1, size=6, phase=1), state(3, size=6, phase=3))

    assert profile.lost == [
        "ranks 0, 2, 4, 5 left no profile",
        "rank 3 called MPI_Abort; the profile holds what came before",
        "rank 1 ended outside MPI (killed); the profile holds what came before",
    ]


def running(live: Path, host: str = platform.node()) -> Run:
    """A run that has not ended, with its ranks' states in `live`."""
    run = synthetic.run(3)
    return run.replace(
        status="running", state_directory=str(live), machine=run.machine.replace(host=host)
    )


def test_a_foreign_run_cannot_name_a_directory(tmp_path: Path) -> None:
    """Waywiser reads only a directory that it made for this user on this node."""
    (tmp_path / "1.state").write_bytes(state(0, size=1))
    files = RunDirectory(tmp_path / "run")
    files.create()
    ours = Path(new_state_directory(secrets.token_hex(8)))
    ours.mkdir()
    (ours / "1.state").write_bytes(state(0, size=1))

    try:
        assert files.states(running(tmp_path)) == []
        assert files.states(running(ours, "another-node")) == []
        assert files.states(running(ours)) == [ours / "1.state"]
    finally:
        shutil.rmtree(ours)


def test_an_ended_run_without_its_profile_is_refused(tmp_path: Path) -> None:
    files = RunDirectory(tmp_path / "run")
    files.create()
    files.write_run(synthetic.run(3))

    with pytest.raises(InvalidRun, match=r"profile\.ww: is missing"):
        read_run(files.path)


def test_a_run_of_a_newer_version_is_named_as_such(tmp_path: Path) -> None:
    files = RunDirectory(tmp_path / "run")
    files.create()
    files.write_run(synthetic.run(3))
    text = files.run_json.read_text(encoding="utf-8")
    files.run_json.write_text(text.replace('"format_version": 1', '"format_version": 2'))

    with pytest.raises(InvalidRun, match="a newer Waywiser"):
        read_run(files.path)


def test_hosts_may_have_the_same_process_numbers(tmp_path: Path) -> None:
    """Saved copies of two nodes, and a live state of this one that has a copy already."""
    run = RunDirectory(tmp_path / "run")
    run.create()
    live = Path(new_state_directory(secrets.token_hex(8)))
    live.mkdir()
    for rank, host in enumerate((platform.node(), "another-node")):
        (run.parts / f"{host}-1000.state").write_bytes(state(rank, size=3))
    (live / "1000.state").write_bytes(state(0, size=3, phase=1))
    (live / "1001.state").write_bytes(state(2, size=3))

    try:
        profile = run.merge(running(live), job_has_ended=True)
    finally:
        shutil.rmtree(live)

    assert [rank.rank for rank in profile.ranks] == [0, 1, 2]
    assert profile.lost == []
