"""`waywiser compare`: two sets of made-up runs, whose truth is known, from one system or two."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests import synthetic_study as made
from tests.support import ROOT, assert_refuses
from waywiser.analyse.compare_sets import compare_sets
from waywiser.analyse.sets import RunSet, plain_set, study_set
from waywiser.cli.main import main
from waywiser.errors import InvalidCommand
from waywiser.model.comparison import SetComparison
from waywiser.model.result import Scalar
from waywiser.model.run import Run
from waywiser.report.comparison import comparison_text
from waywiser.store.directory import RunDirectory

SIZES: dict[str, Any] = {
    "title": "one library, three numbers of ranks",
    "mpi": ["mpich"],
    "application": {"rhodo": {"reader": "lammps", "program": "lmp"}},
    "axes": {"ranks": [1, 2, 4]},
    "repeats": {"blocks": 8},
}
OTHER_CPU = "AMD EPYC 9654"


def of_study(
    name: str = "a",
    document: Mapping[str, object] = SIZES,
    *,
    seed: int = 1,
    folder: str = "",
    change: Callable[[Run], Run] = lambda run: run,
    **planted: Any,
) -> RunSet:
    """A set of all runs of a made-up study, in a folder of its own if none is given."""
    study = made.study(document)
    runs = [change(run) for run in made.runs(study, made.Truth(**planted), seed)]
    root = Path("/studies") / (folder or name)
    placed = [(_place(root, run), run) for run in runs]
    return study_set(name, root, root, study, placed)


def _place(root: Path, run: Run) -> Path:
    assert run.result is not None
    return root / "runs" / run.result.point / f"b{run.result.block:03}"


def elsewhere(run: Run) -> Run:
    machine = run.machine.model_copy(update={"cpu": OTHER_CPU, "host": "genoa7"})
    return run.model_copy(update={"machine": machine, "environment": {"UCX_TLS": "rc,sm"}})


def faster(factor: float) -> Callable[[Mapping[str, Scalar]], float]:
    return lambda values: made.amdahl(values) / factor


def test_a_gain_on_another_system_is_found_at_every_point_and_the_systems_are_told_apart() -> None:
    found = compare_sets(
        of_study("a"), of_study("b", seed=2, change=elsewhere, seconds=faster(1.08))
    )

    assert [one.label for one in found.comparisons] == ["1 rank", "2 ranks", "4 ranks"]
    for one in found.comparisons:
        assert (one.figure, one.kind, one.n, one.paired) == ("loop_time", "faster", 8, False)
        assert one.low is not None
        assert one.high is not None
        assert one.low < 0.08 < one.high
        assert one.sentence.startswith(f"{one.label}: b is faster than a by ")
    cpu = next(row for row in found.differences if row.name == "CPU")
    assert (cpu.b, cpu.points) == (OTHER_CPU, ())
    assert {row.name for row in found.differences} == {"Node", "CPU", "UCX_TLS"} | variables()
    assert any("drift" in remark for remark in found.remarks)


def variables() -> set[str]:
    """Those of the made-up runs, which the other system has not set."""
    study = made.study(SIZES)
    return set(made.runs(study, made.Truth())[0].environment)


def test_equal_systems_are_not_told_apart_more_often_than_claimed() -> None:
    """Of 60 pairs of sets with three points each, any verdict at 5 %: more than 9 are a chance of
    1 in 1,000."""
    wrong = 0
    for seed in range(60):
        found = compare_sets(of_study("a", seed=2 * seed), of_study("b", seed=2 * seed + 1))
        wrong += any(one.kind in ("faster", "slower") for one in found.comparisons)

    assert wrong <= 9


def test_points_of_one_study_are_paired_by_block() -> None:
    """A drift that is far above the gain hides it without the pairs, and not with them; the block
    of a failed run has no pair."""
    document = {**SIZES, "mpi": ["mpich", "impi"], "axes": {"ranks": 2}}
    failed = {("impi", 3): "there is no loop_time in stdout"}
    whole = of_study("s", document, slower={"mpich": 1.02}, drift=0.5, failures=failed)

    def point(name: str, study: str) -> RunSet:
        study_file = made.study(document)
        runs = [sample.run for group in whole.groups for sample in group.samples]
        mine = [run for run in runs if run.result and run.result.point == name]
        root = Path("/studies") / study
        return study_set(name, root, root, study_file, [(_place(root, run), run) for run in mine])

    (paired,) = compare_sets(point("mpich", "s"), point("impi", "s")).comparisons
    (apart,) = compare_sets(point("mpich", "s"), point("impi", "other")).comparisons

    assert (paired.paired, paired.kind, paired.n) == (True, "faster", 7)
    assert (apart.paired, apart.kind) == (False, "undecided")


def test_what_differs_on_purpose_is_left_out_of_matching() -> None:
    a, b = of_study("a"), of_study("b", {**SIZES, "mpi": ["impi"]}, seed=2)

    with pytest.raises(InvalidCommand, match=r"mpi is mpich in one and impi.*--ignore mpi"):
        compare_sets(a, b)
    found = compare_sets(a, b, ignore=["mpi"])

    assert len(found.comparisons) == 3
    assert "mpi" not in found.matched_by
    row = next(row for row in found.differences if row.name == "mpi")
    assert (row.a, row.b) == ("mpich", "impi")


def test_points_without_a_counterpart_are_named() -> None:
    more = of_study("b", {**SIZES, "axes": {"ranks": [2, 4, 8]}}, seed=2)
    found = compare_sets(of_study("a"), more)

    assert [one.label for one in found.comparisons] == ["2 ranks", "4 ranks"]
    assert (found.only_a, found.only_b) == (("r1",), ("r8",))


def test_a_set_with_several_points_for_one_of_the_other_is_refused() -> None:
    several = of_study("b", {**SIZES, "axes": {"ranks": [1, 2], "order": [4, 8]}})

    with pytest.raises(InvalidCommand, match=r"b has several points .* give the folder of one"):
        compare_sets(of_study("a"), several)


def test_the_single_points_of_two_sets_are_compared_whatever_they_differ_in() -> None:
    small, large = ({**SIZES, "axes": {"ranks": ranks}} for ranks in (1, 4))
    found = compare_sets(of_study("a", small), of_study("b", large, seed=2))

    assert [one.kind for one in found.comparisons] == ["faster"]
    assert next(row for row in found.differences if row.name == "ranks").b == "4"


def test_few_runs_have_no_verdict_but_are_listed() -> None:
    few = {**SIZES, "axes": {"ranks": 1}, "repeats": {"blocks": 5}}
    found = compare_sets(of_study("a", few), of_study("b", few, seed=2, seconds=faster(2)))
    (one,) = found.comparisons

    assert (one.kind, one.reason) == ("refused", "n too small: 6 needed")
    listed = [value.value for value in one.b.values if not value.warm_up]
    assert len(listed) == 5
    assert all(f"{value:.4g}" in comparison_text(found) for value in listed)


def test_contended_runs_take_the_verdict_away_and_say_why() -> None:
    single = {**SIZES, "axes": {"ranks": 1}}
    busy = frozenset(("rhodo", block) for block in (1, 2, 3))
    found = compare_sets(
        of_study("a", single), of_study("b", single, contended=busy, seconds=faster(1.5))
    )
    (one,) = found.comparisons

    assert one.kind == "refused"
    assert "contended machine in 3 of 8 runs of b (8.0 other tasks" in one.sentence
    assert len(found.b.contended) == 3
    assert "Made on a contended machine" in comparison_text(found)


def test_failed_and_warm_up_runs_enter_no_number_and_are_named() -> None:
    failed = of_study("b", failures={("r2", 3): "there is no loop_time in stdout"}, seed=2)
    found = compare_sets(of_study("a"), failed)

    assert [one.n for one in found.comparisons] == [8, 7, 8]
    assert found.b.counted == 23
    assert {run.run for run in found.b.excluded} == {"r1/b000", "r2/b000", "r4/b000", "r2/b003"}
    text = comparison_text(found)
    assert "b: r2/b003: there is no loop_time in stdout" in text
    assert "b: warm-up: r1/b000, r2/b000, r4/b000" in text


def test_a_point_of_which_every_run_failed_has_no_counterpart() -> None:
    failures = {("r2", block): "no figure" for block in range(9)}
    found = compare_sets(of_study("a"), of_study("b", failures=failures, seed=2))

    assert [one.label for one in found.comparisons] == ["1 rank", "4 ranks"]
    assert found.only_a == ("r2",)
    assert sum(run.point == "r2" for run in found.b.excluded) == 9


def test_another_figure_and_one_of_the_profile() -> None:
    found = compare_sets(
        of_study("a", mpi_share=0.06),
        of_study("b", seed=2),
        ["performance", "mpi_time", "mpi_share"],
    )
    by_figure = {name: [o for o in found.comparisons if o.figure == name] for name in FIGURES}

    assert {one.kind for one in by_figure["mpi_time"]} == {"faster"}
    assert all("b is better than a by 50." in one.sentence for one in by_figure["mpi_share"])
    assert "faster" not in comparison_text(found).split("mpi_share")[1]


FIGURES = ("performance", "mpi_time", "mpi_share")


def test_a_rate_is_compared_as_its_time_is() -> None:
    a, b = of_study("a"), of_study("b", seed=2, seconds=faster(1.05))
    times = compare_sets(a, b).comparisons
    rates = compare_sets(a, b, ["performance"]).comparisons

    for time, rate in zip(times, rates, strict=True):
        assert rate.kind == time.kind == "faster"
        assert rate.change == pytest.approx(time.change)


def in_minutes(run: Run) -> Run:
    assert run.result is not None
    reading = run.result.reading
    figures = tuple(one.model_copy(update={"unit": "min"}) for one in reading.figures)
    result = run.result.model_copy(
        update={"reading": reading.model_copy(update={"figures": figures})}
    )
    return run.model_copy(update={"result": result})


def neither(run: Run) -> Run:
    text = run.model_dump_json().replace('"lower"', '"neither"')
    return Run.model_validate_json(text)


def test_figures_that_cannot_be_compared_are_refused() -> None:
    a = of_study("a")
    with pytest.raises(InvalidCommand, match=r"loop_time is not the same figure.*in s.*in min"):
        compare_sets(a, of_study("b", change=in_minutes))
    with pytest.raises(InvalidCommand, match="neither higher nor lower is better"):
        compare_sets(of_study("a", change=neither), of_study("b", change=neither))
    with pytest.raises(InvalidCommand, match=r"--figure speed: .*both have loop_time, performance"):
        compare_sets(a, of_study("b"), ["speed"])
    with pytest.raises(InvalidCommand, match="a is about loop_time and b about performance"):
        compare_sets(a, of_study("b", rate=True))
    with pytest.raises(InvalidCommand, match=r"--ignore colour: .*application, mpi"):
        compare_sets(a, of_study("b"), ignore=["colour"])


def test_a_set_is_not_compared_with_itself() -> None:
    with pytest.raises(InvalidCommand, match=r"share runs, such as /studies/same/runs/r1/b000"):
        compare_sets(of_study("a", folder="same"), of_study("b", folder="same"))


def write_plain(
    folder: Path, seconds: float, runs: int = 8, *, seed: int = 1, ranks: int = 2, nx: int = 20
) -> None:
    """Run directories without the profiler, as `waywiser profile --bare` makes them."""
    random_ = random.Random(seed)
    study = made.study({**SIZES, "axes": {"ranks": ranks}, "repeats": {"blocks": runs}})
    for number, run in enumerate(made.runs(study, made.Truth())[1:]):
        assert run.conditions is not None
        wall = seconds * random_.lognormvariate(0, 0.005)
        busy = {"wall_seconds": wall, "cpu_seconds": wall, "busy_seconds": wall}
        program = run.program.model_copy(update={"arguments": ("--nx", str(nx))})
        plain = run.model_copy(
            update={
                "result": None,
                "profiler": False,
                "command": ("mpirun", "-n", str(ranks), "lmp", "--nx", str(nx)),
                "program": program,
                "conditions": run.conditions.model_copy(update=busy),
            }
        )
        files = RunDirectory(folder / f"ranks{ranks}" / f"{number:02}")
        files.create()
        files.write_run(plain)


def change_run(directory: Path, **changes: object) -> None:
    files = RunDirectory(directory)
    files.write_run(files.read_run().model_copy(update=changes))


def test_plain_runs_are_compared_by_their_run_time(tmp_path: Path) -> None:
    for folder, seconds, seed in (("old", 10.4, 1), ("new", 10.0, 2)):
        for ranks in (2, 4):
            write_plain(tmp_path / folder, seconds, seed=seed + ranks, ranks=ranks)
    found = compare_sets(plain_set("old", tmp_path / "old"), plain_set("new", tmp_path / "new"))

    assert [one.label for one in found.comparisons] == ["mpirun -n 2", "mpirun -n 4"]
    assert {(one.figure, one.kind, one.n) for one in found.comparisons} == {
        ("run_time", "faster", 8)
    }


def test_single_runs_are_sets_too(tmp_path: Path) -> None:
    write_plain(tmp_path, 1.0, 2)
    first, second = (plain_set(name, tmp_path / "ranks2" / name) for name in ("00", "01"))
    (one,) = compare_sets(first, second).comparisons

    assert (one.kind, one.n) == ("refused", 1)
    assert [value.run for value in one.b.values] == ["01"]


def test_plain_runs_that_ended_badly_are_named_and_do_not_count(tmp_path: Path) -> None:
    write_plain(tmp_path / "a", 1.0)
    write_plain(tmp_path / "b", 1.0, seed=2)
    change_run(tmp_path / "b" / "ranks2" / "03", status="failed", exit_code=7)
    found = compare_sets(plain_set("a", tmp_path / "a"), plain_set("b", tmp_path / "b"))

    assert [one.n for one in found.comparisons] == [7]
    assert [(run.run, run.reasons) for run in found.b.excluded] == [
        ("ranks2/03", ("it ended with exit code 7",))
    ]


def test_runs_that_were_moved_out_of_a_study_keep_their_results(tmp_path: Path) -> None:
    study = made.study({**SIZES, "axes": {"ranks": 1}})
    for number, run in enumerate(made.runs(study, made.Truth())):
        files = RunDirectory(tmp_path / "a" / str(number))
        files.create()
        files.write_run(run)
    (one,) = compare_sets(plain_set("a", tmp_path / "a"), of_study("b", seed=2)).comparisons

    assert (one.figure, one.n, one.a.n) == ("loop_time", 8, 8)


def test_plain_runs_beside_other_programs_have_no_verdict(tmp_path: Path) -> None:
    write_plain(tmp_path / "a", 1.0)
    write_plain(tmp_path / "b", 2.0, seed=2)
    for directory in (tmp_path / "b" / "ranks2").iterdir():
        conditions = RunDirectory(directory).read_run().conditions
        assert conditions is not None
        busy = conditions.cpu_seconds + 12 * conditions.wall_seconds
        change_run(directory, conditions=conditions.model_copy(update={"busy_seconds": busy}))
    (one,) = compare_sets(
        plain_set("a", tmp_path / "a"), plain_set("b", tmp_path / "b")
    ).comparisons

    assert one.kind == "refused"
    assert "8 of 8 runs of b (other programs used 12.0 of the" in one.reason
    assert one.change == pytest.approx(-0.5, abs=0.01)


def test_runs_of_one_point_that_are_not_alike_are_remarked(tmp_path: Path) -> None:
    write_plain(tmp_path / "a", 1.0)
    write_plain(tmp_path / "b", 1.0, seed=2)
    odd = tmp_path / "b" / "ranks2" / "03"
    variables = RunDirectory(odd).read_run().environment
    change_run(odd, environment={**variables, "UCX_TLS": "tcp"})
    found = compare_sets(plain_set("a", tmp_path / "a"), plain_set("b", tmp_path / "b"))

    (said,) = (remark for remark in found.remarks if "not alike" in remark)
    assert said.startswith("the runs of b are not alike")
    assert "UCX_TLS" in said


def test_the_verb_prints_text_and_the_document_of_its_schema(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_plain(tmp_path / "small", 1.0, nx=20)
    write_plain(tmp_path / "large", 2.0, seed=2, nx=40)
    words = ["compare", str(tmp_path / "small"), str(tmp_path / "large")]

    assert main(words) == 0
    text = capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)

    schema = json.loads((ROOT / "docs/reference/compare.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, schema)
    (one,) = SetComparison.model_validate(document).comparisons
    assert one.kind == "slower"
    assert f"=> {one.sentence}" in text
    assert "    A: --nx 20\n    B: --nx 40" in text


def test_mistakes_end_with_2_and_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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

    for name, said in {
        "bad": ["run.json"],
        "failed": ["failed counts, of 1: ranks2/00: it ended with exit code 3"],
        "empty": ["has no run that has ended"],
        "nowhere": ["there is no such folder"],
        "holder": ["holds a study: give ", "x.study itself"],
        "good": ["share runs"],
    }.items():
        assert_refuses(capsys, ["compare", tmp_path / "good", tmp_path / name], *said)
