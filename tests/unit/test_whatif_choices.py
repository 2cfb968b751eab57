"""Sweeps over everything that can be asked: each point is what its option alone answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support import ROOT, document, printed
from waywiser.analyse.whatif.sweep import AXES, joined
from waywiser.machines.metrics import listed
from waywiser.model.routing import BY_MESSAGE, MINIMAL_COSTS, MINIMAL_ROUTES
from waywiser.model.whatif import WhatIf

SWEPT: dict[str, dict[str, tuple[str, ...]]] = {
    "latency": {"1us": ("--latency", "1us"), "50us": ("--latency", "50us")},
    "bandwidth": {"x0.5": ("--bandwidth", "x0.5"), "x2": ("--bandwidth", "x2")},
    "cpu": {"1": (), "2": ("--cpu", "2")},
    "noise": {"0": (), "5": ("--noise", "5"), "20%": ("--noise", "20")},
    "ranks-per-node": {"1": ("--ranks-per-node", "1"), "4": ("--ranks-per-node", "4")},
    "eager-limit": {"4": ("--eager-limit", "4"), "1KiB": ("--eager-limit", "1KiB")},
    "on": {"rig-3": ("--on", "rig-3"), "fdr-4": ("--on", "fdr-4")},
    "topology": {"rig-3": ("--topology", "rig-3"), "fdr-4": ("--topology", "fdr-4")},
    "placement": {
        "round-robin": ("--placement", "round-robin"),
        "random": ("--placement", "random"),
        "best": ("--placement", "best"),
    },
    "collective": {
        "allreduce=ring": ("--collective", "allreduce=ring"),
        "allreduce=recursive doubling": ("--collective", "allreduce=recursive doubling"),
    },
    "progress": {"asynchronous": ("--progress", "asynchronous"), "in-calls": ()},
    "balanced": {"no": (), "yes": ("--balanced",)},
    "early-sends": {"no": (), "yes": ("--early-sends",)},
    "join-messages": {"no": (), "yes": ("--join-messages",)},
    "no-noise": {"no": (), "yes": ("--no-noise",)},
    "ideal-network": {"no": (), "yes": ("--ideal-network",)},
}


UNCHANGED = {"progress", "topology", "no-noise", "early-sends", "join-messages"}
"""Messages are short, in turn, and follow no computing, which is never delayed."""

OF_POINT = ("ratio", "predicted_seconds", "low_seconds", "high_seconds")


def answered(*words: str) -> Any:
    return document("whatif", "run", "--from", "rig-3", *words)


def test_whatever_can_be_requested_can_be_swept() -> None:
    assert set(SWEPT) == set(AXES)


@pytest.mark.parametrize("axis", AXES)
def test_each_point_is_what_its_option_answers(directory: Path, axis: str) -> None:
    requested = SWEPT[axis]

    sweep = answered("--sweep", f"{axis}={','.join(requested)}")["sweep"]

    base = sweep["points"][0]["predicted_seconds"] / sweep["points"][0]["ratio"]
    alone = [
        [answered(*words)["predictions"][0][name] for name in OF_POINT]
        if words
        else [1.0, base, base, base]
        for words in requested.values()
    ]
    assert [[point[name] for name in OF_POINT] for point in sweep["points"]] == [
        pytest.approx(expected, rel=1e-12) for expected in alone
    ]
    if axis not in UNCHANGED:
        assert {ratio for ratio, *_ in alone} != {1.0}, "nothing that is asked changes anything"
    (described,) = sweep["axes"]
    if described["unit"] == "":
        assert [point["values"] for point in sweep["points"]] == [[value] for value in requested]


def test_what_was_assumed_at_some_points_is_reported(directory: Path) -> None:
    sentence = "Four nodes on FDR InfiniBand is not calibrated"

    sweep = answered("--sweep", "on=rig-3,fdr-4")["sweep"]
    text = printed("whatif", "run", "--sweep", "on=rig-3,fdr-4")

    assert [remark for remark in sweep["remarks"] if sentence in remark]
    assert f"Note: {sentence}" in " ".join(text.split())


def test_machines_that_differ_answer_differently(directory: Path) -> None:
    machines = [machine.name for machine in listed().machines if "whatif" in machine.used_by]
    words = [word for name in machines for word in ("--on", name)]

    predictions = answered(*words, "--ranks-per-node", "1")["predictions"]

    assert len({prediction["predicted_seconds"] for prediction in predictions}) == len(machines) > 4


def test_it_is_reported_where_routes_of_a_dragonfly_are_minimal_and_where_by_load(
    directory: Path,
) -> None:
    link = "link_bandwidth_GBps = 25.0\n"
    frontier = (ROOT / "machines" / "frontier.toml").read_text(encoding="utf-8")
    assert link in frontier
    (directory / "dragonfly.toml").write_text(
        frontier.replace(link, f"{link}link_latency_us = 0.2\n")
    )

    def sentence(*words: str) -> set[str]:
        (prediction,) = answered(*words)["predictions"]
        return {MINIMAL_COSTS, MINIMAL_ROUTES, BY_MESSAGE} & set(prediction["remarks"])

    on, topology = ("--on", "dragonfly.toml"), ("--topology", "dragonfly.toml")
    assert sentence(*on) == {MINIMAL_COSTS}
    assert sentence(*topology) == {BY_MESSAGE}
    assert sentence(*on, *topology) == {MINIMAL_COSTS, BY_MESSAGE}
    assert sentence("--topology", "fdr-4") == set()


def test_parts_say_together_what_was_assumed(directory: Path) -> None:
    words = ("--sweep", "on=rig-3,fdr-4")
    parts = [answered(*words, "--part", f"{part}/2") for part in (1, 2)]

    whole = joined([WhatIf.model_validate(part) for part in parts])

    assert whole == WhatIf.model_validate(answered(*words))


def test_choices_are_bars_and_columns(directory: Path) -> None:
    words = ("--sweep", "collective=allreduce=ring,allreduce=recursive doubling")
    machines = ("--on", "rig-3", "--on", "fdr-4")

    output = printed("whatif", "run", *words, *machines, "-o", "bars.svg")
    grid = printed("whatif", "run", *words, "--sweep", "balanced=no,yes", "-o", "grid.svg")

    bars = (directory / "bars.svg").read_text()
    assert all(word in bars for word in ("allreduce=ring", "rig-3", "fdr-4", "Predicted run time"))
    cells = (directory / "grid.svg").read_text()
    assert all(word in cells for word in ("allreduce=ring", "yes", "balanced"))
    title, first = [line for line in output.splitlines() if "change" in line or "=ring" in line][:2]
    assert title.index("predicted") - title.index("collective") == len("collective") + 11
    assert first.startswith(f"{'allreduce=ring':>30}")
    assert [line.split()[1] for line in grid.splitlines() if "=ring" in line] == ["no", "yes"]
