"""Regular programs, extrapolated from small runs, make the calls that they make on more ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests import regular_programs as programs
from tests.job import ANY
from tests.support import cases
from tests.synthetic_jobs import PlannedCall
from waywiser.native import _native as native
from waywiser.native import simulate

Change = Callable[[int, int, int, PlannedCall], list[PlannedCall]]

NAMES = ("action", "object", "created", "peer", "tag", "request", "bytes", "posted")


def recognised(
    program: programs.Program, runs: Sequence[int], directory: Path
) -> native.ProgramPattern:
    directory.mkdir(exist_ok=True)
    return native.recognise([programs.job(program, n).write(directory / f"{n}.ww") for n in runs])


def extrapolated(run: native.Extrapolation, rank: int) -> list[tuple[Any, ...]]:
    """Function, computing before, and parameters of each call."""
    functions = run.job.functions
    return [
        (functions[call.function], gap, *_parameters(call, call.source, call.source_tag))
        for call, gap in run.calls(rank)
    ]


def recorded(trace: str, rank: int) -> list[tuple[Any, ...]]:
    """The calls of a trace in the form of `extrapolated`; a wildcard counts as what it got."""
    file = native.TraceFile(trace)
    (calls,) = file.calls(rank)
    rows, last = [], 0
    for i in range(len(calls["begin_ns"])):
        call = native.TraceParameters()
        for name in (*NAMES, "source", "source_tag", "matched_source", "matched_tag"):
            value = calls[name][i]
            setattr(call, name, native.Action(value) if name == "action" else value)
        call.requests = _list(calls, "requests", i)
        call.counts = _list(calls, "counts", i)
        call.completed = [native.Completion(index) for index in _list(calls, "completed", i)[::3]]
        source = call.matched_source if call.source == ANY else call.source
        tag = call.matched_tag if call.source_tag == ANY else call.source_tag
        gap = int(calls["begin_ns"][i]) - last
        last = int(calls["end_ns"][i])
        rows.append(
            (file.job.functions[calls["function"][i]], gap, *_parameters(call, source, tag))
        )
    return rows


def _list(calls: Any, name: str, i: int) -> list[int]:
    ends = calls[f"{name}_end"]
    return [int(value) for value in calls[name][ends[i - 1] if i else 0 : ends[i]]]


def _parameters(call: native.TraceParameters, source: int, tag: int) -> tuple[Any, ...]:
    completed = [completion.index for completion in call.completed]
    if call.action == native.Action.finalise:
        call.action = native.Action.none  # what is extrapolated ends there
    lists = (call.requests, completed, call.counts)
    return (*(getattr(call, name) for name in NAMES), source, tag, *lists)


def members(job: native.TraceJob, rank: int) -> list[list[int]]:
    """World ranks of the rank's objects, by its own numbers."""
    return [
        [
            span.first + i * span.stride
            for span in job.objects[number].members
            for i in range(span.count)
        ]
        for number in job.ranks[rank].objects
    ]


