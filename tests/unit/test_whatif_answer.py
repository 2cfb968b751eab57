"""Answers from replays: ratios, intervals, placements and sweeps, against a replay on paper."""

from __future__ import annotations

import re
from dataclasses import replace
from math import inf

import numpy as np
import pytest

from tests.closed_form_replay import BASE_NETWORK, MS, Program, base_on_paper, summary_on_paper
from waywiser.analyse.whatif.answer import answer, answers
from waywiser.analyse.whatif.bounds import most_gained
from waywiser.analyse.whatif.links import most_senders_to_a_node
from waywiser.analyse.whatif.network import Network
from waywiser.analyse.whatif.nodes import in_blocks, placed
from waywiser.analyse.whatif.quantity import Change
from waywiser.analyse.whatif.question import Question
from waywiser.analyse.whatif.replay import settings_of
from waywiser.analyse.whatif.requested import requested_setting
from waywiser.analyse.whatif.setting import LinkUse, Replayed, Setting
from waywiser.analyse.whatif.sweep import ranges_of, swept
from waywiser.errors import InvalidCommand
from waywiser.model.summary import RankSeconds
from waywiser.report.answers.whatif import whatif_text
from waywiser.report.answers.whatif_plots import drawn_whatif
from waywiser.report.drawing.image_formats import FORMATS

TWO_NODES = (0, 0, 1, 1)
PROGRAM = Program((4 * MS, 4 * MS, 2 * MS, 6 * MS), 1000, 500, 9 * MS, {"ring": 0.5})
"""1000 messages of 1 us + 2 * 0.25 us + 0.5 us = 2 us, after 6 ms of computing: 8 ms."""


def test_the_prediction_is_the_ratio_of_replays_times_the_recorded_time() -> None:
    base = base_on_paper(PROGRAM, TWO_NODES)

    prediction = answer(base, Question(latency=Change(0.0)))

    assert base.error == pytest.approx(-1 / 9)
    assert prediction.replayed_seconds == pytest.approx(7e-3)
    assert prediction.ratio == pytest.approx(7 / 8)
    assert prediction.predicted_seconds == pytest.approx(7.875e-3)
    # The gain of 1.125 ms is known as well as the base is, to a ninth.
    assert (prediction.low_seconds, prediction.high_seconds) == pytest.approx((7.75e-3, 8e-3))
    assert prediction.validation_error is None  # the memory was not validated
    assert prediction.remarks == ("replayed on paper",)


@pytest.mark.parametrize(("recorded_ns", "sentences"), [(9 * MS, "11 % shorter"), (8.5 * MS, "")])
def test_that_the_base_is_far_from_the_run_is_reported(recorded_ns: float, sentences: str) -> None:
    base = base_on_paper(replace(PROGRAM, recorded_ns=recorded_ns), TWO_NODES)

    remarks = [
        remark
        for remark in answers(base, []).remarks
        if "the replay of the unchanged run is" in remark
    ]

    assert len(remarks) == (1 if sentences else 0)
    assert all(sentences in remark for remark in remarks)


def test_long_labels_are_shown_whole_and_distinguished() -> None:
    long = Question(
        latency=Change(0.5, relative=True),
        bandwidth=Change(2.0, relative=True),
        collectives={"allreduce": "recursive doubling", "bcast": "binomial tree"},
        noise=0.05,
    )
    document = answers(base_on_paper(PROGRAM, TWO_NODES), [long, replace(long, balanced=True)])
    labels = [prediction.label for prediction in document.predictions]
    assert labels[1].startswith(labels[0])

    drawn = drawn_whatif(document)

    svg = FORMATS["svg"](drawn.specification).decode()
    shown = " ".join(" ".join(re.findall(r"<(?:text|tspan)[^>]*>([^<]*)(?=<)", svg)).split())
    assert "…" not in shown
    assert shown.count(labels[0]) == 2
    assert labels[1] in shown
    (above,) = [line for line in whatif_text(document).splitlines() if line.endswith("…")]
    assert above.count(f"{labels[0][:27]}…") == 2


