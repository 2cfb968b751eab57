"""The diagnosis as data: its sentences are those of `show` and of the page, with their numbers."""

from __future__ import annotations

import argparse
import json
import re
from typing import Any

import pytest

from tests import synthetic
from tests.sentence_runs.overview import waited
from tests.synthetic_runs import TEAM, function, rank, summary
from tests.synthetic_study_reports import visible
from tests.unit.test_advice import IMBALANCED, advised
from waywiser.analyse.diagnosis import diagnosed, diagnosis
from waywiser.api.tables import TABLES
from waywiser.cli import show
from waywiser.model.gate import Gate
from waywiser.model.posix_io import IoFunction, PosixIo
from waywiser.model.summary import RankSummary, Summary
from waywiser.report.run.page import page
from waywiser.units import percent_text, seconds_text

ALLREDUCE = "MPI_Allreduce"
READS = PosixIo(
    seconds=4.0,
    bytes=1,
    functions={"read": IoFunction(calls=1, bytes=1, seconds=4.0, max_seconds=4.0)},
)


def split(*waits: float) -> Summary:
    """Ranks that wait so long [s] of their 10 s before MPI_Allreduce."""
    ranks = [rank(n, {ALLREDUCE: function(0.1, wait)}) for n, wait in enumerate(waits)]
    return summary(ranks, split=True)


def lossy() -> Summary:
    first = rank(0, {"MPI_Recv": function(1.0)}).replace(openmp=TEAM, posix_io=READS)
    return summary([first.replace(cpu_seconds=1.0), rank(1, {"MPI_Recv": function(4.0)})])


def ranks_of(run: Summary) -> tuple[RankSummary, ...]:
    return run.per_rank or ()


RUNS = {
    "synthetic": synthetic.summary(4, threads={2: 2}),
    "waiting": split(6.0, 6.0, 0.2, 6.0),
    "in turn": split(5.0, 6.0),
    "losses": lossy(),
    "traced": waited(0.1),
    "advised": synthetic.summary(4).replace(advice=advised(IMBALANCED)),
    "nobody": summary([]),
}