CASES: dict[str, tuple[programs.Program, Sequence[int], int]] = {
    "ring": (programs.ring, (4, 8, 16), 64),
    "line": (programs.line, (4, 8, 16), 64),
    "transposition": (programs.transposition, (4, 8, 16), 64),
    "pairs": (programs.pairs, (4, 8, 16), 128),
    "butterfly": (programs.butterfly, (4, 8, 16), 64),
    "dissemination": (programs.dissemination, (4, 8, 16), 64),
    "torus 2-D": (programs.halo(2, periodic=True), (4, 8, 16), 64),
    "grid 2-D": (programs.halo(2, periodic=False), (4, 8, 16), 128),
    "grid 2-D of one size": (programs.halo(2, periodic=False, strong=True), (4, 8, 16), 64),
    "grid 2-D, fewer calls": (programs.halo(2, periodic=False, skips=True), (16, 32, 64), 256),
    "grid 3-D": (programs.halo(3, periodic=False), (8, 16, 32), 128),
    "torus 3-D": (programs.halo(3, periodic=True), (16, 32, 64), 256),
    "torus 3-D of one size": (
        programs.halo(3, periodic=True, strong=True),
        (8, 16, 32, 64),
        256,
    ),
    "duplicates": (
        programs.in_groups(lambda n: [range(n)], lambda n: [range(n)], maker="Comm_dup"),
        (4, 8, 16),
        128,
    ),
    "pencils": (
        programs.in_groups(programs.along(0, dimensions=2), programs.along(1, dimensions=2)),
        (4, 8, 16),
        128,
    ),
    "slabs": (
        programs.in_groups(
            programs.blocks_of(2),
            programs.every(2),
            lambda n: programs.blocks_of(n // 2)(n),
            lambda n: programs.every(n // 2)(n),
            programs.along(0, dimensions=2),
        ),
        (4, 8, 16),
        128,
    ),
    "planes": (
        programs.in_groups(*(programs.along(*two, dimensions=3) for two in ((1, 2), (0, 2), (0,)))),
        (8, 16, 32, 64),
        128,
    ),
    "other numbers of ranks": (
        programs.in_groups(lambda n: [range(0, n, 2)], programs.blocks_of(4)),
        (4, 8, 16),
        128,
    ),
    "nodes": (programs.hierarchy(4), (4, 8, 16), 128),
}


@pytest.mark.parametrize("name", CASES)
def test_every_call_of_every_rank_is_that_of_the_program_itself(name: str, tmp_path: Path) -> None:
    program, runs, ranks = CASES[name]

    pattern = recognised(program, runs, tmp_path)

    truth = programs.job(program, ranks).write(tmp_path / "truth.ww")
    run, job = native.Extrapolation(pattern, ranks), native.TraceFile(truth).job
    for rank in range(ranks):
        assert extrapolated(run, rank) == recorded(truth, rank), rank
        assert members(run.job, rank) == members(job, rank), rank
    same = {
        pair
        for rank in range(ranks)
        for pair in zip(run.job.ranks[rank].objects, job.ranks[rank].objects, strict=True)
    }
    assert len(same) == len(dict(same)) == len({right: left for left, right in same})


LATENCY, OVERHEAD, GAP, PER_BYTE = 1000.0, 100.0, 50.0, 0.5


def network() -> simulate.Settings:
    settings = simulate.Settings()
    cost = simulate.Cost(None, LATENCY, OVERHEAD, GAP, PER_BYTE)
    settings.within = settings.between = simulate.Messages([cost], 1 << 20)
    settings.asynchronous = True
    settings.collectives = {"allreduce": "recursive doubling"}
    return settings


def makespan(pattern: native.ProgramPattern, ranks: int) -> float:
    prediction = native.Extrapolation(pattern, ranks).replay(network())
    assert prediction.remarks == []
    return prediction.makespan_ns


def message_ns(size: int) -> float:
    return 2 * OVERHEAD + LATENCY + PER_BYTE * size


@pytest.mark.parametrize("ranks", cases([1024], long=[2**16]))
def test_a_ring_takes_what_its_closed_form_says(ranks: int, tmp_path: Path) -> None:
    """Each iteration: the shared computing, what hides the message behind it, and a round of 8 B
    for each doubling."""
    pattern = recognised(programs.ring, (4, 8, 16), tmp_path)

    computation = round(6_400_000 / ranks)
    waited = OVERHEAD + max(1000.0, LATENCY + PER_BYTE * 800) + OVERHEAD
    rounds = (ranks.bit_length() - 1) * message_ns(8)
    whole = 5 * (computation + waited + 500 + rounds)
    assert makespan(pattern, ranks) == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("ranks", [256, 2**14])
def test_a_dissemination_takes_a_message_for_each_doubling(ranks: int, tmp_path: Path) -> None:
    def program(size: int, rank: int) -> Iterator[PlannedCall]:
        yield from list(programs.dissemination(size, rank))[:-2]

    pattern = recognised(program, (4, 8, 16), tmp_path)

    rounds = ranks.bit_length() - 1
    assert makespan(pattern, ranks) == pytest.approx(rounds * (600 + message_ns(1)), rel=1e-12)


def test_a_torus_takes_as_long_on_any_number_of_ranks(tmp_path: Path) -> None:
    """An iteration on equal parts has 6 sends, 50 us of computing that hide the messages, and the
    overheads of 6 receives."""
    pattern = recognised(programs.halo(3, periodic=True), (16, 32, 64), tmp_path)

    iteration = 6 * (20 + OVERHEAD) + 50_000 + 6 * OVERHEAD
    for ranks in (64, 2**15):
        whole = 4 * iteration
        assert makespan(pattern, ranks) == pytest.approx(whole, rel=1e-12)


def test_ranks_take_turns_in_what_recorded_ones_compute(tmp_path: Path) -> None:
    """An imbalance of the recorded ranks is there on more ranks, too."""

    def program(ranks: int, rank: int) -> Iterator[PlannedCall]:
        yield "Init", 0, {}
        yield "Barrier", 9000 if rank % 4 == 3 else 1000, {}
        yield "Finalize", 0, {}

    run = native.Extrapolation(recognised(program, (4, 8, 16), tmp_path), 64)

    assert [run.calls(rank)[1][1] for rank in range(8)] == 2 * [1000, 1000, 1000, 9000]


def changed(program: programs.Program, change: Change) -> programs.Program:
    def altered(ranks: int, rank: int) -> Iterator[PlannedCall]:
        for number, call in enumerate(program(ranks, rank)):
            yield from change(ranks, rank, number, call)

    return replace(program, program=altered) if isinstance(program, programs.Grouped) else altered


def another_partner(ranks: int, rank: int, number: int, call: PlannedCall) -> list[PlannedCall]:
    function, gap, parameters = call
    if (ranks, rank, function) == (16, 5, "Isend"):
        return [(function, gap, {**parameters, "peer": 2})]
    return [call]


def one_size_more(ranks: int, rank: int, number: int, call: PlannedCall) -> list[PlannedCall]:
    function, gap, parameters = call
    if (ranks, rank, number) == (8, 3, 2):
        return [(function, gap, {**parameters, "bytes": 801})]
    return [call]


def an_odd_size(ranks: int, rank: int, number: int, call: PlannedCall) -> list[PlannedCall]:
    function, gap, parameters = call
    sizes = {4: 100, 8: 900, 16: 50}
    return (
        [(function, gap, {**parameters, "bytes": sizes[ranks]})] if function == "Isend" else [call]
    )


def one_call_more(ranks: int, rank: int, number: int, call: PlannedCall) -> list[PlannedCall]:
    return [call, ("Barrier", 0, {})] if (ranks, rank, number) == (8, 2, 4) else [call]


def odd_rounds(ranks: int, rank: int, number: int, call: PlannedCall) -> list[PlannedCall]:
    rounds = {4: 2, 8: 3, 16: 7}[ranks]
    return [call, *[("Barrier", 0, {"site": 1})] * rounds] if call[0] == "Init" else [call]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (another_partner, "MPI_Isend: the partner of rank 5 of 16 (2)"),
        (one_size_more, "MPI_Isend: rank 1 of 8 sends 800 B, rank 3 801 B"),
        (
            an_odd_size,
            "MPI_Isend: its sizes follow no law of the number of ranks (100 B on 4, 50 B",
        ),
        (one_call_more, "call 6 is MPI_Irecv of rank 0 of 8, but MPI_Barrier of rank 2 of 8"),
        (odd_rounds, "a loop runs 2, 3, 7 times, which follows no law of the number of ranks"),
    ],
)
def test_an_irregular_program_is_refused(change: Change, says: str, tmp_path: Path) -> None:
    with pytest.raises(native.InvalidInput) as refused:
        recognised(changed(programs.ring, change), (4, 8, 16), tmp_path)

    assert str(refused.value).startswith("the runs are not regular: ")
    assert says in str(refused.value)


