"""Collectives and their algorithms by name."""

from __future__ import annotations

import re

import pytest

from waywiser.analyse.whatif.collectives import algorithms, collective_choices, collective_of
from waywiser.errors import InvalidCommand


@pytest.mark.parametrize(
    ("function", "collective"),
    [
        ("MPI_Allreduce", "allreduce"),
        ("MPI_Iallreduce", "allreduce"),
        ("MPI_Allreduce_init", "allreduce"),
        ("MPI_Alltoallv", "alltoall"),
        ("MPI_Ialltoallw", "alltoall"),
        ("MPI_Reduce_scatter_block", "reduce_scatter"),
        ("MPI_Reduce_scatter", "reduce_scatter"),
        ("MPI_Exscan", "scan"),
        ("MPI_Ibarrier", "barrier"),
        ("MPI_Send", None),
        ("MPI_Init", None),
        ("MPI_Comm_split", None),
        ("MPI_Neighbor_alltoall", None),
    ],
)
def test_functions_of_collectives(function: str, collective: str | None) -> None:
    assert collective_of(function) == collective


def test_algorithms_by_collective() -> None:
    assert {"recursive doubling", "Rabenseifner"} <= set(algorithms(switches=False)["allreduce"])
    assert [
        "in network" in algorithms(switches=switches)["allreduce"] for switches in (True, False)
    ] == [True, False]
    assert collective_choices(["allreduce=Rabenseifner", "bcast = Binomial-tree"]) == {
        "allreduce": "Rabenseifner",
        "bcast": "binomial tree",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("allreduce", "expected NAME=ALGORITHM, such as allreduce=ring; NAME is one of barrier"),
        ("send=ring", "NAME is one of barrier, bcast"),
        ("allreduce=magic", "--collective allreduce=magic: allreduce has the algorithms recursive"),
    ],
)
def test_bad_choices_say_what_there_is(text: str, message: str) -> None:
    with pytest.raises(InvalidCommand, match=re.escape(message)):
        collective_choices([text])