def document(
    run: Summary, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> str:
    """Output of `waywiser show` for a run."""
    read = (synthetic.run(4), diagnosed(run))
    monkeypatch.setattr(show, "read_gated", lambda directory, window: read)
    parser = argparse.ArgumentParser()
    show.add_arguments(parser)
    assert show.run(parser.parse_args(["RUN", *words])) == 0
    return capsys.readouterr().out


def on_one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_the_document_says_what_the_screen_and_the_page_say(
    run: Summary, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = json.loads(document(run, monkeypatch, capsys, "--json"))["diagnosis"]
    screen = on_one_line(document(run, monkeypatch, capsys))
    html = page(synthetic.run(4), run).replace("<code>", "`").replace("</code>", "`")
    shown = on_one_line(visible(html))

    assert answer["text"] == " ".join(finding["sentence"] for finding in answer["findings"])
    assert not run.ranks or answer["text"] in screen
    others = [part for part in (answer["cause"], answer["next_step"]) if part is not None]
    for part in (*answer["findings"], *others):
        assert part["sentence"] in shown
    for remark in answer["remarks"]:
        assert remark["sentence"].split(" (lowest")[0] in shown


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_the_numbers_are_those_of_the_sentence(run: Summary) -> None:
    for finding in diagnosis(run).findings:
        # A sentence on waiting leaves out late ranks.
        if finding.share is not None and finding.kind != "waiting":
            assert percent_text(finding.share) in finding.sentence
        for number in finding.ranks:
            assert re.search(rf"\brank {number}\b", finding.sentence)


def test_those_who_are_awaited_are_named_with_the_time_that_they_cost() -> None:
    """Three of four ranks wait 6 s each, and rank 2 waits 0.2 s; all have 10 s."""
    (waiting,) = (
        finding for finding in diagnosis(RUNS["waiting"]).findings if finding.kind == "waiting"
    )

    assert waiting.ranks == (2,)
    assert waiting.seconds == pytest.approx(18.2)
    assert waiting.share == pytest.approx(18.2 / 40)


def test_losses_and_odd_ranks_are_data() -> None:
    answer = diagnosis(RUNS["losses"])
    kinds = {finding.kind: finding for finding in answer.findings}
    whole = sum(profile.wall_seconds for profile in RUNS["losses"].per_rank or ())

    assert kinds["files"].seconds == pytest.approx(READS.seconds)
    assert kinds["files"].share == pytest.approx(READS.seconds / whole)
    assert kinds["openmp"].seconds is not None
    assert kinds["openmp"].share == pytest.approx(kinds["openmp"].seconds / whole)
    assert [(remark.kind, remark.ranks) for remark in answer.remarks] == [("off_cpu", (0,))]


def test_the_cause_is_the_longest_wait_with_the_rank_that_caused_it() -> None:
    run = RUNS["traced"]
    cause = diagnosis(run).cause
    assert cause is not None
    assert run.waits is not None

    longest = run.waits.causes[0]

    assert cause.kind == "wait"
    assert cause.ranks == (longest.causing_rank,)
    assert cause.seconds == longest.seconds


def test_the_next_step_is_the_change_that_gains_most() -> None:
    step = diagnosis(RUNS["advised"]).next_step
    assert step is not None

    (best, *_) = (
        opportunity
        for opportunity in advised(IMBALANCED).opportunities
        if opportunity.assessment == "expected"
    )

    assert step.kind == "opportunity"
    assert step.seconds == best.gain_seconds
    assert step.share == best.share


def test_the_parts_of_the_time_are_those_of_the_page() -> None:
    """Two ranks of 10 s are 5 s in MPI; threads lose (16 - 10) / 2 s, and files take 4 s."""
    run = lossy().replace(per_rank=tuple(r.replace(queued_seconds=1.0) for r in ranks_of(lossy())))
    answer = diagnosis(run)
    time = {part.part: part.seconds for part in answer.time}
    page_text = on_one_line(visible(page(synthetic.run(2), run)))

    assert sum(part.share for part in answer.time) == pytest.approx(1.0)
    assert sum(time.values()) == pytest.approx(20.0)
    assert time["mpi"] == pytest.approx(5.0)
    assert time["files"] == pytest.approx(4.0)
    assert answer.queued is not None
    assert answer.queued.seconds == 2.0
    assert answer.queued.share == pytest.approx(0.1)
    for part in (*answer.time, answer.queued):
        assert f"{percent_text(part.share)}, {seconds_text(part.seconds)}" in page_text


def test_the_trace_divides_the_time_in_mpi() -> None:
    time = {part.part: part.seconds for part in diagnosis(RUNS["traced"]).time}

    assert time["waiting"] == pytest.approx(0.1)
    assert time["transfer"] > 0
    assert "mpi" not in time


def test_the_rank_and_the_node_that_compute_most_are_data() -> None:
    """Ranks compute 8 s but rank 1, which computes 2 s; one on a node of its own computes 8 s."""
    alone = rank(2, {"MPI_Recv": function(2.0)}).replace(host="n1")
    ranks = [rank(n, {"MPI_Recv": function(t)}) for n, t in enumerate((2.0, 8.0))]
    by_rank, by_node = diagnosis(summary([*ranks, alone])).standing_out

    assert (by_rank.kind, by_rank.ranks, by_rank.seconds) == ("rank_computes", (0,), 8.0)
    assert (by_node.kind, by_node.ranks, by_node.seconds) == ("node_computes", (2,), 8.0)
    assert by_node.sentence == "Node n1 computes 8 s, 1.23 times the mean of 2 nodes."
    assert diagnosis(RUNS["in turn"]).standing_out[0].ranks == (0,)


def test_a_unreliable_run_has_findings_and_no_next_step() -> None:
    answer = diagnosis(synthetic.summary(4).replace(gate=Gate(unreliable=("busy",))))

    assert answer.findings
    assert answer.next_step is None


def test_the_table_has_a_row_for_each_sentence() -> None:
    run = diagnosed(RUNS["losses"])
    answer = diagnosis(run)
    sentences = [*answer.findings, answer.cause, answer.next_step, *answer.remarks]

    rows: list[dict[str, Any]] = list(TABLES["findings"].frame(run))

    assert [row["sentence"] for row in rows] == [
        finding.sentence for finding in sentences if finding
    ]
    assert [row["ranks"] for row in rows if row["part"] == "remark"] == ["0"]
    assert list(TABLES["findings"].frame(run.replace(diagnosis=None))) == []
