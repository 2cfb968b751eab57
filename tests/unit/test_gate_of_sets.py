"""Contended runs come first where many runs are reported: study report, its page and compare."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection
from pathlib import Path

import pytest

from tests import synthetic_study
from tests.support import document, printed, printed_refusal
from tests.unit.test_gate import QUIET, of_ranks, run
from waywiser.analyse.gate import MAKE_AGAIN, gate_of_all, gate_of_launch, gate_of_sets
from waywiser.model.gate import Gate
from waywiser.model.result import Result
from waywiser.report.gate import gate_sentences
from waywiser.report.study.contents import contents_of
from waywiser.report.study.document import prepare
from waywiser.store.directory import RunDirectory
from waywiser.store.study import Place, StudyDirectory

STUDY = """\
title = "two libraries"
question = "Which is faster?"
mpi = ["mpich", "impi"]
[application.rhodo]
reader = "lammps"
program = "lmp"
[axes]
ranks = [1, 2]
[repeats]
blocks = 7
[report]
abstract = "An introduction."
"""
PLAIN = """\
title = "an application"
mpi = ["mpich"]
profile = "never"
[application.app]
program = "app"
[repeats]
blocks = 1
warm_up = false
"""
BUSY = frozenset(("impi-r2", block) for block in (1, 2, 3))
FIRST = (
    "Validity gate failed: 3 of {}, in the first of which 8.0 other tasks ran on 32 cores; so "
    "times may include waiting for a CPU."
)
REMEDY = "Remedy: Use an otherwise idle node. Then make these runs again."


def result(
    unreliable: Collection[str] = (), remedies: Collection[str] = (), configuration: str = "p"
) -> Result:
    study = synthetic_study.study({**tomllib.loads(STUDY), "repeats": {"blocks": 1}})
    first_result = synthetic_study.runs(study, synthetic_study.Truth())[0].result
    assert first_result is not None
    changed = {
        "unreliable": tuple(unreliable),
        "remedies": tuple(remedies),
        "configuration": configuration,
    }
    return first_result.replace(**changed)


def write_study(root: Path, unreliable: frozenset[tuple[str, int]]) -> None:
    """A study all of whose runs are made, as `study run` leaves it."""
    (root / "libraries.toml").write_text(STUDY)
    study = synthetic_study.study(tomllib.loads(STUDY))
    directory = StudyDirectory(root / "libraries.study")
    directory.create()
    directory.write_plan(STUDY, {}, root)
    for study_run in synthetic_study.runs(study, synthetic_study.Truth(unreliable=unreliable)):
        assert study_run.result is not None
        place = directory.run(Place(study_run.result.configuration, study_run.result.block))
        place.mkdir(parents=True)
        RunDirectory(place).write_run(study_run)


@pytest.fixture
def busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_study(tmp_path, BUSY)
    return tmp_path


@pytest.fixture
def quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_study(tmp_path, frozenset())
    return tmp_path


def test_sets_count_their_unreliable_runs_and_join_the_remedies() -> None:
    bind, move = "Bind each rank to a core of its own", "Use an otherwise idle node"
    slow, foreign = result(["2 ranks shared 1 CPU"], [bind]), result(["busy"], [bind, move])

    gate = gate_of_sets({"a": [result(), slow, foreign], "b": [result()], "c": [foreign]})

    assert gate.unreliable == (
        "2 of 3 runs of a, in the first of which 2 ranks shared 1 CPU",
        "in c, busy",
    )
    assert gate.remedies == (bind, move, "Then make these runs again")
    assert gate_of_sets({"a": [result()], "b": [result()]}) == Gate()


def test_a_result_without_remedies_is_reported_without() -> None:
    """Versions before this one stored results without remedies."""
    gate = gate_of_sets({"": [result(["busy"])]})

    (sentence,) = gate_sentences(gate)
    assert sentence.startswith("Validity gate failed: 1 of 1 run, in which busy; so")


def test_a_run_without_a_profile_has_remedies_too() -> None:
    gate = gate_of_launch(run(busy_s=90.0), None, ranks=1, threads=1, nodes=1)

    assert "other programs used 8.0 of the 16 CPUs" in gate.unreliable[0]
    assert gate.remedies == ("Use an otherwise idle node",)
    assert gate_of_launch(run(), QUIET, 2, 1, 1) == Gate()
    bound = gate_of_launch(run(), of_ranks(("n0", "0", 0.0), ("n0", "0", 0.0)), 2, 1, 1)
    assert bound.remedies == ("Bind each rank to a core of its own: `mpirun --bind-to core`",)


def test_a_collected_run_keeps_its_remedies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app.toml").write_text(PLAIN)
    directory = StudyDirectory(tmp_path / "app.study")
    directory.create()
    directory.write_plan(PLAIN, {}, tmp_path)
    place = directory.run(Place("app", 1))
    place.mkdir(parents=True)
    ended = run(busy_s=90.0).replace(profiler=False, exit_code=0, status="complete")
    RunDirectory(place).write_run(ended)

    gate = document("study", "report", "app.toml")["gate"]

    assert gate["remedies"] == [
        "Use an otherwise idle node",
        "Then make these runs again",
    ]


def test_the_report_of_a_study_says_it_first(busy: Path) -> None:
    lines = printed("study", "report", "libraries.toml").splitlines()

    assert lines[:2] == [FIRST.format("28 runs"), REMEDY]
    assert lines[2].startswith("wrote ")
    html = (busy / "libraries.study" / "report.html").read_text().replace("\u00a0", " ")
    main_part = html[html.index("<main") :]
    first = main_part.index(FIRST.format("28 runs"))
    assert main_part.index(REMEDY) > first
    for later in ("Which is faster?", "An introduction.", 'class="abstract"', 'class="key"'):
        assert main_part.index(later) > first, later


def test_the_report_of_a_quiet_study_has_none_of_it(quiet: Path) -> None:
    lines = printed("study", "report", "libraries.toml").splitlines()

    assert lines[0].startswith("wrote ")
    html = (quiet / "libraries.study" / "report.html").read_text()
    assert "gate failed" not in html
    assert "Conditions of the runs" not in html


def test_the_report_has_it_too(busy: Path, tmp_path: Path) -> None:
    from waywiser.analyse.study import analyse_study

    study = synthetic_study.study(tomllib.loads(STUDY))
    findings = analyse_study(
        study, synthetic_study.runs(study, synthetic_study.Truth(unreliable=BUSY))
    )
    source = prepare(contents_of(findings, study), tmp_path)

    contents = json.loads((tmp_path / "contents.json").read_text())
    assert contents["gate"] == [FIRST.format("28 runs"), REMEDY]
    text = source.read_text()
    assert text.index("report.gate") < text.index("report.question")


def test_compare_says_it_first_with_the_set(busy: Path) -> None:
    sides = ("libraries.study/runs/mpich-r2", "libraries.study/runs/impi-r2")
    text = " ".join(printed_refusal("compare", *sides).split())

    assert text.startswith(f"{FIRST.format('7 runs of impi-r2')} {REMEDY}")
    alone = [side.replace("-r2", "-r1") for side in sides]
    assert "gate failed" not in printed("compare", *alone)


def test_documents_have_it(busy: Path) -> None:
    sides = ("libraries.study/runs/mpich-r2", "libraries.study/runs/impi-r2")
    refused = json.loads(printed_refusal("compare", *sides, "--json"))
    for answer in (document("study", "report", "libraries.toml"), refused):
        gate = answer["gate"]
        assert gate["unreliable"][0].startswith("3 of ")
        assert gate["remedies"][-1] == "Then make these runs again"
    alone = [side.replace("-r2", "-r1") for side in sides]
    assert document("compare", *alone)["gate"]["unreliable"] == []


def test_gates_are_joined_with_what_follows_at_the_end() -> None:
    bind, move = "Bind each rank to a core of its own", "Use an otherwise idle node"
    first = Gate(unreliable=("busy",), remedies=(bind, MAKE_AGAIN))
    second = Gate(unreliable=("2 ranks shared 1 CPU",), remedies=(move, bind, MAKE_AGAIN))

    gate = gate_of_all({"a": first, "b": Gate(), "": second})

    assert gate.unreliable == ("a: busy", "2 ranks shared 1 CPU")
    assert gate.remedies == (bind, move, MAKE_AGAIN)
