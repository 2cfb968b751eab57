"""Traces: `waywiser profile --trace`, and that a folded trace unfolds to what was recorded."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.recordings import record
from tests.rigs.hosts import hosts, launcher_settings, why_not
from tests.support import BIN, MpiLibrary, Waywiser, assert_refused, captured
from tests.system.conftest import Build
from tests.unfolded import assert_same_calls, calls_of, merged
from waywiser.native._native import TraceFile
from waywiser.report.run.terminal import summary_text
from waywiser.store.read import read_run

pytestmark = pytest.mark.in_turn

DOUBLE = 8
LOOP = ("MPI_Sendrecv", "MPI_Sendrecv", "MPI_Allreduce", "MPI_Comm_rank")


def traced(
    waywiser: Waywiser, command: Sequence[str | Path], *options: str, exit_code: int = 0
) -> tuple[TraceFile, dict[str, Any]]:
    """The trace of a command, and what run.json says of the run."""
    done = waywiser("profile", "--trace", *options, "-o", "run", "--", *command)
    assert (done.returncode == 0) == (exit_code == 0), done.stderr
    run = json.loads((waywiser.directory / "run" / "run.json").read_text())
    assert not (waywiser.directory / "run" / "parts").exists()
    return TraceFile(str(waywiser.directory / "run" / "trace" / "trace.ww")), run


def functions(trace: TraceFile, stream: int) -> list[str]:
    return [call["function"] for call in calls_of(trace, stream)]


@pytest.mark.every_mpi
@pytest.mark.parametrize(
    ("program", "ranks", "arguments"),
    [
        ("traced", 2, ("calls",)),
        ("traced", 1, ("sizes", "3000")),
        ("traced", 1, ("spin", "2000")),
        ("traced", 1, ("many", "20000")),
        ("persistent", 2, ()),
        ("threads", 2, ()),
    ],
)
def test_a_trace_unfolds_to_what_was_recorded(
    mpi: MpiLibrary,
    build: Build,
    tmp_path: Path,
    program: str,
    ranks: int,
    arguments: tuple[str, ...],
) -> None:
    executable = build(mpi, f"{program}.c", "-lpthread")

    recordings = record(mpi, tmp_path, ranks, executable, *arguments)

    (run,) = tmp_path.glob("run-*")
    assert_same_calls(merged(run), recordings)


def test_the_trace_of_minife_unfolds(mpi: MpiLibrary, tmp_path: Path) -> None:
    recordings = record(mpi, tmp_path, 3, mpi.program("ww-minife"), "--nx", "12")

    (run,) = tmp_path.glob("run-*")
    assert_same_calls(merged(run), recordings)


def test_run_and_summary_say_what_the_trace_holds(
    mpi: MpiLibrary, build: Build, waywiser: Waywiser
) -> None:
    trace, run = traced(waywiser, mpi.command(2, build(mpi, "traced.c"), "calls"))

    calls = sum(stream.calls for stream in trace.job.streams)
    summary = waywiser.show()
    assert calls == sum(of["calls"] for of in summary["functions"].values())
    path = waywiser.directory / "run" / "trace" / "trace.ww"
    held = {"calls": calls, "bytes": path.stat().st_size, "lost": []}
    held |= {"dropped_calls": 0, "lost_calls": 0}
    assert run["trace"] == summary["trace"] == held
    # On a busy machine there are more waits and remarks, which come first on the screen.
    shown = read_run(path.parent.parent)[1].replace(waits=None, per_rank=None)
    assert f"trace: {calls} calls, " in summary_text(shown)
    assert trace.job.lost == []
    assert {site.place.partition(":")[0] for site in trace.job.call_sites} == {
        f"{function} at traced.c" for function in ("main", "calls")
    }


def test_without_the_option_there_is_no_trace(
    openmpi: MpiLibrary, build: Build, waywiser: Waywiser
) -> None:
    waywiser.profile(openmpi.command(1, build(openmpi, "traced.c"), "many", "10"))

    assert not (waywiser.directory / "run" / "trace").exists()
    assert waywiser.show()["trace"] is None


def test_a_killed_rank_leaves_every_call(mpi: MpiLibrary, build: Build, waywiser: Waywiser) -> None:
    times = 40_000
    command = mpi.command(2, build(mpi, "traced.c"), "killed", str(times))

    trace, run = traced(waywiser, command, exit_code=1)

    body = ["MPI_Init", "MPI_Comm_rank", "MPI_Barrier", *(times * ["MPI_Sendrecv"])]
    assert run["status"] == "partial"
    assert functions(trace, 1) == body
    # The other one is killed by the launcher, in its loop or waiting in vain.
    kept = functions(trace, 0)
    assert len(kept) > 3
    assert kept == [*body, "MPI_Barrier"][: len(kept)]
    assert any("ended before MPI_Finalize" in sentence for sentence in trace.job.lost)


def test_calls_beyond_the_limit_are_counted(
    openmpi: MpiLibrary, build: Build, waywiser: Waywiser
) -> None:
    times = 60_000
    command = openmpi.command(1, build(openmpi, "traced.c"), "many", str(times))

    trace, run = traced(waywiser, command, "--trace-limit", "200k")

    (rank,) = trace.job.ranks
    kept = functions(trace, 0)
    assert len(kept) + rank.dropped_calls == 4 * times + 3
    assert rank.dropped_calls == run["trace"]["dropped_calls"] > times
    assert kept[2:] == [LOOP[i % 4] for i in range(len(kept) - 2)]
    assert run["trace"]["lost_calls"] == rank.dropped_calls
    shown = " ".join(waywiser.here("show", "run").stdout.split())
    assert f"{rank.dropped_calls} calls are missing: beyond --trace-limit; give a higher" in shown


def test_only_a_phase(openmpi: MpiLibrary, build: Build, waywiser: Waywiser) -> None:
    command = openmpi.command(1, build(openmpi, "traced.c"), "phases")

    trace, run = traced(waywiser, command, "--trace-phase", "2")

    calls = [(call["function"], call["bytes"]) for call in calls_of(trace, 0)]
    stays = [("MPI_Sendrecv", 2 * DOUBLE)] * 4, [("MPI_Sendrecv", 4 * DOUBLE)] * 2
    assert calls == [*stays[0], ("MPI_Pcontrol", 0), *stays[1], ("MPI_Pcontrol", 0)]
    profiled = sum(of["calls"] for of in waywiser.show()["functions"].values())
    assert run["trace"]["dropped_calls"] == profiled - len(calls)


def test_only_a_window(openmpi: MpiLibrary, build: Build, waywiser: Waywiser) -> None:
    begin_s, end_s, messages = 1.5, 2.5, 200
    command = openmpi.command(1, build(openmpi, "paced.c"), str(messages))

    trace, run = traced(waywiser, command, "--trace-window", f"{begin_s}:{end_s}")

    started_ns = datetime.fromisoformat(run["started"]).timestamp() * 1e9
    since_start_s = (trace.job.begin_unix_ns - started_ns) / 1e9
    kept = list(calls_of(trace, 0))
    begins = [since_start_s + call["begin_ns"] / 1e9 for call in kept]
    assert begin_s - 0.001 < begins[0] < begin_s + 0.5
    assert end_s - 0.5 < begins[-1] < end_s + 0.001
    sizes = [call["bytes"] for call in kept]
    assert sizes == list(range(sizes[0], sizes[0] + len(kept)))
    assert len(kept) + run["trace"]["dropped_calls"] == messages + 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--trace-limit", "1G"), "--trace-window require --trace"),
        (("--trace", "--trace-limit", "much"), "expected a size such as 500M or 2G, got much"),
        (("--trace", "--trace-limit", "0"), "expected a size such as 500M or 2G, got 0"),
        (("--trace", "--trace-phase", "-1"), "expected the number of a phase, 0 or more, got -1"),
        (("--trace", "--trace-window", "2:1"), "expected BEGIN:END in seconds"),
        (("--trace", "--bare"), "--bare and --trace are mutually exclusive"),
    ],
)
def test_what_cannot_be_traced_is_refused(
    waywiser: Waywiser, options: tuple[str, ...], says: str
) -> None:
    assert_refused(waywiser("profile", *options, "-o", "run", "--", "true"), says)
    assert not (waywiser.directory / "run").exists()


def test_a_trace_by_hand(openmpi: MpiLibrary, build: Build, waywiser: Waywiser) -> None:
    """The trace needs no `waywiser`, which may not be on the compute nodes."""
    directory = waywiser.directory
    program = build(openmpi, "traced.c")
    shim: list[str | Path] = [BIN / "ww-exec", "--run", directory / "run"]
    shim += ["--trace", "--trace-limit=200000", "--"]

    openmpi.run(1, *shim, program, "many", "60000")
    subprocess.run([BIN / "ww-merge", "run"], cwd=directory, check=True, timeout=200)

    summary = waywiser.show()
    trace = TraceFile(str(directory / "run" / "trace" / "trace.ww"))
    assert summary["trace"]["calls"] == trace.job.streams[0].calls
    assert summary["trace"]["calls"] + summary["trace"]["dropped_calls"] == 4 * 60_000 + 3
    assert not (directory / "run" / "parts").exists()


def test_an_unknown_option_by_hand_is_refused(openmpi: MpiLibrary, tmp_path: Path) -> None:
    done = captured([BIN / "ww-exec", "--run", tmp_path / "run", "--traces", "--", "true"])

    assert_refused(done, "write it as ww-exec --run RUN [--copy-every")


@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
def test_hosts_have_one_time(
    openmpi: MpiLibrary, build: Build, waywiser: Waywiser, tmp_path: Path
) -> None:
    """A barrier ends on no host before the last rank has come to it."""
    program = build(openmpi, "traced.c")
    launch: list[str | Path] = [openmpi.bin / "mpirun", "--host", "n0:1,n1:1", "-n", "2"]
    launch += ["--map-by", "ppr:1:node:oversubscribe", program, "calls"]
    with hosts(["n0", "n1"], tmp_path) as nodes:
        done = captured(
            nodes[0].command(BIN / "waywiser", "profile", "--trace", "-o", "run", "--", *launch),
            cwd=tmp_path,
            env=launcher_settings(tmp_path),
        )
    assert done.returncode == 0, done.stderr

    trace = TraceFile(str(tmp_path / "run" / "trace" / "trace.ww"))

    assert [clock.host for clock in trace.job.hosts] == ["n0", "n1"]
    assert [rank.host for rank in trace.job.ranks] == [0, 1]
    barriers = [
        next(call for call in calls_of(trace, rank) if call["function"] == "MPI_Barrier")
        for rank in range(2)
    ]
    latest_begin = max(call["begin_ns"] for call in barriers)
    assert all(call["end_ns"] > latest_begin for call in barriers)
    age_s = time.time() - trace.job.begin_unix_ns / 1e9
    assert 0 < age_s < 120


def test_lists_for_which_there_is_no_room_are_counted(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    kept, calls = 65_536, 70_000
    program = build(openmpi, "many_lists.c")

    trace, run = traced(waywiser, openmpi.command(1, program, str(calls)))

    assert [line for line in run["trace"]["lost"] if "list" in line] == [
        f"rank 0: {calls - kept} lists of requests, completions or sizes had no room and are "
        "missing in its calls"
    ]
    listed = [call["counts"] for call in calls_of(trace, 0) if call["function"] == "MPI_Alltoallv"]
    assert sum(map(bool, listed)) == kept
    assert len(listed) == calls
