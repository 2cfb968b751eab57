"""`waywiser whatif` and `waywiser advise` on a run that was never made."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.job import MS
from tests.support import document, printed
from tests.synthetic_jobs import CALL_NS, INIT_NS, ROUNDS
from tests.terminal import Terminal
from tests.vega_lite import assert_page_valid
from waywiser.analyse.whatif import predict
from waywiser.analyse.whatif.answer import Base, answers
from waywiser.analyse.whatif.question import Question
from waywiser.cli.main import main
from waywiser.model.whatif import WhatIf
from waywiser.progress import CLEAR
from waywiser.report.drawing.image_formats import FORMATS
from waywiser.store.advice import read_advice

RECORDED_S = (ROUNDS * (6 * MS + CALL_NS) + CALL_NS) / 1e9


def query(verb: str, *words: str) -> Any:
    return document(verb, "run", *words, schema=verb)


def test_the_base_is_the_run_without_its_set_up(directory: Path) -> None:
    answer = query("whatif", "--cpu", "2")

    assert answer["recorded_seconds"] == pytest.approx(RECORDED_S)
    assert abs(answer["base_error"]) < 0.01
    base, quick = answer["base"], answer["predictions"][0]
    assert base["nodes"] == 2
    assert base["computing"]["most"] == pytest.approx(0.06, rel=1e-3)
    assert base["computing"]["mean"] == pytest.approx(0.03, rel=1e-3)
    assert base["waiting"]["most"] == pytest.approx(0.04, rel=1e-2)
    assert {function["name"] for function in base["functions"]} == {"MPI_Allreduce", "MPI_Sendrecv"}
    assert INIT_NS / 1e9 not in [function["seconds"] for function in base["functions"]]
    path = sum(part["seconds"] for part in base["critical_path"])
    assert path == pytest.approx(base["replayed_seconds"], rel=1e-3)
    assert quick["computing"]["most"] == pytest.approx(0.03, rel=1e-3)
    assert quick["predicted_seconds"] == pytest.approx(RECORDED_S / 2, rel=0.01)


def test_two_machines_side_by_side(directory: Path) -> None:
    answer = query("whatif", "--on", "rig-3", "--on", "fdr-4", "--ranks-per-node", "2")

    rig, fdr = answer["predictions"]
    assert (rig["label"], fdr["label"]) == ("rig-3", "fdr-4")
    assert rig["changes"] == ["on rig-3", "2 ranks on each node"]
    # Every Allreduce of four ranks is two rounds of 9 + 2 * 2 us on the rig.
    assert rig["transfer"]["mean"] > fdr["transfer"]["mean"]
    assert rig["validation_error"] is None


@pytest.mark.usefixtures("directory", "impatient")
def test_replays_are_counted_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, terminal: Terminal
) -> None:
    def shown(base: Base, questions: Sequence[Question]) -> WhatIf:
        terminal.shows(r"waywiser: replaying: 1 of 3, \d+ s, about \d+ s left")
        return answers(base, questions)

    monkeypatch.setattr(predict, "answers", shown)

    assert main(["whatif", "run", "--on", "rig-3", "--on", "fdr-4", "--ranks-per-node", "2"]) == 0
    assert terminal.getvalue().endswith(CLEAR)


def test_what_changes_nothing_has_no_sign(directory: Path) -> None:
    assert "(0 %), not validated here" in printed("whatif", "run", "--eager-limit", "unlimited")

    (prediction,) = query("whatif", "--ranks-per-node", "1")["predictions"]
    assert prediction["changes"] == ["1 rank on each node"]


def test_switches_reduce_where_requested(directory: Path) -> None:
    """One message's time after the last rank has come: 9 us and twice 2 us on the rig."""
    words = ("--from", "rig-3", "--collective", "allreduce=in-network")
    (prediction,) = query("whatif", *words)["predictions"]

    assert prediction["changes"] == ["allreduce by in network"]
    (allreduce,) = [
        function for function in prediction["functions"] if function["name"] == "MPI_Allreduce"
    ]
    assert allreduce["seconds"] == pytest.approx(ROUNDS * (3 * 4e-3 + 4 * 13e-6), rel=1e-6)
    assert prediction["remarks"] == []


def test_balanced_ranks_compute_the_mean(directory: Path) -> None:
    (prediction,) = query("whatif", "--balanced")["predictions"]

    assert prediction["computing"]["least"] == pytest.approx(0.03, rel=1e-3)
    assert prediction["predicted_seconds"] == pytest.approx(0.03, rel=0.01)


def test_the_base_is_the_machine_that_is_named(directory: Path) -> None:
    answer = query("whatif", "--from", "rig-3", "--latency", "x2")

    assert answer["base"]["network"] == "Three nodes of two slots on one switch"
    assert not any("estimated" in remark for remark in answer["remarks"])
    # One way of a message of 8 B: 9 us more from the second to the first node, and back, in each
    # round; and between the nodes in MPI_Finalize, where they send to each other at once.
    longer = answer["predictions"][0]["replayed_seconds"] - answer["base"]["replayed_seconds"]
    assert (2 * ROUNDS + 1) * 9e-6 <= longer <= (2 * ROUNDS + 2) * 9e-6


