"""The functions of `import waywiser`: what each verb says, as objects, frames and exceptions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest

import waywiser as ww
from tests import regular_programs as programs
from tests import synthetic
from tests.made_jobs import rounds
from tests.made_sets import write_plain
from waywiser.api.answers import ANSWERS
from waywiser.cli.main import main
from waywiser.model.base import Model
from waywiser.model.trace import Trace
from waywiser.store.directory import RunDirectory

HOSTS = ["n0", "n0", "n1", "n1"]
GROWING = ["run4", "run8", "run16"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
def directory(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


def command(capsys: pytest.CaptureFixture[str], words: str) -> Any:
    """The document that a command prints."""
    assert main([*words.split(), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def of(answer: Model) -> Any:
    return json.loads(answer.model_dump_json())


WHATIF: list[tuple[Callable[[], Model], str]] = [
    (
        lambda: ww.whatif("run", latency="x0.5", bandwidth="1GB/s", from_="rig-3", per_rank=True),
        "whatif run --latency x0.5 --bandwidth 1GB/s --from rig-3 --per-rank",
    ),
    (
        lambda: ww.whatif("run", on=["rig-3", "fdr-4"], ranks_per_node=2, threads=1),
        "whatif run --on rig-3 --on fdr-4 --ranks-per-node 2 --threads 1",
    ),
    (
        lambda: ww.whatif("run", noise=5, seed=3, progress="asynchronous", eager_limit=65536),
        "whatif run --noise 5 --seed 3 --progress asynchronous --eager-limit 65536",
    ),
    (
        lambda: ww.whatif("run", collective={"allreduce": "ring"}, placement="random", on="rig-3"),
        "whatif run --collective allreduce=ring --placement random --on rig-3",
    ),
    (
        lambda: ww.whatif("run", sweep={"latency": "1us:4us:3", "balanced": "no,yes"}),
        "whatif run --sweep latency=1us:4us:3 --sweep balanced=no,yes",
    ),
    (
        lambda: ww.whatif("run", ideal_network=True, early_sends=True, join_messages=True),
        "whatif run --ideal-network --early-sends --join-messages",
    ),
    (
        lambda: ww.whatif("run", topology="rig-3", no_noise=True, balanced=True, from_="rig-3"),
        "whatif run --topology rig-3 --no-noise --balanced --from rig-3",
    ),
    (
        lambda: ww.whatif(*GROWING, ranks=[32, 64], ranks_per_node=1, from_="rig-3"),
        "whatif run4 run8 run16 --ranks 32,64 --ranks-per-node 1 --from rig-3",
    ),
]


@pytest.mark.parametrize(("call", "words"), WHATIF, ids=[words for _, words in WHATIF])
def test_whatif_is_what_the_command_answers(
    directory: Path, capsys: pytest.CaptureFixture[str], call: Callable[[], Model], words: str
) -> None:
    assert of(call()) == command(capsys, words)


def test_advise_is_what_the_command_answers(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ww.open("run")
    assert isinstance(run, ww.Run)
    found = ww.advise(run, output="advice.json")

    assert of(found) == command(capsys, "advise run")
    assert json.loads((directory / "advice.json").read_text()) == of(found)
    named = ww.advise("run", from_="rig-3")
    assert of(named) == command(capsys, "advise run --from rig-3")
    assert named.network != found.network


def test_place_is_what_the_command_answers(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = ww.place("run", on="rig-3", objective="busiest-link", seed=2)

    assert of(found) == command(capsys, "place run --on rig-3 --objective busiest-link --seed 2")
    assert found.before_is == "as run"


def test_a_matrix_is_compared_with_the_default_order(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = ww.place(
        "four.mtx", on="rig-3", hosts="two", for_="openmpi", output="placed", draw="placed.svg"
    )
    files = {
        name: (directory / name).read_bytes() for name in ("placed", "placed.json", "placed.svg")
    }

    words = "place four.mtx --on rig-3 --hosts two --for openmpi -o placed --draw placed.svg"
    assert of(found) == command(capsys, words)
    assert {name: (directory / name).read_bytes() for name in files} == files
    assert found.before_is == "default order"
    assert found.after.hop_bytes < found.before.hop_bytes
    words = "place four.mtx --on rig-3 --hosts two --slots 2 --order round-robin"
    other = ww.place("four.mtx", on="rig-3", hosts="two", slots=2, order="round-robin")
    assert of(other) == command(capsys, words)


def test_a_placement_is_verified_as_the_command_does(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ww.place("run", on="rig-3", for_="openmpi", output="order")
    check = ww.verify_placement("run", "order")

    main(["place", "run", "--verify", "--placement", "order", "--json"])
    assert of(check) == json.loads(capsys.readouterr().out)


def test_compare_is_what_the_command_answers(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = ww.compare("old", "new")

    assert of(found) == command(capsys, "compare old new")
    assert {one.kind for one in found.comparisons} == {"faster"}
    assert of(ww.compare("old", "new", figure="run_time", ignore=["threads"])) == command(
        capsys, "compare old new --figure run_time --ignore threads"
    )


def as_page(*contents: Any) -> str:
    """What a page shows, in place of the page, which takes seconds to draw."""
    parts = [part if isinstance(part, list) else [part] for part in contents]
    shown = [one for part in parts for one in part]
    return json.dumps([of(one) if isinstance(one, Model) else repr(one) for one in shown])


def test_a_report_is_the_page_of_the_command(
    directory: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("waywiser.api.write_report.page", as_page)
    answer = tmp_path / "cpu.json"
    ww.whatif("run", cpu=2, output=answer)

    page = ww.write_report("run", tmp_path / "a", whatif=[answer], window=(0.01, 0.02))

    words = f"report run -o {tmp_path}/b --whatif {answer} --window 0.01:0.02"
    assert main(words.split()) == 0
    assert page == tmp_path / "a"
    assert page.read_bytes() == (tmp_path / "b").read_bytes()
    assert "computing 2 times as fast" in page.read_text()
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


BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: ww.whatif("run", latency="5"), "whatif run --latency 5"),
    (lambda: ww.whatif("run", seed=-1, noise=5), "whatif run --seed -1 --noise 5"),
    (lambda: ww.whatif("run", cpu=0), "whatif run --cpu 0"),
    (lambda: ww.whatif("run"), "whatif run"),
    (lambda: ww.whatif("none", cpu=2), "whatif none --cpu 2"),
    (lambda: ww.whatif("run", on="rig-33"), "whatif run --on rig-33"),
    (lambda: ww.whatif("run4", "run8", ranks=64), "whatif run4 run8 --ranks 64"),
    (lambda: ww.whatif("run", cpu=2, output="a.txt"), "whatif run --cpu 2 -o a.txt"),
    (lambda: ww.advise("old/ranks2/00"), "advise old/ranks2/00"),
    (lambda: ww.advise("run", from_="none"), "advise run --from none"),
    (lambda: ww.place("run", on="rig-3", slots=-1), "place run --on rig-3 --slots -1"),
    (lambda: ww.place("four.mtx", on="rig-3"), "place four.mtx --on rig-3"),
    (lambda: ww.place("run", on="rig-3", for_="openmpi"), "place run --on rig-3 --for openmpi"),
    (lambda: ww.verify_placement("run"), "place run --verify"),
    (lambda: ww.compare("old", "none"), "compare old none"),
    (lambda: ww.write_report("run", window=(9, 10)), "report run --window 9:10"),
    (lambda: ww.export("run", "csv"), "export run --to csv"),
    (lambda: ww.export("run", "csv", "a", table="none"), "export run --to csv -o a --table none"),
    (lambda: ww.export("run", "csv", "a", window="5"), "export run --to csv -o a --window 5"),
    (lambda: ww.export("run", "otf2", "-"), "export run --to otf2 -o -"),
    (lambda: ww.profile("no-such-launcher"), "profile -- no-such-launcher"),
    (lambda: ww.profile("true", cpu=2), "profile --cpu 2 -- true"),
    (lambda: ww.profile("true", trace_phase=1), "profile --trace-phase 1 -- true"),
    (lambda: ww.profile("true", trace=True, bare=True), "profile --trace --bare -- true"),
]


@pytest.mark.parametrize(("call", "words"), BAD, ids=[words for _, words in BAD])
def test_a_bad_argument_is_the_sentence_of_the_command(
    directory: Path, capsys: pytest.CaptureFixture[str], call: Callable[[], object], words: str
) -> None:
    with pytest.raises(ww.WaywiserError) as refused:
        call()

    assert main(words.split()) == 2
    assert capsys.readouterr().err == f"waywiser: {refused.value}\n"


@pytest.mark.parametrize(
    ("call", "option"),
    [
        (lambda: ww.whatif("run", latency=""), "--latency: expected a value, found none"),
        (lambda: ww.whatif("run", on=["rig-3", ""]), "--on: expected a value, found none"),
        (lambda: ww.whatif("run", from_="", cpu=2), "--from: expected a value, found none"),
        (lambda: ww.whatif("run", progress="no"), "--progress no: expected one of in-calls, "),  # type: ignore[arg-type]
        (lambda: ww.place("run", on="rig-3", order="x"), "--order x: expected one of default, "),  # type: ignore[arg-type]
        (lambda: ww.place("run", on="rig-3", also=["x"]), "--also x: expected one of "),
        (lambda: ww.place("run", on="rig-3", for_="x", output="y"), "--for x: expected one of "),
        (lambda: ww.export("run", "x"), "--to x: expected one of json, "),
        (
            lambda: ww.write_report("run", window=(2, 1)),
            "--window 2:1: expected BEGIN:END in seconds",
        ),
        (
            lambda: ww.write_report("run", window=(1, 2), skip_iterations=1),
            "--window and --skip-iterations are mutually exclusive",
        ),
        (lambda: ww.profile("true", copy_every=0), "--copy-every: expected 0.1 to 300 seconds"),
        (lambda: ww.profile("true", trace=True, trace_limit="x"), "--trace-limit: expected a size"),
    ],
)
def test_what_the_command_line_refuses_python_refuses_too(
    directory: Path, call: Callable[[], object], option: str
) -> None:
    with pytest.raises(ww.WaywiserError) as refused:
        call()

    assert option in str(refused.value)


def test_answers_have_rows(directory: Path) -> None:
    advised, asked = ww.advise("run"), ww.whatif("run", cpu=2)
    placed, compared = ww.place("run", on="rig-3"), ww.compare("old", "new")

    opportunities = polars.DataFrame(ww.frame(advised))
    assert opportunities["name"].to_list() == [
        opportunity.name for opportunity in advised.opportunities
    ]
    assert opportunities["gain_seconds"].to_list() == [
        opportunity.gain_seconds for opportunity in advised.opportunities
    ]
    predicted = list(ww.frame(asked))
    assert [row["label"] for row in predicted] == ["as recorded", asked.predictions[0].label]
    assert predicted[1]["waiting_seconds"] == asked.predictions[0].waiting.mean
    ranks = list(ww.frame(placed))
    assert [(row["rank"], row["host"], row["slot"]) for row in ranks] == list(
        zip(range(4), placed.host_of_rank, placed.order, strict=True)
    )
    pairs = list(ww.frame(compared))
    assert [row["label"] for row in pairs] == ["mpirun -n 2", "mpirun -n 4"]
    assert pairs[0]["a_median"] == compared.comparisons[0].a.median
    for name, answer in (
        ("advise", advised),
        ("whatif", asked),
        ("place", placed),
        ("compare", compared),
    ):
        assert list(ww.frame(answer).columns) == list(ANSWERS[name])


def test_a_sweep_has_a_column_for_each_axis(directory: Path) -> None:
    found = ww.whatif("run", sweep={"ranks-per-node": "1,2", "placement": "best,random"})

    rows = list(ww.frame(found))

    assert [(row["ranks_per_node"], row["placement"]) for row in rows] == [
        (1.0, "best"),
        (1.0, "random"),
        (2.0, "best"),
        (2.0, "random"),
    ]
    assert found.sweep is not None
    assert [row["ratio"] for row in rows] == [point.ratio for point in found.sweep.points]


def test_what_has_no_rows_is_told() -> None:
    with pytest.raises(TypeError, match="Run: expected an answer of advise, whatif, place or"):
        ww.frame(synthetic.run(4))
