"""`waywiser compare` of run directories that are of no study, and what the verb says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import synthetic_study
from tests.support import assert_refuses, document, printed
from tests.synthetic_sets import SIZES, of_study, write_plain
from tests.terminal import Terminal
from waywiser.analyse.compare_sets import compare_sets
from waywiser.analyse.sets import plain_set
from waywiser.model.comparison import SetComparison
from waywiser.store.directory import RunDirectory


def change_run(directory: Path, **changes: object) -> None:
    files = RunDirectory(directory)
    files.write_run(files.read_run().replace(**changes))


def test_plain_runs_are_compared_by_their_run_time(tmp_path: Path) -> None:
    for directory, seconds, seed in (("old", 10.4, 1), ("new", 10.0, 2)):
        for ranks in (2, 4):
            write_plain(tmp_path / directory, seconds, seed=seed + ranks, ranks=ranks)
    compared = compare_sets(plain_set("old", tmp_path / "old"), plain_set("new", tmp_path / "new"))

    assert [comparison.label for comparison in compared.comparisons] == [
        "mpirun -n 2",
        "mpirun -n 4",
    ]
    assert {
        (comparison.metric, comparison.kind, comparison.n) for comparison in compared.comparisons
    } == {("run_time", "faster", 8)}


def test_single_runs_are_sets_too(tmp_path: Path) -> None:
    write_plain(tmp_path, 1.0, 2)
    first, second = (plain_set(name, tmp_path / "ranks2" / name) for name in ("00", "01"))
    (comparison,) = compare_sets(first, second).comparisons

    assert (comparison.kind, comparison.n) == ("refused", 1)
    assert [value.run for value in comparison.b.values] == ["01"]


def test_plain_runs_that_ended_badly_are_named_and_do_not_count(tmp_path: Path) -> None:
    write_plain(tmp_path / "a", 1.0)
    write_plain(tmp_path / "b", 1.0, seed=2)
    change_run(tmp_path / "b" / "ranks2" / "03", status="failed", exit_code=7)
    compared = compare_sets(plain_set("a", tmp_path / "a"), plain_set("b", tmp_path / "b"))

    assert [comparison.n for comparison in compared.comparisons] == [7]
    assert [(run.run, run.reasons) for run in compared.b.excluded] == [
        ("ranks2/03", ("it ended with exit code 7",))
    ]


def test_runs_that_were_moved_out_of_a_study_keep_their_results(tmp_path: Path) -> None:
    study = synthetic_study.study({**SIZES, "axes": {"ranks": 1}})
    for number, run in enumerate(synthetic_study.runs(study, synthetic_study.Truth())):
        files = RunDirectory(tmp_path / "a" / str(number))
        files.create()
        files.write_run(run)
    (comparison,) = compare_sets(plain_set("a", tmp_path / "a"), of_study("b", seed=2)).comparisons

    assert (comparison.metric, comparison.n, comparison.a.n) == ("loop_time", 8, 8)


def test_plain_runs_beside_other_programs_have_no_verdict(tmp_path: Path) -> None:
    write_plain(tmp_path / "a", 1.0)
    write_plain(tmp_path / "b", 2.0, seed=2)
    for directory in (tmp_path / "b" / "ranks2").iterdir():
        conditions = RunDirectory(directory).read_run().conditions
        assert conditions is not None
        busy = conditions.cpu_seconds + 12 * conditions.wall_seconds
        change_run(directory, conditions=conditions.replace(busy_seconds=busy))
    (comparison,) = compare_sets(
        plain_set("a", tmp_path / "a"), plain_set("b", tmp_path / "b")
    ).comparisons

    assert comparison.kind == "refused"
    assert (
        "8 of 8 runs of b failed the validity gate (other programs used 12.0 of"
        in comparison.reason
    )
    assert comparison.change == pytest.approx(-0.5, abs=0.01)


def test_runs_of_one_configuration_that_are_not_alike_are_remarked(tmp_path: Path) -> None:
    write_plain(tmp_path / "a", 1.0)
    write_plain(tmp_path / "b", 1.0, seed=2)
    odd = tmp_path / "b" / "ranks2" / "03"
    variables = RunDirectory(odd).read_run().environment
    change_run(odd, environment={**variables, "UCX_TLS": "tcp"})
    compared = compare_sets(plain_set("a", tmp_path / "a"), plain_set("b", tmp_path / "b"))

    (sentence,) = (remark for remark in compared.remarks if "not alike" in remark)
    assert sentence.startswith("the runs of b are not alike")
    assert "UCX_TLS" in sentence


def test_the_verb_prints_text_and_the_document_of_its_schema(tmp_path: Path) -> None:
    write_plain(tmp_path / "small", 1.0, nx=20)
    write_plain(tmp_path / "large", 2.0, seed=2, nx=40)
    words = ["compare", str(tmp_path / "small"), str(tmp_path / "large")]

    text, answer = printed(*words), document(*words, schema="compare")

    (comparison,) = SetComparison.model_validate(answer).comparisons
    assert comparison.kind == "slower"
    assert f"=> {comparison.sentence}" in text
    assert "    A: --nx 20\n    B: --nx 40" in text


def test_mistakes_end_with_2_and_one_sentence(tmp_path: Path) -> None:
    write_plain(tmp_path / "good", 1.0)
    write_plain(tmp_path / "bad", 1.0, 1)
    (tmp_path / "bad" / "ranks2" / "00" / "run.json").write_text('{"format": ')
    write_plain(tmp_path / "failed", 1.0, 1)
    change_run(tmp_path / "failed" / "ranks2" / "00", status="failed", exit_code=3)
    (tmp_path / "empty").mkdir()
    holder = tmp_path / "holder" / "x.study"
    holder.mkdir(parents=True)
    for name in ("study.toml", "plan.json"):
        (holder / name).touch()

    for name, sentence in {
        "bad": ["run.json"],
        "failed": ["failed: none of 1 run is valid: ranks2/00: it ended with exit code 3"],
        "empty": ["holds no run that has ended"],
        "nowhere": ["directory not found"],
        "holder": ["holds a study; give ", "x.study itself"],
        "good": ["share runs"],
    }.items():
        assert_refuses(["compare", tmp_path / "good", tmp_path / name], *sentence)


def test_a_long_comparison_says_how_many_runs_are_read(
    tmp_path: Path, terminal: Terminal, impatient: None
) -> None:
    write_plain(tmp_path / "a", 1.0)
    read: list[Path] = []

    def version_of(directory: Path) -> str:
        terminal.shows(f"reading runs: {len(read)} of 8, 1 s")
        read.append(directory)
        return ""

    plain_set("a", tmp_path / "a", version_of)
    assert len(read) == 8
