"""The functions of `import waywiser`: what each verb says, as objects, frames and exceptions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars
import pytest

import waywiser as ww
from tests import regular_programs as programs
from tests import synthetic
from tests.support import document, printed, printed_refusal
from tests.synthetic_jobs import rounds
from tests.synthetic_sets import write_plain
from tests.written_traces import CASES
from waywiser.api.answers import ANSWERS
from waywiser.cli.main import main
from waywiser.model.base import Model
from waywiser.model.trace import Trace
from waywiser.store.directory import RunDirectory

HOSTS = ["n0", "n0", "n1", "n1"]
ROWS = (CASES / "calls.txt").read_text(encoding="utf-8").splitlines()
"""CALL => COMMAND: their documents are alike; =3 instead: so they are, and the gate refuses the
answer; =! instead: both are refused with the same words; CALL ! WORDS: it is refused with these, of
what no command line can hold."""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("made")
    rounds(HOSTS, [2, 2, 6, 2]).run(directory / "run")
    for ranks in (4, 8, 16):
        hosts = [f"n{rank}" for rank in range(ranks)]
        programs.job(programs.ring, ranks, hosts).run(directory / f"run{ranks}")
    for name, seconds, seed in (("old", 10.4, 1), ("new", 10.0, 2)):
        for ranks in (2, 4):
            write_plain(directory / name, seconds, seed=seed + ranks, ranks=ranks)
    (directory / "four.mtx").write_text(
        "%%MatrixMarket matrix coordinate integer general\n4 4 2\n1 3 10\n2 4 10\n"
    )
    (directory / "two").write_text("n0 slots=2\nn1 slots=2\n")
    return directory


@pytest.fixture
def directory(inputs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(inputs)
    return inputs


def command(words: str) -> Any:
    return document(*words.split())


def of(answer: Model) -> Any:
    return json.loads(answer.model_dump_json())


@pytest.mark.parametrize("row", ROWS)
def test_a_call_is_what_the_command_answers(
    directory: Path, capsys: pytest.CaptureFixture[str], row: str
) -> None:
    call, mark, words = re.split(r" (=>|=3|=!|!) ", row)
    if mark in ("=>", "=3"):
        output = printed if mark == "=>" else printed_refusal
        answer = eval(call)
        assert of(answer) == json.loads(output(*words.split(), "--json"))
        assert f"{answer}\n" == output(*words.replace("--per-rank", "").split())
        return
    with pytest.raises(ww.WaywiserError) as refused:
        eval(call)
    if mark == "!":
        assert words in str(refused.value)
        return
    assert main(words.split()) == 2
    assert capsys.readouterr().err == f"waywiser: {refused.value}\n"


def test_advise_is_what_the_command_answers(directory: Path) -> None:
    run = ww.open("run")
    assert isinstance(run, ww.Run)
    advice = ww.advise(run, output="advice.json")

    assert of(advice) == command("advise run")
    assert f"{advice}\n" == printed("advise", "run")
    assert f"{run}\n" == printed("show", "run")
    assert str(ww.sql("SELECT rank FROM ranks", run)) + "\n" == printed(
        "sql", "SELECT rank FROM ranks", "run"
    )
    assert json.loads((directory / "advice.json").read_text()) == of(advice)
    assert ww.advise("run", from_="rig-3").network != advice.network


def test_a_matrix_is_compared_with_the_default_order(directory: Path) -> None:
    placement = ww.place(
        "four.mtx", on="rig-3", hosts="two", for_="openmpi", output="placed", draw="placed.svg"
    )
    files = {
        name: (directory / name).read_bytes() for name in ("placed", "placed.json", "placed.svg")
    }

    words = "place four.mtx --on rig-3 --hosts two --for openmpi -o placed --draw placed.svg"
    assert of(placement) == command(words)
    assert {name: (directory / name).read_bytes() for name in files} == files
    assert placement.before_is == "default order"
    assert placement.after.hop_bytes < placement.before.hop_bytes


def test_a_placement_is_verified_as_the_command_does(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ww.place("run", on="rig-3", for_="openmpi", output="order")
    check = ww.verify_placement("run", "order")

    main(["place", "run", "--verify", "--placement", "order", "--json"])
    assert of(check) == json.loads(capsys.readouterr().out)


def as_page(*contents: Any) -> str:
    """A page's contents, in place of the page, which takes seconds to draw."""
    parts = [part if isinstance(part, list) else [part] for part in contents]
    shown = [value for part in parts for value in part]
    return json.dumps([of(value) if isinstance(value, Model) else repr(value) for value in shown])


