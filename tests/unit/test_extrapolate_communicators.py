"""Communicators of some of the ranks: which are refused in extrapolation, and those of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests import regular_programs as programs
from tests import synthetic_jobs
from tests.synthetic_jobs import PlannedCall
from tests.unit.test_extrapolate import changed, members, recognised
from waywiser.native import _native as native


def one_pair_swapped(ranks: int) -> list[Sequence[int]]:
    pairs: list[Sequence[int]] = list(programs.blocks_of(2)(ranks))
    return [(0, 3), (1, 2), *pairs[2:]] if ranks == 8 else pairs


def test_a_communicator_of_any_ranks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(native.InvalidInput) as refused:
        recognised(programs.in_groups(one_pair_swapped), (4, 8, 16), tmp_path)

    assert (
        "MPI_Allreduce: the ranks that rank 0 of 8 shares its communicator with (0, 3) follow"
        in (str(refused.value))
    )
    assert "expected all ranks, rows, columns or planes of a grid" in str(refused.value)


def test_members_in_another_order_are_refused(tmp_path: Path) -> None:
    backwards = programs.in_groups(lambda ranks: [range(ranks)[::-1]])
    with pytest.raises(
        native.InvalidInput, match=r"rank 0 of 4 shares .* \(3, 2, 1, 0\) follow no"
    ):
        recognised(backwards, (4, 8, 16), tmp_path)


def test_an_intercommunicator_is_refused(tmp_path: Path) -> None:
    def program(ranks: int, rank: int) -> Iterator[PlannedCall]:
        yield from (("Init", 0, {}), ("Barrier", 0, {"object": 1}), ("Finalize", 0, {}))

    traces = []
    for ranks in (4, 8, 16):
        result = programs.job(program, ranks)
        result.communicator(range(ranks // 2), remote=range(ranks // 2, ranks))
        traces.append(result.write(tmp_path / f"{ranks}.ww"))
    with pytest.raises(native.InvalidInput, match="MPI_Barrier: takes place between two groups"):
        native.recognise(traces)


def test_communicators_that_the_runs_leave_open_are_refused(tmp_path: Path) -> None:
    """A third dimension of the grid that does not grow; on one node, the ranks of a node or all
    ranks, the ranks of one place or single ranks, and sizes that grow with the ranks or with those
    of a node."""
    cuts = (programs.along(*kept, dimensions=3) for kept in ((0,), (0, 1), (2,)))
    planes = programs.in_groups(*cuts, maker="Cart_sub")
    with pytest.raises(
        native.InvalidInput, match=r"communicator depends on .* the run of 64 ranks"
    ):
        recognised(planes, (8, 16, 32), tmp_path / "planes")
    with pytest.raises(
        native.InvalidInput, match="may be single ranks or ranks with the same place"
    ):
        recognised(programs.hierarchy(0), (4, 8, 16), tmp_path / "places")
    halves = (
        synthetic_jobs.call("Comm_split", created=2, object=1),
        synthetic_jobs.call("Barrier", object=2),
    )
    with pytest.raises(native.InvalidInput, match=r"no rule keeps .* within the ranks of each"):
        recognised(
            programs.on_nodes(0, *halves, others=[programs.every(2)]),
            (4, 8, 16),
            tmp_path / "halves",
        )
    gather = synthetic_jobs.call("Allgather", bytes=0, posted=0, object=1)
    with pytest.raises(native.InvalidInput, match='may be "ranks" or "communicator" by what'):
        recognised(
            changed(programs.on_nodes(0, gather), grown_with_ranks), (4, 8, 16), tmp_path / "sizes"
        )


def grown_with_ranks(ranks: int, rank: int, number: int, call: PlannedCall) -> list[PlannedCall]:
    function, gap, parameters = call
    return (
        [(function, gap, {**parameters, "posted": 8 * ranks})] if "posted" in parameters else [call]
    )


def test_communicators_of_nodes_take_the_ranks_of_a_node(tmp_path: Path) -> None:
    total = synthetic_jobs.call("Allreduce", bytes=8, posted=8, object=1)
    twice = (synthetic_jobs.call("Comm_dup", created=2), synthetic_jobs.call("Barrier", object=2))
    program = programs.on_nodes(0, total, *twice, others=[lambda ranks: [range(ranks)]])
    one_node = recognised(program, (4, 8, 16), tmp_path / "one")
    of_four = recognised(programs.on_nodes(4, total), (4, 8, 16), tmp_path / "four")

    assert members(native.Extrapolation(one_node, 64, 16).job, 40)[1:] == [
        list(range(32, 48)),
        list(range(64)),
    ]
    assert members(native.Extrapolation(of_four, 64).job, 40)[1] == list(range(40, 44))
    with pytest.raises(
        native.InvalidInput, match="ranks-per-node: expected 4, which all runs have"
    ):
        native.Extrapolation(of_four, 64, 8)
    blocks = replace(programs.in_groups(programs.blocks_of(4)), per_node=4)
    like_nodes = recognised(blocks, (4, 8, 16), tmp_path / "blocks")
    with pytest.raises(
        native.InvalidInput, match="ranks-per-node: expected 4, which all runs have"
    ):
        native.Extrapolation(like_nodes, 64, 8)
    with pytest.raises(native.InvalidInput, match="ranks-per-node: expected a divisor of 64"):
        native.Extrapolation(one_node, 64, 12)