def test_a_sweep_goes_into_plots_lines_and_pages(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("run", "--sweep", "latency=1us:1ms:4", "-o")

    assert all(main(["whatif", *words, f"sweep{end}"]) == 0 for end in (".svg", ".jsonl", ".html"))

    assert "latency (us)" in (directory / "sweep.svg").read_text()
    points = [json.loads(line) for line in (directory / "sweep.jsonl").read_text().splitlines()]
    assert [point["values"] for point in points] == [pytest.approx([v]) for v in (1, 10, 100, 1000)]
    times = [point["predicted_seconds"] for point in points]
    assert times == sorted(times)
    # Open MPI reduces to node 0 and sends the result back: rank 2, which comes last to each round,
    # waits 1 ms for either; and once more in MPI_Finalize, where both nodes send at once.
    messages_s = 1e-3 * (2 * ROUNDS + 1)
    assert messages_s <= times[-1] - RECORDED_S <= messages_s + 1e-3
    html = (directory / "sweep.html").read_text()
    assert '<section id="sweep">' in html
    assert "http://" not in re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)
    assert "latency (us)" in capsys.readouterr().out


def test_two_machines_in_one_sweep(directory: Path) -> None:
    words = ("--on", "rig-3", "--on", "fdr-4", "--ranks-per-node", "2", "--sweep", "cpu=1,2")

    sweep = query("whatif", *words)["sweep"]

    assert sweep["axes"] == [{"name": "cpu", "unit": "x"}]
    assert [(p["label"], p["values"]) for p in sweep["points"]] == [
        *(("rig-3", [1.0]), ("rig-3", [2.0])),
        *(("fdr-4", [1.0]), ("fdr-4", [2.0])),
    ]


def test_advice_says_that_the_collective_absorbs_the_imbalance(directory: Path) -> None:
    advice = query("advise", "-o", "advice.html")

    efficiencies = advice["efficiencies"]
    assert efficiencies["load_balance"] == pytest.approx(0.5)
    assert efficiencies["serialisation"] == pytest.approx(1.0, rel=1e-3)
    assert efficiencies["most_rank"] == 2
    opportunities = {opportunity["name"]: opportunity for opportunity in advice["opportunities"]}
    assert opportunities["algorithm of MPI_Allreduce"]["assessment"] == "none"
    assert opportunities["latency"]["assessment"] == "none"
    assert any("it absorbs imbalance" in finding for finding in advice["findings"])
    assert "Opportunities" in (directory / "advice.html").read_text()


def test_a_machine_with_too_few_nodes_is_remarked(directory: Path) -> None:
    def remarks(ranks_per_node: str) -> list[str]:
        words = ("--on", "rig-3", "--ranks-per-node", ranks_per_node)
        (prediction,) = query("whatif", *words)["predictions"]
        return [remark for remark in prediction["remarks"] if "--ranks-per-node N puts" in remark]

    assert remarks("1") == [
        "the run has 4 nodes, but Three nodes of two slots on one switch has 3; "
        "--ranks-per-node N puts more ranks on each"
    ]
    assert remarks("2") == []


@pytest.fixture
def _as_svg_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other formats of plots take longer."""
    for ending in ("pdf", "png"):  # put back the other way round, in the order that they had
        monkeypatch.delitem(FORMATS, ending)


@pytest.mark.usefixtures("_as_svg_alone")
def test_the_report_has_the_advice_that_was_requested(directory: Path) -> None:
    assert main(["report", "run", "-o", "before.html"]) == 0
    assert main(["advise", "run"]) == 0
    assert main(["report", "run", "-o", "after.html", "--plots", "plots"]) == 0

    before, after = ((directory / f"{name}.html").read_text() for name in ("before", "after"))
    assert '<section id="opportunities">' not in before
    assert '<section id="opportunities">' in after
    assert "Rosas et al. 2014" not in before
    assert "Rosas et al. 2014" in after
    assert (directory / "plots" / "opportunities.svg").exists()
    assert "waywiser whatif run --balanced" in after
    assert_page_valid(after, "opportunities")
    assert "it absorbs imbalance" in after


@pytest.mark.usefixtures("_as_svg_alone")
def test_the_report_has_the_answers_that_it_is_given(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machines = ("--on", "rig-3", "--on", "fdr-4", "--ranks-per-node", "2")
    assert main(["whatif", "run", *machines, "-o", "machines.json"]) == 0
    assert main(["whatif", "run", "--sweep", "cpu=1,2", "-o", "sweep.json"]) == 0
    options = ("--whatif", "machines.json", "--whatif", "sweep.json")
    assert main(["report", "run", *options, "-o", "r.html", "--plots", "plots"]) == 0

    html = (directory / "r.html").read_text()
    machines_at, sweep_at = (html.index(f'<section id="answer-{number}">') for number in (1, 2))
    assert html.index('<section id="ranks">') < machines_at < sweep_at
    section = html[machines_at:sweep_at]
    for label in ("rig-3", "fdr-4"):
        assert f"<li>{label}: the run is predicted to take 6" in section  # 60 ms, with the interval
        assert f'"name":"{label}"' in section  # a bar
    assert "Predicted run time over cpu (x)" in html[sweep_at:]
    numbers = [int(number) for number in re.findall(r"<b>Plot (\d+)\.</b>", html)]
    assert numbers == sorted(set(numbers))  # of what is absent, no plot has the number
    for number in (1, 2):
        assert (directory / "plots" / f"answer-{number}.svg").exists()
    assert_page_valid(html, "answer-1", "answer-2")
    capsys.readouterr()

    assert (
        printed("whatif", "run", *machines, "--json") == (directory / "machines.json").read_text()
    )


def test_advice_on_another_trace_is_not_shown(directory: Path) -> None:
    assert main(["advise", "run"]) == 0
    assert read_advice(directory / "run") is not None
    trace = directory / "run" / "trace" / "trace.ww"
    later = (directory / "run" / "trace" / "advice.json").stat().st_mtime + 1
    os.utime(trace, (later, later))

    assert read_advice(directory / "run") is None
