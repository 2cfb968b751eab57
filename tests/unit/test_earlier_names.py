"""Names of earlier versions, of keys, plans and options, are still read."""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path

import pytest

from tests import synthetic_study
from tests.synthetic_runs import TEAM, function, rank, summary
from tests.unit.test_advice import IMBALANCED, advised
from tests.unit.test_placement_gain import HALF, machine, run
from waywiser.analyse.diagnosis import diagnosed
from waywiser.analyse.placement_gain import predicted_gain
from waywiser.cli.main import module_of
from waywiser.model.base import Model, earlier
from waywiser.model.openmp import OpenMp
from waywiser.model.run import Run
from waywiser.model.study import Study
from waywiser.store.study import StudyDirectory

FILE = """
title = "t"
[application.app]
program = "p"
figures.time = { pattern = '(.*) s', better = "lower" }
[report]
figures = ["time"]
"""


def renamed(document: object) -> object:
    """The document with the keys of earlier versions."""
    if isinstance(document, list):
        return [renamed(part) for part in document]
    if not isinstance(document, dict):
        return document
    return {earlier(key): renamed(value) for key, value in document.items()}


def test_keys_have_their_earlier_names() -> None:
    assert [
        earlier(key) for key in ("a_configuration", "metrics", "receive_bytes", "symmetric")
    ] == [*("a_point", "figures", "posted_bytes", "symmetric")]


def test_a_study_file_with_earlier_names_is_the_same() -> None:
    read = [
        Study.model_validate(tomllib.loads(text))
        for text in (FILE, FILE.replace("figures", "metrics"))
    ]

    assert read[0] == read[1]
    assert (list(read[0].application["app"].metrics), read[0].report.metrics) == (
        ["time"],
        ("time",),
    )


def test_a_run_with_earlier_names_is_the_same() -> None:
    study_run, *_ = synthetic_study.runs(
        synthetic_study.study(synthetic_study.LAMMPS), synthetic_study.Truth()
    )
    old = json.dumps(renamed(json.loads(study_run.model_dump_json())))

    assert '"point"' in old
    assert '"figures"' in old
    assert '"contended"' in old
    assert Run.model_validate_json(old) == study_run


@pytest.mark.parametrize(
    ("document", "key"),
    [
        (diagnosed(summary([rank(0, {"MPI_Recv": function(1.0)})])), "diagnosis"),
        (advised(IMBALANCED).opportunities[0], "assessment"),
        (predicted_gain(run(Sendrecv=4.0), *HALF, machine()), "assessment"),
    ],
    ids=lambda document: type(document).__name__,
)
def test_diagnoses_and_assessments_are_written_and_read_as_verdicts(
    document: Model, key: str
) -> None:
    written = json.loads(document.model_dump_json())
    old = {name: value for name, value in written.items() if name != key}

    assert written[key] is not None
    assert written["verdict"] == written[key]
    model = type(document)
    for either in (written, old):
        assert getattr(model.model_validate(either), key) == getattr(document, key)
    schema = model.model_json_schema(mode="serialization")
    assert schema["properties"]["verdict"]["deprecated"] is True


@pytest.mark.parametrize("balance", [0.8, None])
def test_the_inverse_of_load_balance_is_written_and_read(balance: float | None) -> None:
    team = TEAM.replace(load_balance=balance)
    written = json.loads(team.model_dump_json())
    old = {key: value for key, value in written.items() if key != "load_balance"}

    assert (written["load_balance"], written["imbalance"]) == (balance, balance and 1 / balance)
    assert OpenMp.model_validate(written) == OpenMp.model_validate(old) == team
    schema = OpenMp.model_json_schema(mode="serialization")
    assert schema["properties"]["imbalance"]["deprecated"] is True


def test_a_plan_with_earlier_names_is_read(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"points": {"r2": "a1"}, "origin": "/tmp"}')

    assert StudyDirectory(tmp_path).read_plan() == {"r2": "a1"}


@pytest.mark.parametrize(
    ("verb", "words", "name", "expected"),
    [
        ("report", ["run", "--figures", "d"], "plots", Path("d")),
        ("study", ["report", "s.toml", "--figures", "d"], "plots", Path("d")),
        ("compare", ["a", "b", "--figure", "x", "--metric", "y"], "metric", ["x", "y"]),
    ],
)
def test_options_with_earlier_names_are_taken(
    verb: str, words: list[str], name: str, expected: object
) -> None:
    parser = argparse.ArgumentParser()
    module_of(verb).add_arguments(parser)

    assert getattr(parser.parse_args(words), name) == expected
    assert "--figure" not in parser.format_help()