def test_the_error_is_that_of_the_validation_where_this_is_the_larger_one() -> None:
    exact = replace(PROGRAM, recorded_ns=8 * MS)
    checked = Network(replace(BASE_NETWORK.inside, error=0.4), BASE_NETWORK.between)
    prediction = answer(base_on_paper(exact, TWO_NODES, checked), Question(latency=Change(0.0)))

    assert prediction.validation_error == 0.4
    assert (prediction.low_seconds, prediction.high_seconds) == pytest.approx((6.6e-3, 7.4e-3))
    alone = base_on_paper(exact, (0, 1, 2, 3), checked)  # no message stays inside a node
    assert answer(alone, Question(latency=Change(0.0))).validation_error == 0.05


def test_changes_are_of_messages_between_nodes_and_of_all_where_there_is_one_node() -> None:
    several = requested_setting(
        base_on_paper(PROGRAM, TWO_NODES).recorded, Question(latency=Change(50.0))
    )
    single = requested_setting(
        base_on_paper(PROGRAM, (0,) * 4).recorded, Question(latency=Change(50.0))
    )
    spread = requested_setting(
        base_on_paper(PROGRAM, (0,) * 4).recorded, Question(latency=Change(50.0), ranks_per_node=2)
    )

    def latencies(network: Network) -> tuple[float, float]:
        return network.inside.costs[0].latency_ns, network.between.costs[0].latency_ns

    assert latencies(several.setting.network) == (200.0, 50.0)
    assert latencies(single.setting.network) == (50.0, 1000.0)
    assert latencies(spread.setting.network) == (200.0, 50.0)
    assert spread.setting.nodes == TWO_NODES


def test_that_shared_links_are_not_modelled_is_reported_where_there_are_any() -> None:
    def sentences(nodes: tuple[int, ...]) -> bool:
        remarks = answers(base_on_paper(PROGRAM, nodes), []).base.remarks
        return any(
            "links that several nodes share are not modelled" in remark for remark in remarks
        )

    assert sentences((0, 1, 2, 2))
    assert not sentences(TWO_NODES)


INCAST = (
    "up to 4 messages are under way to a node, but shared links were validated only for up to 3"
)
INNER = "25 % of the delays on links are at links between switches, which were validated"


@pytest.mark.parametrize(
    ("links", "sentences"),
    [
        (LinkUse(0.5, 0.25, 0.0, 0.0, 9), ()),
        (LinkUse(0.5, 0.25, 4.0, 0.0, 3), ()),
        (LinkUse(0.5, 0.25, 4.0, 0.0, 4), (INCAST,)),
        (LinkUse(0.5, 0.25, 4.0, 1.0, 2), (INNER,)),
        (LinkUse(0.5, 0.25, 4.0, 1.0, 4), (INCAST, INNER)),
    ],
)
def test_what_was_not_validated_of_shared_links_is_named(
    links: LinkUse, sentences: tuple[str, ...]
) -> None:
    base = base_on_paper(PROGRAM, (0, 1, 2, 3))

    def replay(setting: Setting) -> Replayed:
        return replace(base.replay(setting), links=links)

    prediction = answer(replace(base, replay=replay), Question(topology="fdr-4"))

    warnings = [remark for remark in prediction.remarks if "validated" in remark]
    assert len(warnings) == len(sentences)
    assert all(
        warning.startswith(begin) for warning, begin in zip(warnings, sentences, strict=True)
    )
    assert prediction.links is not None
    assert (prediction.links.busiest, prediction.links.mean) == (0.5, 0.25)
    assert prediction.links.delayed_seconds == pytest.approx(links.delays_ns / 1e9)
    assert prediction.links.inner_delayed_seconds == pytest.approx(links.inner_delays_ns / 1e9)
    assert prediction.links.most_to_a_node == links.most_to_a_node