def test_pencils_take_as_long_as_where_they_are_recorded(tmp_path: Path) -> None:
    rows, columns = (programs.along(axis, dimensions=2) for axis in (0, 1))
    program = programs.in_groups(rows, columns)
    pattern = recognised(program, (4, 8, 16), tmp_path)

    prediction = native.Extrapolation(pattern, 64).replay(network())

    truth = programs.job(program, 64).write(tmp_path / "truth.ww")
    recorded_ns = simulate.replay(truth, network()).makespan_ns
    ends_ns = 100 + 6 * (LATENCY + 2 * OVERHEAD)
    assert prediction.remarks == []
    assert prediction.makespan_ns == recorded_ns - ends_ns


def test_a_transposition_of_equal_parts_takes_as_long_as_where_it_is_recorded(
    tmp_path: Path,
) -> None:
    pattern = recognised(programs.transposition, (4, 8, 16), tmp_path)
    settings = network()
    settings.collectives = {"alltoall": "pairwise exchange"}

    prediction = native.Extrapolation(pattern, 64).replay(settings)

    truth = programs.job(programs.transposition, 64).write(tmp_path / "truth.ww")
    # In what is extrapolated, MPI_Init takes no time and MPI_Finalize has no barrier.
    ends_ns = 100 + 6 * (LATENCY + 2 * OVERHEAD)
    assert prediction.remarks == []
    assert prediction.makespan_ns == simulate.replay(truth, settings).makespan_ns - ends_ns


