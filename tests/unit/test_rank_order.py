"""The file that gives ranks another order, as it is checked before the start."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from waywiser.errors import InvalidCommand
from waywiser.launch.command import Command
from waywiser.launch.launchers.launcher import Launcher
from waywiser.launch.launchers.table import KINDS
from waywiser.launch.rank_order import check_rank_order, read_rank_order


@pytest.fixture
def order(tmp_path: Path) -> Path:
    return tmp_path / "order"


def command(kind: str, *options: str) -> Command:
    launcher = Launcher(
        Path("mpirun"), next(known for known in KINDS if known.name == kind), version="1"
    )
    return Command(("mpirun", *options, sys.executable), launcher, (len(options) + 1,))


def test_comments_and_empty_lines_do_not_count(order: Path) -> None:
    order.write_text("# by waywiser\n2\n\n 0  # on n3\n1\n")

    assert read_rank_order(order) == (2, 0, 1)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0\n1\n1\n", ":3: rank 1 is a duplicate of line 2"),
        ("0\n3\n1\n", ":2: there is no rank 3 among 3, which are numbered from 0"),
        ("0\n-1\n", ":2: expected the number of a rank, got '-1'"),
        ("0 1\n", ":1: expected the number of a rank, got '0 1'"),
        ("0\n\u0661\n", ":2: expected the number of a rank"),
        ("# nothing\n", ": orders no ranks"),
    ],
)
def test_what_is_no_permutation_is_refused(order: Path, text: str, says: str) -> None:
    order.write_text(text, encoding="utf-8")

    with pytest.raises(InvalidCommand) as refused:
        read_rank_order(order)

    assert f"{order}{says}" in str(refused.value)


def test_a_file_that_cannot_be_read_is_named(order: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidCommand, match="order: No such file"):
        read_rank_order(order)
    with pytest.raises(InvalidCommand, match="Is a directory"):
        read_rank_order(tmp_path)
    order.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidCommand, match="order is not an order of ranks: "):
        read_rank_order(order)


@pytest.mark.parametrize(
    "options",
    [("-n", "4"), ("-np", "4"), ("--np=4",), ("-n4",), ("--ntasks=4",), ("--host", "a", "-n", "4")],
)
def test_another_number_of_ranks_is_refused(order: Path, options: tuple[str, ...]) -> None:
    order.write_text("1\n0\n2\n")

    with pytest.raises(InvalidCommand, match="orders 3 ranks, but the command starts 4"):
        check_rank_order(order, command("Slurm", *options))


@pytest.mark.parametrize("options", [(), ("-N", "4"), ("-c", "4"), ("--map-by", "n")])
def test_a_number_that_is_not_known_is_left_to_the_start(
    order: Path, options: tuple[str, ...]
) -> None:
    order.write_text("1\n0\n2\n")

    ranks, sentence = check_rank_order(order, command("Slurm", *options))

    assert ranks == (1, 0, 2)
    assert "SLURM_PROCID" in sentence


def test_the_launchers_own_order_is_none(order: Path) -> None:
    order.write_text("0\n1\n")

    ranks, sentence = check_rank_order(order, command("MPICH", "-n", "2"))

    assert ranks == ()
    assert sentence == f"{order} is the launcher's own order, and changes nothing"


def test_several_programs_are_refused(order: Path) -> None:
    order.write_text("1\n0\n")
    single = command("MPICH", "-n", "1")
    two = Command((*single.words, ":", *single.words[1:]), single.launcher, (3, 7))

    with pytest.raises(InvalidCommand, match="starts several programs"):
        check_rank_order(order, two)