def test_senders_to_a_node_are_counted_by_nodes() -> None:
    """Each rank sends to the one three further on: nodes 0, 1 and 2 hear from 2, 1 and 1 others."""
    nodes = (0, 0, 1, 2, 1, 0)
    summary = summary_on_paper(nodes)

    assert most_senders_to_a_node(summary, nodes) == 2
    assert most_senders_to_a_node(summary, (0,) * 6) == 0
    assert most_senders_to_a_node(summary.replace(per_rank=None), nodes) == 0


def test_times_of_the_ranks() -> None:
    replayed = answers(base_on_paper(PROGRAM, TWO_NODES), []).base

    assert (
        replayed.computing.least,
        replayed.computing.mean,
        replayed.computing.most,
    ) == pytest.approx((2e-3, 4e-3, 6e-3))
    assert replayed.computing.most_rank == 3
    mpi = replayed.waiting.mean + replayed.transfer.mean + replayed.overhead.mean
    assert replayed.mpi.mean == pytest.approx(mpi)
    (function,) = replayed.functions
    assert function.seconds == pytest.approx(4 * replayed.mpi.mean)
    assert sum(part.seconds for part in replayed.critical_path) == pytest.approx(
        replayed.replayed_seconds
    )


def test_times_of_every_rank_where_they_are_requested() -> None:
    base = base_on_paper(PROGRAM, TWO_NODES)

    (twice,) = answers(replace(base, per_rank=True), [Question(cpu=2.0)]).predictions

    assert answers(base, []).base.per_rank is None
    assert twice.per_rank is not None
    assert twice.per_rank.computing == pytest.approx((2e-3, 2e-3, 1e-3, 3e-3))
    assert twice.per_rank.mpi == pytest.approx(
        np.add(twice.per_rank.waiting, twice.per_rank.transfer)
    )
    assert max(twice.per_rank.mpi) == twice.mpi.most == twice.per_rank.mpi[2]
    assert twice.per_rank.overhead == (0, 0, 0, 0)


def test_every_option_reaches_the_replay() -> None:
    base = base_on_paper(PROGRAM, TWO_NODES)

    setting = requested_setting(
        base.recorded,
        Question(
            eager_limit_bytes=77,
            collectives={"allreduce": "ring"},
            cpu=2.0,
            noise=0.25,
            balanced=True,
            progress="asynchronous",
            seed=9,
        ),
    ).setting

    assert setting.network.between.eager_limit_bytes == 77
    assert setting.network.inside.eager_limit_bytes == 4096
    assert setting.collectives == {"allreduce": "ring"}
    assert (setting.cpu, setting.noise, setting.seed) == (2.0, 0.25, 9)
    assert setting.balanced
    assert setting.asynchronous
    assert not requested_setting(base.recorded, Question(balanced=True)).setting.asynchronous


def test_placements_keep_the_ranks_of_each_node() -> None:
    nodes = in_blocks(8, 4)
    summary = summary_on_paper(nodes)

    dealt = placed(nodes, "round-robin", summary, None, 1)
    shuffled = placed(nodes, "random", summary, None, 1)
    best = placed(nodes, "best", summary, None, 1)

    assert dealt == (0, 1, 0, 1, 0, 1, 0, 1)
    assert sorted(shuffled) == sorted(nodes)
    assert shuffled != nodes
    assert shuffled == placed(nodes, "random", summary, None, 1)
    assert sorted(best) == sorted(nodes)
    assert all(best[rank] == best[(rank + 4) % 8] for rank in range(8))  # who talk are together
    assert placed((0, 0, 0, 1), "round-robin", summary, None, 1) == (0, 1, 0, 0)


def test_a_placement_needs_several_nodes() -> None:
    with pytest.raises(InvalidCommand, match="all ranks are on one node; --ranks-per-node N"):
        answer(base_on_paper(PROGRAM, (0,) * 4), Question(placement="best"))