def test_parts_of_different_sizes_are_refused(tmp_path: Path) -> None:
    def more_for_rank_0(ranks: int, rank: int, number: int, call: PlannedCall) -> list[PlannedCall]:
        function, gap, parameters = call
        if function != "Alltoallv":
            return [call]
        counts = [parameters["counts"][0] + 8, *parameters["counts"][1:]]
        return [(function, gap, {**parameters, "bytes": sum(counts), "counts": counts})]

    with pytest.raises(native.InvalidInput) as refused:
        recognised(changed(programs.transposition, more_for_rank_0), (4, 8, 16), tmp_path)

    assert "rank 0, MPI_Alltoallv: has parts of different sizes" in str(refused.value)


def test_what_the_runs_leave_open_is_refused(tmp_path: Path) -> None:
    """Two ranks along a periodic dimension are each other's neighbours on both sides; a dimension
    that does not grow may be in sizes or not; a grid of 2 x 2 has no ranks inside."""
    with pytest.raises(native.InvalidInput, match="may be one or another by what the runs show"):
        recognised(programs.halo(3, periodic=True), (8, 16, 32), tmp_path / "mirrored")
    with pytest.raises(native.InvalidInput, match="record the run of 64 ranks, too"):
        recognised(programs.halo(3, periodic=False, strong=True), (8, 16, 32), tmp_path / "sizes")
    with pytest.raises(native.InvalidInput, match="the runs are not regular"):
        recognised(programs.halo(2, periodic=False, skips=True), (4, 8, 16), tmp_path / "inside")


@pytest.mark.parametrize("runs", [(4, 8), (4, 8, 32), (6, 8, 16)])
def test_runs_must_double(runs: Sequence[int], tmp_path: Path) -> None:
    with pytest.raises(native.InvalidInput, match=r"runs,? of P, 2 P, 4 P"):
        recognised(programs.ring, runs, tmp_path)


def test_ranks_are_the_smallest_run_times_a_power_of_two(tmp_path: Path) -> None:
    pattern = recognised(programs.ring, (4, 8, 16), tmp_path)
    for ranks in (2, 100, 2**25):
        with pytest.raises(native.InvalidInput, match="expected 4 times a power of two, at most"):
            native.Extrapolation(pattern, ranks)


def test_a_trace_that_is_cut_is_refused(tmp_path: Path) -> None:
    traces = [Path(programs.job(programs.ring, n).write(tmp_path / f"{n}.ww")) for n in (4, 8, 16)]
    traces[1].write_bytes(traces[1].read_bytes()[:-40])
    with pytest.raises(native.InvalidInput, match="needs complete traces"):
        native.recognise([str(trace) for trace in traces])


def test_laws_are_stated_with_their_residuals(tmp_path: Path) -> None:
    pattern = recognised(programs.ring, (4, 8, 16), tmp_path)
    laws = {(law.call, law.what): (law.law, law.residual) for law in pattern.laws}
    assert laws["MPI_Irecv", "computing"][0] == "1 / ranks"
    assert laws["MPI_Irecv", "computing"][1] == pytest.approx(0, abs=1e-9)
    assert laws["MPI_Waitall", "computing"][0] == "constant"
    shares = [law.share for law in pattern.laws if law.what == "computing"]
    assert sum(shares) == pytest.approx(1)
    grid = recognised(programs.halo(2, periodic=False, strong=True), (4, 8, 16), tmp_path / "grid")
    assert {law.law for law in grid.laws if law.what == "bytes"} == {
        "1 / (ranks along x)",
        "1 / (ranks along y)",
    }
    assert grid.grid(256) == "16 x 16"