def test_a_report_is_the_page_of_the_command(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waywiser.api.write_report.page", as_page)
    answer = tmp_path / "cpu.json"
    ww.whatif("run", cpu=2, output=answer)

    page = ww.write_report("run", tmp_path / "a", whatif=[answer], window=(0.01, 0.02))

    words = f"report run -o {tmp_path}/b --whatif {answer} --window 0.01:0.02"
    assert main(words.split()) == 0
    assert page == tmp_path / "a"
    assert page.read_bytes() == (tmp_path / "b").read_bytes()
    assert "computation 2 times as fast" in page.read_text()
    whole = ww.write_report("run", skip_iterations=2)
    assert whole == Path("run/report.html")
    assert main(f"report run -o {tmp_path}/c --skip-iterations 2".split()) == 0
    assert whole.read_bytes() == (tmp_path / "c").read_bytes() != page.read_bytes()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"to": "json"}, "--to json"),
        ({"to": "json", "anonymise": True}, "--to json --anonymise"),
        ({"to": "csv"}, "--to csv"),
        ({"to": "csv", "window": (0.01, 0.02)}, "--to csv --window 0.01:0.02"),
        ({"to": "csv", "table": "ranks"}, "--to csv --table ranks"),
        ({"to": "parquet", "table": "functions"}, "--to parquet --table functions"),
        ({"to": "perfetto"}, "--to perfetto"),
    ],
)
def test_an_export_is_the_file_of_the_command(
    directory: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: dict[str, Any],
    words: str,
) -> None:
    assert ww.export("run", output=tmp_path / "a", **options) == ()
    assert capsys.readouterr() == ("", "")

    assert main(["export", "run", *words.split(), "-o", str(tmp_path / "b")]) == 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_an_export_lacks_is_returned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = rounds(HOSTS, [1, 1, 1, 1]).run(tmp_path / "run")
    files = RunDirectory(run)
    file = run / "trace" / "trace.ww"
    calls = len(list(ww.Run(run).calls))
    lost = ("rank 3 has lost 3 calls",)
    trace = Trace(calls=calls, bytes=file.stat().st_size, lost_calls=3, lost=lost)
    files.write_run(files.read_run().replace(trace=trace))

    losses = ww.export(run, "csv", tmp_path / "calls.csv")

    assert losses == ("the trace: rank 3 has lost 3 calls",)
    assert main(["export", str(run), "--to", "csv", "-o", str(tmp_path / "again.csv")]) == 0
    assert capsys.readouterr().err == f"waywiser: {losses[0]}\n"


def test_answers_have_rows(directory: Path) -> None:
    advised, requested = ww.advise("run"), ww.whatif("run", cpu=2)
    placed, compared = ww.place("run", on="rig-3"), ww.compare("old", "new")

    opportunities = polars.DataFrame(ww.frame(advised))
    assert opportunities["name"].to_list() == [
        opportunity.name for opportunity in advised.opportunities
    ]
    assert opportunities["gain_seconds"].to_list() == [
        opportunity.gain_seconds for opportunity in advised.opportunities
    ]
    predicted = list(ww.frame(requested))
    assert [row["label"] for row in predicted] == ["as recorded", requested.predictions[0].label]
    assert predicted[1]["waiting_seconds"] == requested.predictions[0].waiting.mean
    ranks = list(ww.frame(placed))
    assert [(row["rank"], row["host"], row["slot"]) for row in ranks] == list(
        zip(range(4), placed.host_of_rank, placed.order, strict=True)
    )
    assert placed.before_is == "as run"
    pairs = list(ww.frame(compared))
    assert {comparison.kind for comparison in compared.comparisons} == {"faster"}
    assert [row["label"] for row in pairs] == ["mpirun -n 2", "mpirun -n 4"]
    assert pairs[0]["a_median"] == compared.comparisons[0].a.median
    for name, answer in (
        ("advise", advised),
        ("whatif", requested),
        ("place", placed),
        ("compare", compared),
    ):
        assert list(ww.frame(answer).columns) == list(ANSWERS[name])


def test_a_sweep_has_a_column_for_each_axis(directory: Path) -> None:
    answer = ww.whatif("run", sweep={"ranks-per-node": "1,2", "placement": "best,random"})

    rows = list(ww.frame(answer))

    assert [(row["ranks_per_node"], row["placement"]) for row in rows] == [
        (1.0, "best"),
        (1.0, "random"),
        (2.0, "best"),
        (2.0, "random"),
    ]
    assert answer.sweep is not None
    assert [row["ratio"] for row in rows] == [point.ratio for point in answer.sweep.points]


def test_what_has_no_rows_is_reported() -> None:
    with pytest.raises(TypeError, match="Run: expected an answer of advise, whatif, place or"):
        ww.frame(synthetic.run(4))
