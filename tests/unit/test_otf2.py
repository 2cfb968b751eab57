"""OTF2: our traces go there and come back the same, and another reader accepts them."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.support import assert_refuses
from tests.traces_for_otf2 import write_exchange, write_trace
from waywiser.cli.main import main
from waywiser.errors import InvalidCommand, InvalidRun, ToolMissing
from waywiser.extras import install_command
from waywiser.store import otf2 as store
from waywiser.store.directory import RunDirectory


@pytest.mark.parametrize("seed", range(3))
def test_a_trace_comes_back_the_same(tmp_path: Path, seed: int) -> None:
    """Calls of all streams with their times, and all that ranks share, are the same to the byte."""
    run = tmp_path / "run"
    write_trace(run / "trace" / "trace.ww", calls=500, seed=seed)

    assert main(["export", str(run), "--to", "otf2", "-o", str(tmp_path / "otf2")]) == 0
    anchor = tmp_path / "otf2" / "traces.otf2"
    assert main(["import", str(anchor), "--from", "otf2", "-o", str(tmp_path / "back")]) == 0

    back = tmp_path / "back" / "trace" / "trace.ww"
    assert back.read_bytes() == (run / "trace" / "trace.ww").read_bytes()
    assert RunDirectory(tmp_path / "back").read_run().imported_from == str(anchor)


def printed(anchor: Path, *options: str) -> list[str]:
    """Lines of Debian's reader, which complains about what it does not accept."""
    if shutil.which("otf2-print") is None:
        pytest.skip("needs otf2-print (Debian package otf2-tools)")
    done = subprocess.run(
        ["otf2-print", *options, str(anchor)],
        capture_output=True,
        text=True,
        check=True,
        timeout=200,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_debians_reader_finds_every_record(tmp_path: Path) -> None:
    laps = 7
    write_exchange(tmp_path / "run" / "trace" / "trace.ww", laps)

    store.export_otf2(tmp_path / "run", tmp_path / "otf2")

    lines = printed(tmp_path / "otf2" / "traces.otf2")
    found = Counter(line.split(maxsplit=1)[0] for line in lines if line[:1].isupper())
    assert found == {
        "Event": 1,
        "ENTER": 2 * 6 * laps,
        "LEAVE": 2 * 6 * laps,
        "MPI_IRECV_REQUEST": 2 * laps,
        "MPI_ISEND": 2 * laps,
        "MPI_REQUEST_TEST": 2 * 2 * laps,
        "MPI_IRECV": 2 * laps,
        "MPI_ISEND_COMPLETE": 2 * laps,
        "MPI_COLLECTIVE_BEGIN": 2 * laps,
        "MPI_COLLECTIVE_END": 2 * laps,
        "MPI_SEND": 2 * laps,
        "MPI_RECV": 2 * laps,
    }
    # OTF2's writers count a collective's bytes once for each destination.
    ends = [line for line in lines if line.startswith("MPI_COLLECTIVE_END") and "Sent: 16" in line]
    assert len(ends) == laps


def test_debians_reader_accepts_whatever_a_trace_holds(tmp_path: Path) -> None:
    write_trace(tmp_path / "run" / "trace" / "trace.ww", calls=300, seed=11)

    store.export_otf2(tmp_path / "run", tmp_path / "otf2")

    lines = printed(tmp_path / "otf2" / "traces.otf2")
    assert sum(line.startswith("ENTER") for line in lines) == 4 * 300
    assert not [line for line in lines if "INVALID" in line]


def test_a_place_without_a_name_is_written_as_reports_do(tmp_path: Path) -> None:
    write_trace(tmp_path / "run" / "trace" / "trace.ww", calls=20, seed=1)

    store.export_otf2(tmp_path / "run", tmp_path / "otf2")

    strings = [
        line for line in printed(tmp_path / "otf2" / "traces.otf2", "-G") if "STRING" in line
    ]
    assert any('"/opt/a b\\c+0xffffffffffffffff"' in line for line in strings), strings
    assert any('"solve at cg.c:131"' in line for line in strings)


def test_what_is_no_otf2_trace_is_said_in_one_sentence(tmp_path: Path) -> None:
    text = tmp_path / "text.otf2"
    text.write_text("OTF?")
    for file, says in ((text, "is not an OTF2 trace"), (tmp_path / "none.otf2", "no such file")):
        words = ["import", file, "--from", "otf2", "-o", tmp_path / "run"]
        assert_refuses(words, says)
        assert not (tmp_path / "run").exists()


def test_an_existing_directory_is_left_alone(tmp_path: Path) -> None:
    write_exchange(tmp_path / "run" / "trace" / "trace.ww", 1)
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "file").touch()

    with pytest.raises(InvalidCommand, match="exists already"):
        store.export_otf2(tmp_path / "run", taken)
    with pytest.raises(InvalidRun, match="has no trace"):
        store.export_otf2(taken, tmp_path / "otf2")


def test_without_the_library_its_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(store, "DEBIANS", "libopen-trace-format2.so.none")

    with pytest.raises(ToolMissing, match=re.escape(install_command("otf2"))):
        store.library()


def test_a_damaged_file_of_events_leaves_the_calls_before(tmp_path: Path) -> None:
    write_exchange(tmp_path / "run" / "trace" / "trace.ww", 2000)
    store.export_otf2(tmp_path / "run", tmp_path / "otf2")
    events = tmp_path / "otf2" / "traces" / "1.evt"
    events.write_bytes(events.read_bytes()[: events.stat().st_size // 2])

    imported = store.import_otf2(tmp_path / "otf2" / "traces.otf2", tmp_path / "back")

    assert 12_000 <= imported.calls < 24_000