def test_a_sweep_asks_each_question_at_each_value() -> None:
    base = base_on_paper(PROGRAM, TWO_NODES)
    questions = [("slow", Question()), ("quick", Question(cpu=2.0))]

    sweep = swept(base, questions, ranges_of(["latency=1us:3us:2"]))

    assert [(point.label, point.values) for point in sweep.points] == [
        ("slow", (1.0,)),
        ("slow", pytest.approx((3.0,))),
        ("quick", (1.0,)),
        ("quick", pytest.approx((3.0,))),
    ]
    ratios = [point.ratio for point in sweep.points]
    assert np.allclose(ratios, [1.0, 10 / 8, 5 / 8, 7 / 8])


def test_a_trace_without_time_is_refused() -> None:
    with pytest.raises(InvalidCommand, match="run: nothing in its trace takes time"):
        base_on_paper(replace(PROGRAM, recorded_ns=0.0), TWO_NODES)


def test_everything_of_a_setting_reaches_the_simulator() -> None:
    setting = Setting(
        network=BASE_NETWORK,
        nodes=(0, 1, 1),
        library="MPICH",
        collectives={"allreduce": "Rabenseifner"},
        cpu=3.0,
        noise=0.25,
        seed=7,
        balanced=True,
        asynchronous=True,
    )

    settings = settings_of(setting)

    (inside,), (between,) = settings.within.costs, settings.between.costs
    assert (inside.up_to_bytes, inside.latency_ns, inside.overhead_ns) == (None, 200.0, 100.0)
    assert (between.latency_ns, between.gap_ns, between.ns_per_byte) == (1000.0, 250.0, 1.0)
    assert settings.between.eager_limit_bytes == 4096
    assert settings.node_of_rank == [0, 1, 1]
    assert (settings.cpu, settings.balanced, settings.asynchronous) == (3.0, True, True)
    assert (settings.collectives, settings.library) == ({"allreduce": "Rabenseifner"}, "MPICH")
    assert (settings.noise.exponential, settings.noise.seed) == (0.25, 7)
    assert settings.share_nic
    assert settings_of(replace(setting, no_noise=True)).no_noise
    plain = settings_of(replace(setting, balanced=False, asynchronous=False))
    assert not plain.balanced
    assert not plain.no_noise
    assert not plain.asynchronous


def test_only_ranks_that_share_a_node_of_several_share_its_nic() -> None:
    def shares(nodes: tuple[int, ...]) -> bool:
        return Setting(BASE_NETWORK, nodes, "").shares_nics

    assert shares((0, 0, 1))
    assert not shares((0, 1, 2))
    assert not shares((0, 0, 0))


def test_no_more_is_saved_than_a_rank_spends_in_the_calls_that_are_changed() -> None:
    summary = base_on_paper(PROGRAM, TWO_NODES).recorded.summary
    allreduce = summary.functions["MPI_Allreduce"]
    spent = summary.replace(
        mpi_seconds=(1e-3, 2e-3, 5e-4, 1e-3),
        functions={"MPI_Allreduce": allreduce.replace(most=RankSeconds(rank=1, seconds=3e-4))},
    )

    assert most_gained(spent, Question(latency=Change(0.5, relative=True))) == 2e-3
    assert most_gained(spent, Question(collectives={"allreduce": "ring"})) == 3e-4
    assert most_gained(spent, Question(collectives={"bcast": "ring"})) == 0
    assert most_gained(spent, Question(cpu=2.0)) == inf
    capped = replace(base_on_paper(PROGRAM, TWO_NODES).recorded, summary=spent)
    base = replace(base_on_paper(PROGRAM, TWO_NODES), recorded=capped)
    prediction = answer(base, Question(collectives={"allreduce": "ring"}))
    assert base.seconds - prediction.predicted_seconds == pytest.approx(3e-4)
