"""A trace that has lost calls says so wherever it is read: how many, why, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import assert_refuses, printed
from tests.synthetic_jobs import ROUNDS, rounds
from waywiser.cli.main import main
from waywiser.model.trace import Trace
from waywiser.store.directory import RunDirectory
from waywiser.store.read import read_run

RANKS = 4
CALLS = RANKS * (ROUNDS + 3)


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    files = RunDirectory(rounds(["n0"] * RANKS, [1.0] * RANKS).run(tmp_path / "run"))
    trace = files.described_trace()
    assert trace is not None
    assert trace.calls == CALLS
    files.write_run(files.read_run().replace(trace=trace))
    return files


def test_a_whole_trace_has_lost_nothing(run: RunDirectory) -> None:
    summary = read_run(run.path)[1]
    assert summary.trace is not None
    assert (summary.trace.calls, summary.trace.lost_calls) == (CALLS, 0)
    assert not any("trace" in sentence for sentence in summary.lost)


@pytest.mark.parametrize("kept", [0.95, 0.8, 0.5])
def test_a_trace_cut_short(
    run: RunDirectory, kept: float, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = run.trace.read_bytes()
    run.trace.write_bytes(whole[: int(len(whole) * kept)])

    trace = read_run(run.path)[1].trace

    assert trace is not None
    assert trace.lost_calls > 0
    assert trace.calls + trace.lost_calls == CALLS
    shown = " ".join(printed("show", str(run.path)).split())
    assert f"{trace.lost_calls} of {CALLS} calls are missing" in shown
    assert "is shorter than the run left it" in shown
    assert "copy it anew, or record the run again" in shown
    assert main(["export", str(run.path), "--to", "csv", "-o", str(run.path / "out.csv")]) == 0
    assert f"{trace.lost_calls} of {CALLS} calls are missing" in capsys.readouterr().err


@pytest.mark.parametrize("verb", [["advise"], ["whatif", "--cpu", "2"]])
def test_what_no_replay_can_be_built_from(run: RunDirectory, verb: list[str]) -> None:
    whole = run.trace.read_bytes()
    run.trace.write_bytes(whole[: len(whole) // 2])
    words = [verb[0], str(run.path), *verb[1:]]
    assert_refuses(words, f"of {CALLS} calls are missing; copy it anew")


def test_a_trace_that_has_gone(run: RunDirectory) -> None:
    run.trace.unlink()
    summary = read_run(run.path)[1]
    assert summary.trace is not None
    assert summary.trace.lost_calls == CALLS
    assert any("trace.ww is missing" in sentence for sentence in summary.lost)


def test_lost_calls_are_shown(run: RunDirectory) -> None:
    recorded = Trace(
        calls=CALLS,
        bytes=run.trace.stat().st_size,
        dropped_calls=90,
        lost_calls=90,
        lost=("90 calls are missing: No space left on device",),
    )
    notes = ("another sentence", "one more", "and one more")
    run.write_run(run.read_run().replace(trace=recorded, notes=notes))
    shown = printed("show", str(run.path))
    assert "! the trace: 90 calls are missing: No space left on device" in shown
    assert "90 calls missing" in shown


def test_a_directory_without_its_ranks_files_is_no_empty_run(run: RunDirectory) -> None:
    """`waywiser profile` had no space there, and kept the run elsewhere."""
    run.discard_results()
    started = run.read_run().replace(status="running", process=(2**22 - 1, 1))
    run.write_run(started)
    assert main(["show", str(run.path)]) == 2
    moved = "run/profile.ww cannot be written: No space left on device; the run is kept in /tmp/x"
    run.write_run(started.replace(status="partial", notes=(moved,)))
    with pytest.raises(Exception, match="No space left on device; the run is kept in /tmp/x"):
        read_run(run.path)
