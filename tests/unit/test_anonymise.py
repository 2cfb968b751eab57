"""Anonymised data: names of people, hosts, directories and communicators are removed."""

from __future__ import annotations

import pytest

from tests import synthetic
from tests.synthetic_runs import site
from waywiser.model.summary import Communicator
from waywiser.store.anonymise import anonymise


@pytest.mark.parametrize(
    ("place", "left"),
    [
        ("solve at /home/ada/secret plan/cg.c:131", "solve at cg.c:131"),
        ("solve(ada::mesh at) at src/ada/cg.c:131", "solve((removed)::mesh at) at cg.c:131"),
        ("cg.c:131", "cg.c:131"),
        (None, None),
    ],
)
def test_a_call_site_keeps_file_names_alone(place: str | None, left: str | None) -> None:
    called = site(place, "MPI_Send", 1.0).replace(module="/home/ada/apps of/libmesh.so")
    summary = synthetic.summary(2).replace(call_sites=(called,))

    _, clean = anonymise(synthetic.run(2), summary)

    assert clean.call_sites == (called.replace(place=left, module="libmesh.so"),)


def test_communicators_lose_the_names_that_the_program_gave() -> None:
    names = ["MPI_COMM_WORLD", "fusion reactor", ""]
    communicators = tuple(
        Communicator(size=2, name=name, ranks="0-1", intercommunicator=False, functions={})
        for name in names
    )
    summary = synthetic.summary(2).replace(communicators=communicators)

    _, clean = anonymise(synthetic.run(2), summary)

    assert [communicator.name for communicator in clean.communicators] == [
        "MPI_COMM_WORLD",
        "(removed)",
        "",
    ]
    assert [communicator.ranks for communicator in clean.communicators] == ["0-1"] * 3


def test_the_file_of_a_new_order_loses_its_name() -> None:
    run = synthetic.run(2).replace(rank_order_file="/home/ada/order")

    clean, _ = anonymise(run, synthetic.summary(2))

    assert clean.rank_order_file == "(path)"
