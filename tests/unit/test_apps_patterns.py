"""Figures by regular expression, and the check of a result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from waywiser.apps.application import Output
from waywiser.apps.pattern import by_patterns, checked
from waywiser.model.reading import Check, Figure, FigurePattern, Patterns, Reading

TEXT = "step 1: 2.0 s\nstep 2: 3.0 s\nstep 3: 7.0 s\nresidual 1.5D-09\ndone\n"
TIME: dict[str, Any] = {
    "name": "step_time",
    "pattern": r"^step \d+: (\S+) s$",
    "unit": "s",
    "better": "lower",
}


def read(
    text: str, folder: Path, *figures: dict[str, Any], stderr: str = "", **rest: str
) -> Reading:
    patterns = Patterns(figures=tuple(FigurePattern(**f) for f in figures or (TIME,)), **rest)
    return by_patterns("mine", patterns).read(Output(text, stderr, folder))


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        ("last", 7.0),
        ("first", 2.0),
        ("sum", 12.0),
        ("mean", 4.0),
        ("minimum", 2.0),
        ("maximum", 7.0),
    ],
)
def test_which_of_several_matches(which: str, expected: float, tmp_path: Path) -> None:
    reading = read(TEXT, tmp_path, TIME | {"which": which})

    assert reading.figures == (Figure(name="step_time", value=expected, unit="s", better="lower"),)


def test_the_last_match_counts_by_default(tmp_path: Path) -> None:
    assert read(TEXT, tmp_path).figures[0].value == 7.0


def test_a_pattern_without_a_group_and_a_fortran_number(tmp_path: Path) -> None:
    whole = {"name": "first_number", "pattern": r"\d\.\d", "which": "first"}
    fortran = {"name": "residual", "pattern": r"residual (\S+)"}

    values = [figure.value for figure in read(TEXT, tmp_path, whole, fortran).figures]

    assert values == [2.0, 1.5e-9]


def test_a_figure_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "rates.txt").write_text("rate=12.5\n")
    rate = {"name": "rate", "pattern": "rate=(.*)", "file": "rates.txt", "better": "higher"}

    assert read("", tmp_path, rate).figures[0].value == 12.5
    (tmp_path / "rates.txt").unlink()
    assert "nothing in rates.txt matches 'rate=(.*)'" in read("", tmp_path, rate).failure
    (tmp_path / "rates.txt").mkdir()
    assert "rates.txt in the run's folder cannot be read" in read("", tmp_path, rate).failure


@pytest.mark.parametrize("word", ["nan", "-inf", "1e999", "fast", "1.2.3", ""])
def test_what_is_no_finite_number_is_a_failure(word: str, tmp_path: Path) -> None:
    pattern = TIME | {"pattern": r"^time (.*) s$"}

    reading = read(f"time 1.0 s\ntime {word} s\n", tmp_path, pattern)

    assert "step_time" in reading.failure
    assert "not a finite number" in reading.failure
    assert not reading.figures


def test_a_missing_figure_names_itself_and_what_was_searched(tmp_path: Path) -> None:
    failure = read("hello\n", tmp_path).failure

    assert failure == r"no step_time: nothing in standard output matches '^step \\d+: (\\S+) s$'"


def test_what_must_and_what_must_not_be_said(tmp_path: Path) -> None:
    assert read(TEXT, tmp_path, success="^done$").failure == ""
    assert "matches '^finished$'" in read(TEXT, tmp_path, success="^finished$").failure
    assert read(TEXT, tmp_path, failure="ERROR").failure == ""
    for where in ({"text": TEXT + "ERROR 7\n"}, {"text": TEXT, "stderr": "ERROR 7\n"}):
        failure = read(folder=tmp_path, failure=r"ERROR \d", **where).failure
        assert "says 'ERROR 7'" in failure


@pytest.mark.parametrize(
    ("figure", "says"),
    [
        ({"pattern": "time ("}, "is not a regular expression"),
        ({"pattern": "(a)(b)"}, "has 2 groups; write one"),
        ({"name": "Step time"}, "should match pattern"),
        ({"which": "median"}, "'last', 'first', 'sum', 'mean', 'minimum' or 'maximum'"),
        ({"units": "s"}, "Extra inputs"),
    ],
)
def test_a_wrong_pattern_is_refused(figure: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        Patterns.model_validate({"figures": [TIME | figure]})

    assert says in str(refusal.value)


def test_two_figures_of_one_name_are_refused() -> None:
    with pytest.raises(ValidationError, match="step_time is there more than once"):
        Patterns.model_validate({"figures": [TIME, TIME]})


ENERGY = Reading(figures=(Figure(name="energy", value=-15.7, unit="Ry", better="neither"),))


@pytest.mark.parametrize(
    ("expected", "tolerances", "right"),
    [
        (-15.7, {}, True),
        (-15.8, {"tolerance": 0.11}, True),
        (-15.8, {"tolerance": 0.09}, False),
        (-15.8, {"relative_tolerance": 0.007}, True),
        (-15.8, {"relative_tolerance": 0.006}, False),
        (-15.8, {"relative_tolerance": 0.006, "tolerance": 0.2}, True),
        (15.7, {"relative_tolerance": 0.1}, False),
    ],
)
def test_a_result_is_held_to_its_expected_value(
    expected: float, tolerances: dict[str, float], right: bool
) -> None:
    reading = checked(ENERGY, [Check(figure="energy", expected=expected, **tolerances)])

    if right:
        assert reading == ENERGY
    else:
        assert f"energy is -15.7 Ry, not {expected}" in reading.failure
        assert not reading.figures


def test_a_check_of_a_figure_that_is_not_there_fails() -> None:
    assert (
        "no mass to check; the output has energy"
        in checked(ENERGY, [Check(figure="mass", expected=1)]).failure
    )


def test_a_run_that_failed_before_keeps_its_reason() -> None:
    failed = Reading(failure="no energy")

    assert checked(failed, [Check(figure="energy", expected=1)]) == failed
