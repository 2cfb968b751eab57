"""Efficiencies against their definitions, and opportunities against a replay on paper."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.closed_form_replay import MS, Program, base_on_paper, summary_on_paper
from tests.synthetic_waits import waits_of
from waywiser.analyse.advice.advice import advice
from waywiser.analyse.next_step import gain_text
from waywiser.analyse.whatif.collectives import algorithms
from waywiser.analyse.whatif.network import Cost, Network, Part
from waywiser.model.advice import Advice, Opportunity
from waywiser.model.efficiencies import efficiencies_of
from waywiser.model.gate import Gate
from waywiser.model.waits import CallPlace, WaitCause
from waywiser.report.answers.advice import advice_text
from waywiser.report.answers.advice_plots import drawn_advice

TWO_NODES = (0, 0, 1, 1)

IMBALANCED = Program((2 * MS, 2 * MS, 2 * MS, 6 * MS), 1, 8, 6 * MS, {"Rabenseifner": 0.5})
"""A few microseconds of messages after 6 ms of computing."""

LATENCY_BOUND = Program((1 * MS,) * 4, 4000, 8, 7.032 * MS, {"Rabenseifner": 0.5})
"""4000 messages of 1 us + 2 * 0.25 us + 8 ns after 1 ms."""

BANDWIDTH_BOUND = Program((1 * MS,) * 4, 6, 1_000_000, 7.009 * MS, {})
"""6 messages of 1.5 us + 1 ms after 1 ms."""


def opportunities(answer: Advice) -> dict[str, Opportunity]:
    return {opportunity.name: opportunity for opportunity in answer.opportunities}


def advised(program: Program, nodes: tuple[int, ...] = TWO_NODES) -> Advice:
    return advice(base_on_paper(program, nodes))


def test_the_efficiencies_are_those_of_the_papers() -> None:
    """Ranks that compute 6, 8 and 10 s in a run of 16 s, which an ideal network makes 12.5 s."""
    efficiency = efficiencies_of([6.0, 8.0, 10.0], 16.0, 12.5)

    assert efficiency.parallel == pytest.approx(8 / 16)
    assert efficiency.load_balance == pytest.approx(8 / 10)
    assert efficiency.communication == pytest.approx(10 / 16)
    assert efficiency.serialisation == pytest.approx(10 / 12.5)
    assert efficiency.transfer == pytest.approx(12.5 / 16)
    assert efficiency.most_rank == 2
    assert efficiency.serialisation is not None
    assert efficiency.transfer is not None
    product = efficiency.load_balance * efficiency.serialisation * efficiency.transfer
    assert product == pytest.approx(efficiency.parallel)


def test_a_document_is_read_back_under_the_old_name_of_its_opportunities_and_the_new() -> None:
    answer = advised(LATENCY_BOUND)
    document = json.loads(answer.model_dump_json())

    assert document["levers"] == document["opportunities"] != []
    assert Advice.model_validate(document) == answer
    assert Advice.model_validate({k: v for k, v in document.items() if k != "levers"}) == answer
    del document["opportunities"]
    assert Advice.model_validate(document) == answer


def test_efficiencies_of_ranks_that_compute_nothing() -> None:
    efficiency = efficiencies_of([0.0, 0.0], 2.0, 1.0)

    assert (efficiency.parallel, efficiency.load_balance, efficiency.transfer) == (0.0, 1.0, 0.5)


def test_where_a_collective_only_absorbs_imbalance_its_algorithm_is_not_worth_it() -> None:
    answer = advised(IMBALANCED)

    best, algorithm = answer.opportunities[0], opportunities(answer)["algorithm of MPI_Allreduce"]
    assert best.name == "balance"
    assert best.assessment == "expected"
    assert best.gain_seconds == pytest.approx(3e-3, rel=1e-2)
    assert "rank 3 computes 6 ms, ranks on average 3 ms" in best.because
    assert algorithm.assessment == "none"
    tried = len(algorithms(switches=False)["allreduce"])
    assert algorithm.what == f"allreduce by Rabenseifner, the fastest of {tried} algorithms"
    assert "it absorbs imbalance" in algorithm.because
    (finding,) = answer.findings
    assert finding.startswith("MPI_Allreduce takes 50 % of the ranks' time, 100 % of it waiting")
    assert "it absorbs imbalance, and tuning its algorithm is not worth it" in finding
    others = {
        name
        for name, opportunity in opportunities(answer).items()
        if opportunity.assessment != "none"
    }
    assert others == {"balance"}
    assert answer.efficiencies.load_balance == pytest.approx(0.5)


def test_the_cause_of_most_waiting_is_named_shortly_and_kept_in_full() -> None:
    full = "void cg::solve<cg::Matrix<double> >(cg::Matrix<double> const&) at cg.cpp:7"
    call = CallPlace(function="MPI_Allreduce", place=full)
    cause = WaitCause(
        wait="all_to_all", waiting=call, causing_rank=3, computing=True, before=None, after=call,
        seconds=9e-3, mpi_share=0.9, calls=3, direct_seconds=9e-3, most_waiting_rank=0,
    )  # fmt: skip
    whole = dict.fromkeys(("mpi_seconds", "wall_seconds", "critical_path_seconds"), 1e-2)
    waits = waits_of({"all_to_all": 9e-3}, causes=(cause,), **whole)
    base = base_on_paper(IMBALANCED, TWO_NODES)
    recorded = replace(base.recorded, summary=summary_on_paper(TWO_NODES, waits=waits))

    answer = advice(replace(base, recorded=recorded))

    short = "computation before MPI_Allreduce from cg::solve at cg.cpp:7 (9 ms over all ranks)"
    output = " ".join(advice_text(answer).split())
    assert f"the longest wait that it may shorten is for rank 3, {short}" in output
    assert opportunities(answer)["balance"].cause == cause
    drawn = drawn_advice(answer)[-1]
    assert drawn.table is not None
    assert short in str(drawn.table.rows[0][3])
    assert full in drawn.specification  # where the pointer is


def test_where_a_collective_transfers_its_algorithm_is_worth_it() -> None:
    answer = advised(LATENCY_BOUND)

    algorithm = opportunities(answer)["algorithm of MPI_Allreduce"]
    assert algorithm.assessment == "expected"
    assert algorithm.share == pytest.approx(3.016 / 7.032, rel=1e-3)
    assert "absorbs imbalance" not in algorithm.because
    assert "not worth it" not in answer.findings[0]
    assert "absorbs imbalance" not in answer.findings[0]


def test_what_is_bound_by_latency_and_what_by_bandwidth() -> None:
    short, long = opportunities(advised(LATENCY_BOUND)), opportunities(advised(BANDWIDTH_BOUND))

    assert short["latency"].gain_seconds == pytest.approx(2e-3, rel=1e-3)  # 4000 times 0.5 us
    assert short["latency"].assessment == "expected"
    assert short["bandwidth"].assessment == "none"
    assert short["balance"].assessment == "none"
    assert long["bandwidth"].gain_seconds == pytest.approx(3e-3, rel=1e-3)
    assert long["bandwidth"].assessment == "expected"
    assert long["latency"].assessment == "none"


MPI_BOUND = Program((1 * MS, 0.5 * MS, 0.5 * MS, 0.5 * MS), 3000, 8, 5.2 * MS, {})
"""3000 messages of 1.5 us + 8 ns after 1 ms: the replay takes 6.2 % longer than the run."""


def test_no_gain_exceeds_the_run_without_the_computing_of_its_slowest_rank() -> None:
    answer = advised(MPI_BOUND)

    assert answer.base_error == pytest.approx(5.524 / 5.2 - 1)
    gains = opportunities(answer)
    assert gains["any network"].high_seconds == pytest.approx(4.2e-3)
    assert "at most 4.20 ms (-81 %)" in advice_text(answer)
    assert gains["latency"].gain_seconds < 4.2e-3
    least = {"balance": answer.efficiencies.computing_mean_seconds}
    for name, opportunity in gains.items():
        computation = least.get(name, answer.efficiencies.computing_most_seconds)
        assert opportunity.high_seconds <= answer.recorded_seconds - computation + 1e-12
        assert opportunity.predicted_seconds >= computation - 1e-12


def test_a_gain_that_could_not_be_larger_is_reported_as_a_range() -> None:
    latency = opportunities(advised(LATENCY_BOUND))["latency"]

    assert gain_text(latency) == "2.0 ± 0.2 ms (-28 %)"
    cut = latency.replace(high_seconds=latency.gain_seconds)
    assert gain_text(cut) == "1.80 ms to 2.00 ms (-28 %)"


def test_opportunities_are_ranked_and_nothing_beats_a_network_that_takes_no_time() -> None:
    answer = advised(LATENCY_BOUND)

    ranked = [
        (opportunity.bound, -opportunity.gain_seconds) for opportunity in answer.opportunities
    ]
    assert ranked == sorted(ranked)
    by_name = opportunities(answer)
    assert by_name["any network"].gain_seconds == pytest.approx(6.032e-3, rel=1e-3)
    assert by_name["any network"].bound
    assert by_name["any network"].low_seconds == 0
    # Computing takes 1 ms, so that no more of the 6 ms of messages can be hidden.
    assert by_name["overlap"].gain_seconds == pytest.approx(1e-3, rel=1e-3)


def recorded_in(milliseconds: float) -> Advice:
    """Advice on a run that took `milliseconds`, unlike its replay."""
    return advised(replace(LATENCY_BOUND, recorded_ns=milliseconds * MS))


def test_gains_are_as_uncertain_as_the_replay_is_off() -> None:
    good, off = (opportunities(recorded_in(ms))["latency"] for ms in (7.032, 8.0))

    # Memory was not validated, which counts as 10 %.
    assert good.high_seconds - good.low_seconds == pytest.approx(0.2 * good.gain_seconds)
    assert off.share == pytest.approx(good.share)
    assert off.high_seconds - off.low_seconds == pytest.approx(2 * 0.121 * off.gain_seconds)
    remarks = recorded_in(8.0).remarks
    assert any("12 % shorter than the recorded run: every gain" in remark for remark in remarks)


@pytest.mark.parametrize(
    ("milliseconds", "predicts"),
    [(5.0, False), (6.2, True), (8.2, True), (8.5, False), (70, False)],
)
def test_nothing_is_predicted_from_a_replay_that_is_off_by_more_than_15_percent(
    milliseconds: float, predicts: bool
) -> None:
    answer = recorded_in(milliseconds)
    text = advice_text(answer)

    assert bool(answer.opportunities) == predicts == answer.gate.predicts
    if not predicts:
        assert text.startswith("No prediction: the replay of the unchanged run takes 7.03 ms, ")
        assert "(limit: 15 %)" in text.partition(".\n")[0].replace("\n", " ")
        assert "worth it" not in text
        assert "Opportunities" not in text
        assert "waywiser machine calibrate" in text
        assert answer.efficiencies.serialisation is None
        assert answer.efficiencies.load_balance == pytest.approx(1.0)
        assert [plot.name for plot in drawn_advice(answer)] == ["efficiencies"]


def test_an_unreliable_run_has_gains_without_an_assessment() -> None:
    base = base_on_paper(IMBALANCED, TWO_NODES)
    gate = Gate(unreliable=("4 ranks shared 2 CPUs",), remedies=("Start fewer ranks on a node",))
    summary = base.recorded.summary.replace(gate=gate)

    answer = advice(replace(base, recorded=replace(base.recorded, summary=summary)))
    text = advice_text(answer)

    assert {opportunity.assessment for opportunity in answer.opportunities} == {"refused"}
    assert text.startswith(
        "Validity gate failed: 4 ranks shared 2 CPUs; so predictions are unreliable."
    )
    assert "Remedy: Start fewer ranks on a node." in text
    assert "worth it" not in text
    assert text.count("not assessed") > 1


def test_placement_is_an_opportunity_of_several_nodes() -> None:
    assert "placement" in opportunities(advised(LATENCY_BOUND))
    alone = advised(LATENCY_BOUND, (0,) * 4)
    assert "placement" not in opportunities(alone)
    assert "all ranks were on one node: there is nothing to place" in alone.remarks


def test_without_noise_the_run_is_shorter_by_the_delays_of_its_slowest_rank() -> None:
    """A fifth of the computing is delays: the 6 ms of rank 3 would be 4.8 ms without them."""
    opportunity = opportunities(advised(replace(IMBALANCED, delayed=0.2)))["noise"]

    assert opportunity.gain_seconds == pytest.approx(1.2e-3, rel=1e-2)
    assert opportunity.command == "waywiser whatif run --no-noise"
    assert (
        "delays of some ranks beyond the median are 20 % of the computation" in opportunity.because
    )
    assert opportunities(advised(IMBALANCED))["noise"].assessment == "none"


def of_summary(program: Program, **update: Any) -> Advice:
    """Advice on a run whose summary is updated."""
    base = base_on_paper(program, TWO_NODES)
    summary = base.recorded.summary.replace(**update)
    return advice(replace(base, recorded=replace(base.recorded, summary=summary)))


def test_what_waits_is_reported_only_where_the_trace_was_analysed() -> None:
    known, unknown = advised(LATENCY_BOUND), of_summary(LATENCY_BOUND, waits=None)

    assert "of it waiting for other ranks" in known.findings[0]
    assert (
        "MPI without waiting is 54 % of the ranks' time" in opportunities(known)["latency"].because
    )
    assert "waiting" not in unknown.findings[0]
    algorithm = opportunities(unknown)["algorithm of MPI_Allreduce"]
    assert algorithm.because == "MPI_Allreduce takes 86 % of the time"
    assert "how much of MPI is transfer is not known" in opportunities(unknown)["latency"].because


def test_sends_may_come_earlier_where_ranks_wait_for_late_senders() -> None:
    base = base_on_paper(IMBALANCED, TWO_NODES)
    waits = base.recorded.summary.waits
    assert waits is not None
    late = waits.replace(seconds={"late_sender": 6e-3})

    opportunity = opportunities(of_summary(IMBALANCED, waits=late))["early sends"]

    assert "waiting for late senders is 25 % of the ranks' time" in opportunity.because
    assert opportunity.command == "waywiser whatif run --early-sends"
    assert "early sends" not in opportunities(advised(IMBALANCED))


def test_messages_may_be_joined_where_they_follow_each_other() -> None:
    opportunity = opportunities(advised(replace(LATENCY_BOUND, consecutive=10)))["join messages"]

    assert opportunity.what == "messages sent right after each other to the same rank, as one"
    assert opportunity.because == "1,600 messages would do instead of 16,000"
    assert opportunity.command == "waywiser whatif run --join-messages"
    assert "join messages" not in opportunities(advised(LATENCY_BOUND))


def test_the_setting_of_an_algorithm_is_reported_where_the_library_has_one() -> None:
    program = replace(LATENCY_BOUND, algorithms={"ring": 2.0, "allgather and reduce": 0.1})
    base = base_on_paper(program, (0, 1, 2, 3))
    recorded = replace(base.recorded, base=replace(base.recorded.base, library="Open MPI v5.0.11"))

    opportunity = opportunities(advice(replace(base, recorded=recorded)))[
        "algorithm of MPI_Allreduce"
    ]
    untold = opportunities(advice(base))["algorithm of MPI_Allreduce"]

    assert "the fastest of 4 algorithms" in opportunity.what
    assert (
        "; set OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned" in opportunity.because
    )
    assert "allreduce by allgather and reduce" in untold.what
    assert "OMPI" not in untold.because


def test_functions_of_little_time_are_not_reported() -> None:
    """An Allreduce of 0.5 % of the time."""
    answer = of_summary(LATENCY_BOUND, functions={})

    assert answer.findings == ()
    assert "algorithm of MPI_Allreduce" not in opportunities(answer)
    little = base_on_paper(LATENCY_BOUND, TWO_NODES).recorded.summary.functions["MPI_Allreduce"]
    below = little.replace(seconds=0.005 * 4 * 7.032e-3)
    assert of_summary(LATENCY_BOUND, functions={"MPI_Allreduce": below}).findings == ()


def test_opportunities_that_there_is_nothing_to_gain_by_are_left_out() -> None:
    without = Network(
        Part((Cost(None, 200.0, 100.0, 100.0, 0.0),), 4096, "the memory"),
        Part((Cost(None, 1000.0, 250.0, 250.0, 0.0),), 4096, "the wires", error=0.05),
    )
    base = base_on_paper(LATENCY_BOUND, TWO_NODES, without)
    at_once = replace(base.recorded.base, asynchronous=True)
    base = replace(base, recorded=replace(base.recorded, base=at_once))

    names = set(opportunities(advice(base)))

    assert {"bandwidth", "asynchronous progress"} <= set(opportunities(advised(LATENCY_BOUND)))
    assert not names & {"bandwidth", "asynchronous progress"}


def test_each_opportunity_names_the_command_that_tries_it() -> None:
    answer = advice(base_on_paper(LATENCY_BOUND, TWO_NODES), "--from m.toml")

    commands = {name: opportunity.command for name, opportunity in opportunities(answer).items()}
    assert commands["latency"] == "waywiser whatif run --from m.toml --latency x0.5"
    assert commands["algorithm of MPI_Allreduce"] == (
        "waywiser whatif run --from m.toml --collective allreduce=Rabenseifner"
    )
    assert commands.pop("overlap") is None, "no command predicts it"
    assert all(str(command).startswith("waywiser whatif run ") for command in commands.values())


def test_the_text_says_what_is_worth_it() -> None:
    text = advice_text(advised(IMBALANCED))

    assert "Parallel efficiency" in text
    first = next(line for line in text.splitlines() if line.startswith("  1  "))
    assert first.split()[1] == "balance"
    assert first.endswith("worth it")
    assert "$ waywiser whatif run --balanced" in text
    assert "not worth it" in text
