"""Intended and actual hosts, and which file says what was intended."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.synthetic_placements import placement
from tests.synthetic_runs import rank, summary
from waywiser.analyse.placement_check import check_placement, placement_of_run
from waywiser.errors import InvalidCommand, InvalidRun
from waywiser.model.run import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Began a minute from now, so that what a test writes is older."""
    return Run.model_construct(
        command=("mpirun", "--map-by", "rankfile:FILE=placed", "-n", "3", "./app"),
        directory=str(tmp_path),
        environment={},
        started=datetime.now(UTC) + timedelta(minutes=1),
    )


def test_the_command_names_the_placement(tmp_path: Path, run: Run) -> None:
    planned = placement("n0", "n1", "n0")
    (tmp_path / "placed.json").write_text(planned.model_dump_json())

    assert placement_of_run(tmp_path / "run", run) == (Path("placed"), planned)


def test_a_variable_names_the_placement(tmp_path: Path, run: Run) -> None:
    planned = placement("n0", "n1", "n0")
    (tmp_path / "list.json").write_text(planned.model_dump_json())
    by_variable = run.replace(environment={"SLURM_HOSTFILE": "list"})

    assert placement_of_run(tmp_path / "run", by_variable) == (Path("list"), planned)


def test_a_placement_that_is_younger_than_its_run(tmp_path: Path, run: Run) -> None:
    (tmp_path / "placed.json").write_text(placement("n0", "n1", "n0").model_dump_json())
    later = run.started.timestamp() + 1
    os.utime(tmp_path / "placed.json", (later, later))

    with pytest.raises(InvalidCommand, match=r"placed was written after .* had begun"):
        placement_of_run(tmp_path / "run", run)


def test_no_placement(tmp_path: Path, run: Run) -> None:
    with pytest.raises(InvalidCommand, match="its command names no file of `waywiser place`"):
        placement_of_run(tmp_path / "run", run)
    with pytest.raises(InvalidCommand, match=r"other\.json: No such file"):
        placement_of_run(tmp_path / "run", run, tmp_path / "other")


def test_a_damaged_document_is_named(tmp_path: Path, run: Run) -> None:
    (tmp_path / "placed.json").write_text('{"format": "waywiser-placement", "ranks": "three"}')

    with pytest.raises(InvalidRun, match=r"placed\.json: not a document of `waywiser place`: "):
        placement_of_run(tmp_path / "run", run)


def test_ranks_on_other_hosts_are_found() -> None:
    """A host may be called by its name with or without its domain."""
    ranks = [rank(0, {}, "n0"), rank(1, {}, "n1.cluster"), rank(2, {}, "n1")]

    check = check_placement("run", summary(ranks), "placed", placement("n0", "n1", "n0"))

    assert [
        (misplaced.rank, misplaced.intended, misplaced.actual) for misplaced in check.misplaced
    ] == [(2, "n0", "n1")]


def test_ranks_without_a_profile_are_reported() -> None:
    ranks = [rank(0, {}, "n0"), rank(2, {}, "n0")]

    check = check_placement("run", summary(ranks, lost=1), "placed", placement("n0", "n1", "n0"))

    assert not check.misplaced
    assert check.remarks == ("1 rank left no profile and cannot be checked",)


def test_the_order_of_rerank_names_the_placement(tmp_path: Path, run: Run) -> None:
    planned = placement("n0", "n1", "n0")
    (tmp_path / "order.json").write_text(planned.model_dump_json())
    reranked = run.replace(rank_order_file="order")

    assert placement_of_run(tmp_path / "run", reranked) == (Path("order"), planned)


def test_documents_of_others_are_passed_over(tmp_path: Path, run: Run) -> None:
    """A program's input may have a JSON file beside it."""
    (tmp_path / "mesh.json").write_text('{"format": "mesh"}')
    planned = placement("n0", "n1", "n0")
    (tmp_path / "placed.json").write_text(planned.model_dump_json())
    both = run.replace(command=("mpirun", "./app", "mesh", "--map-by=placed"))

    assert placement_of_run(tmp_path / "run", both) == (Path("placed"), planned)


def split_hosts(*groups: tuple[str, int]) -> list[tuple[str, int, int]] | None:
    """The split hosts, their groups and strangers, given the host and leader of each rank."""
    ranks = [
        rank(number, {}, host).replace(sharing_leader=leader)
        for number, (host, leader) in enumerate(groups)
    ]
    placed = placement(*(host for host, _ in groups))
    hosts = check_placement("run", summary(ranks), "placed", placed).split_hosts
    return None if hosts is None else [(host.host, host.groups, host.strangers) for host in hosts]


def test_shared_memory() -> None:
    assert split_hosts(("n0", 0), ("n1", 1), ("n0", 0), ("n1", 1)) == []
    # Each rank for itself, as after a machinefile of MPICH that repeats n0.
    assert split_hosts(("n0", 0), ("n1", 1), ("n0", 2), ("n1", 1)) == [("n0", 2, 0)]
    # Ranks of two hosts in one group, as after MPICH's -rankmap.
    assert split_hosts(("n0", 0), ("n1", 0), ("n0", 0), ("n1", 3)) == [("n0", 1, 1), ("n1", 2, 2)]


def test_shared_memory_that_was_not_requested() -> None:
    check = check_placement(
        "run", summary([rank(0, {}), rank(1, {})]), "placed", placement("n0", "n0")
    )

    assert check.split_hosts is None


def test_another_number_of_ranks() -> None:
    with pytest.raises(InvalidCommand, match="placed places 3 ranks, but run had 1"):
        check_placement("run", summary([rank(0, {})]), "placed", placement("n0", "n1", "n0"))
