"""Sweeps over two axes, in parts, and as studies whose parts are joined again."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.closed_form_replay import MS, Program, base_on_paper
from tests.schemas import assert_fits
from tests.support import assert_refuses, printed
from tests.synthetic_jobs import rounds
from waywiser.analyse.whatif.answer import answers
from waywiser.analyse.whatif.question import Question
from waywiser.analyse.whatif.sweep import Part, joined, part_of, ranges_of, swept
from waywiser.cli.main import main
from waywiser.errors import InvalidCommand
from waywiser.model.whatif import WhatIf
from waywiser.report.answers.whatif_plots import drawn_whatif
from waywiser.report.drawing.heat_map import HeatCell, badness, heat_map
from waywiser.report.drawing.plot import described
from waywiser.store.study import Place, StudyDirectory

PROGRAM = Program((4 * MS, 4 * MS, 2 * MS, 6 * MS), 1000, 500, 10 * MS, {})
"""1000 messages of L + 2 * 0.25 us + 500 B * G, after 6 ms of computing; 8 ms as recorded."""

GRID = ("--sweep", "latency=1us:1ms:4", "--sweep", "cpu=1,2")


def on_paper(*texts: str, part: Part | None = None) -> WhatIf:
    base = base_on_paper(PROGRAM, (0, 0, 1, 1))
    questions = [("slow", Question()), ("quick", Question(cpu=2.0))]
    return answers(base, []).replace(sweep=swept(base, questions, ranges_of(texts), part))


def written(directory: Path, *words: str) -> dict[str, Any]:
    """The study file of the grid."""
    assert main(["whatif", "run", *GRID, "--study", "grid.toml", *words]) == 0
    return tomllib.loads((directory / "grid.toml").read_text(encoding="utf-8"))


def test_two_axes_are_crossed() -> None:
    sweep = on_paper("latency=1us,3us", "bandwidth=1GB/s,2GB/s").sweep

    assert sweep is not None
    assert [axis.name for axis in sweep.axes] == ["latency", "bandwidth"]
    assert [(point.label, point.values) for point in sweep.points] == [
        (label, (latency, bandwidth))
        for label in ("slow", "quick")
        for latency in (1.0, 3.0)
        for bandwidth in (1.0, 2.0)
    ]
    # A message takes L + 0.5 us + 0.5 or 0.25 us, over the 2 us that it took.
    expected = [
        (computation + latency + 0.5 + transfer) / 8
        for computation in (6, 3)
        for latency in (1, 3)
        for transfer in (0.5, 0.25)
    ]
    assert [point.ratio for point in sweep.points] == pytest.approx(expected)


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 8, 12])
def test_parts_joined_are_the_whole(parts: int) -> None:
    texts = ("latency=1us:9us:3", "bandwidth=x1,x2")
    cut = [on_paper(*texts, part=Part(number, parts)) for number in range(1, parts + 1)]

    assert joined(cut) == on_paper(*texts)
    sizes = [len(part.sweep.points) for part in cut if part.sweep]
    assert max(sizes) - min(sizes) <= 1


def test_parts_of_other_sweeps_are_not_joined() -> None:
    first = on_paper("latency=1us,2us")

    with pytest.raises(InvalidCommand, match="the parts are not of one sweep"):
        joined([first, on_paper("bandwidth=x1,x2")])
    with pytest.raises(InvalidCommand, match="differ in what was recorded of run"):
        joined([first, first.replace(recorded_seconds=1.0)])


@pytest.mark.parametrize("text", ["", "3", "0/4", "5/4", "1/0", "a/b", "-1/4", "1/4/5", "1 / 4"])
def test_bad_parts(text: str) -> None:
    with pytest.raises(InvalidCommand, match="expected K/N with K from 1 to N, such as 3/20"):
        part_of(text)


def test_a_grid_is_a_heat_map_for_each_machine() -> None:
    drawn = drawn_whatif(on_paper("latency=1us,3us", "bandwidth=1GB/s,2GB/s"))

    slow, quick = json.loads(drawn.specification)["vconcat"]
    assert (slow["title"], quick["title"]) == ("slow", "quick")
    assert drawn.table is not None
    assert drawn.table.columns[1:3] == ("latency (us)", "bandwidth (GB/s)")
    assert len(drawn.table.rows) == 8
    described = json.loads(drawn.specification)
    cells = [row for rows in described["datasets"].values() for row in rows if row["x"] == "1"]
    of_slow = {row["y"]: row["badness"] for row in cells if row["text"] in ("10 ms", "9.69 ms")}
    # One scale goes from the best of both machines, 4.75 / 8 of the base, to the worst, 10 / 8.
    assert of_slow["1"] == pytest.approx((8 - 4.75) / (10 - 4.75))
    assert of_slow["2"] == pytest.approx((7.75 - 4.75) / (10 - 4.75))


def test_values_that_are_close_stay_apart_in_a_heat_map() -> None:
    drawn = drawn_whatif(on_paper("latency=1us,1.0001us", "bandwidth=1GB/s,2GB/s"))

    names = {
        row["x"] for rows in json.loads(drawn.specification)["datasets"].values() for row in rows
    }
    assert names == {"1", "1.0001"}


@pytest.mark.parametrize(("values", "framed"), [((1.0, 1.0, 1.0), 0), ((1.0, 2.0, 2.0), 1)])
def test_equal_values_have_one_colour_and_none_is_the_best(
    values: tuple[float, ...], framed: int
) -> None:
    cells = [
        HeatCell(str(value), "y", badness(value, min(values), max(values)), "", "")
        for value in values
    ]

    squares, frames = described(heat_map(cells, "x", "y", "told", 100))["layer"][:2]
    rows = described(heat_map(cells, "x", "y", "told", 100))["datasets"]

    assert len(rows[frames["data"]["name"]]) == framed
    colours = {row["badness"] for row in rows[squares["data"]["name"]]}
    assert len(colours) == len(set(values))


def test_a_study_of_parts_answers_exactly_what_one_command_does(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = printed("whatif", "run", *GRID, "--balanced", "--json")
    written(directory, "--balanced", "--parts", "3")
    assert "8 points in 3 parts; `waywiser study run grid.toml`" in capsys.readouterr().out

    assert_refuses(["whatif", "grid.toml"], "grid.study: 0 of 3 parts are done")
    assert main(["study", "run", "grid.toml"]) == 0
    capsys.readouterr()
    for study in ("grid.toml", "grid.study"):
        assert printed("whatif", study, "--json") == whole
    assert_fits(json.loads(whole), "whatif")

    # One part has failed: no answer is made of the others.
    parts = StudyDirectory(directory / "grid.study")
    place = Place("part2", 1)
    run = parts.read(place)
    assert run is not None
    assert run.result is not None
    failed = run.result.replace(failures=("made to fail",))
    parts.write(place, run.replace(result=failed))
    (parts.run(place) / "stderr").write_text("a warning\nwaywiser: made to fail\n")
    assert_refuses(["whatif", "grid.study"], "2 of 3 parts are done")
    assert_refuses(["whatif", "grid.study"], "; part2 failed: waywiser: made to fail")


def test_the_study_asks_from_the_directory_that_it_was_written_in(directory: Path) -> None:
    rounds(["n0", "n1"], (1.0, 2.0)).run(directory / "a {b} 'c")
    words = (
        "--sweep=cpu=1,2",
        "--from=rig-3",
        "--noise=5",
        "--seed=0",
        "--collective",
        "allreduce=ring",
    )
    assert main(["whatif", "a {b} 'c", *words, "--study", "odd.toml"]) == 0

    assert main(["study", "run", "odd.toml"]) == 0
    plan = StudyDirectory(directory / "odd.study").plan
    plan.write_text(plan.read_text().replace('"origin"', '"folder"'))  # as until version 0.1
    assert main(["whatif", "odd.study", "-o", "odd.jsonl"]) == 0
    assert main(["whatif", "a {b} 'c", *words, "-o", "whole.jsonl"]) == 0
    assert (directory / "odd.jsonl").read_text() == (directory / "whole.jsonl").read_text()


@pytest.mark.parametrize(
    ("scheduler", "jobs"), [("slurm", "run-array"), ("pbs", "run-array"), ("flux", "run")]
)
def test_on_a_cluster_each_part_is_a_task(
    directory: Path, capsys: pytest.CaptureFixture[str], scheduler: str, jobs: str
) -> None:
    study = written(directory, "--scheduler", scheduler)
    capsys.readouterr()

    assert study["resources"]["jobs"] == jobs
    output = printed("study", "check", "grid.toml")
    assert "8 configurations x 1 block: 8 runs" in output
    assert "warning" not in output
    assert all(f"--part {part}/8" in output for part in range(1, 9))
    if scheduler == "slurm":
        assert output.count("#SBATCH --array=1-8") == 1
        assert output.count("#SBATCH --ntasks-per-node=1") == 1


def test_a_study_has_its_questions(directory: Path) -> None:
    written(directory)

    says = "grid.toml is a what-if study; only -o and --json are allowed"
    assert_refuses(["whatif", "grid.toml", "--latency", "x2"], says)


def test_another_study_has_no_answer(directory: Path) -> None:
    assert main(["study", "init", "mine.toml"]) == 0

    assert_refuses(["whatif", "mine.toml"], "mine.study is not a study of a sweep")
