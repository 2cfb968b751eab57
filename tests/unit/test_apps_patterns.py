"""Metrics by regular expression, and the check of a result."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from waywiser.apps.application import Output
from waywiser.apps.pattern import checked, read_patterns
from waywiser.model.reading import Expected, Metric, MetricPattern, Reading

TEXT = "step 1: 2.0 s\nstep 2: 3.0 s\nstep 3: 7.0 s\nresidual 1.5D-09\ndone\n"
TIME: dict[str, Any] = {"pattern": r"^step \d+: (\S+) s$", "unit": "s", "better": "lower"}


def read(text: str, directory: Path, success: str = "", **metrics: dict[str, Any]) -> Reading:
    patterns = {name: MetricPattern(**metric) for name, metric in metrics.items()}
    output = Output(stdout=text, stderr="used 17 GB\n", directory=directory)
    return read_patterns(patterns or {"step_time": MetricPattern(**TIME)}, success, output)


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
    reading = read(TEXT, tmp_path, step_time=TIME | {"which": which})

    assert reading.metrics == (Metric(name="step_time", value=expected, unit="s", better="lower"),)


def test_the_last_match_counts_by_default(tmp_path: Path) -> None:
    assert read(TEXT, tmp_path).metrics[0].value == 7.0


def test_a_number_as_fortran_prints_it(tmp_path: Path) -> None:
    residual = {"pattern": r"residual (\S+)", "better": "lower"}

    assert read(TEXT, tmp_path, residual=residual).metrics[0].value == 1.5e-9


def test_a_metric_of_a_file_or_of_standard_error(tmp_path: Path) -> None:
    (tmp_path / "rates.txt").write_text("rate=12.5\n")
    rate = {"pattern": "rate=(.*)", "file": "rates.txt", "better": "higher"}
    memory = {"pattern": r"used (\d+) GB", "file": "stderr", "better": "lower"}

    assert read("", tmp_path, rate=rate).metrics[0].value == 12.5
    assert read("", tmp_path, memory=memory).metrics[0].value == 17
    (tmp_path / "rates.txt").unlink()
    assert "no rate: nothing in rates.txt matches" in read("", tmp_path, rate=rate).failure
    (tmp_path / "rates.txt").mkdir()
    assert "rates.txt in the run's directory cannot be" in read("", tmp_path, rate=rate).failure


@pytest.mark.parametrize("word", ["nan", "-inf", "1e999", "fast", "1.2.3", ""])
def test_what_is_no_finite_number_is_a_failure(word: str, tmp_path: Path) -> None:
    pattern = TIME | {"pattern": r"^time (.*) s$"}

    reading = read(f"time 1.0 s\ntime {word} s\n", tmp_path, step_time=pattern)

    assert "step_time" in reading.failure
    assert "not a finite number" in reading.failure
    assert not reading.metrics


def test_a_sum_that_is_not_finite_is_a_failure(tmp_path: Path) -> None:
    huge = TIME | {"pattern": r"time (\S+)", "which": "sum"}

    assert "damaged" in read("time 1e308\ntime 1e308\n", tmp_path, step_time=huge).failure


def test_a_missing_metric_names_itself_and_what_was_searched(tmp_path: Path) -> None:
    failure = read("hello\n", tmp_path).failure

    assert failure == r"no step_time: nothing in stdout matches '^step \\d+: (\\S+) s$'"


def test_what_must_be_reported(tmp_path: Path) -> None:
    assert read(TEXT, tmp_path, success="^done$").failure == ""
    assert "stdout matches '^finished$'" in read(TEXT, tmp_path, success="^finished$").failure


@pytest.mark.parametrize(
    ("metric", "says"),
    [
        ({"pattern": "time ("}, "'time (' is not a regular expression"),
        ({"pattern": "(a)(b)"}, "has 2 groups: put the number, and nothing else"),
        ({"pattern": "time [0-9]+"}, "has no groups: put the number"),
        ({"which": "median"}, "'last', 'first', 'sum', 'mean', 'minimum' or 'maximum'"),
        ({"units": "s"}, "Extra inputs"),
    ],
)
def test_a_wrong_pattern_is_refused(metric: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        MetricPattern.model_validate(TIME | metric)

    assert says in str(refusal.value)


ENERGY = Reading(metrics=(Metric(name="energy", value=-15.7, unit="Ry", better="neither"),))


@pytest.mark.parametrize(
    ("expected", "tolerances", "right"),
    [
        (-15.7, {}, True),
        (-15.8, {"absolute": 0.11}, True),
        (-15.8, {"absolute": 0.09}, False),
        (-15.8, {"relative": 0.007}, True),
        (-15.8, {"relative": 0.006}, False),
        (-15.8, {"relative": 0.006, "absolute": 0.2}, True),
        (15.7, {"relative": 0.1}, False),
    ],
)
def test_a_result_is_held_to_its_expected_value(
    expected: float, tolerances: dict[str, float], right: bool
) -> None:
    reading = checked(ENERGY, {"energy": Expected(value=expected, **tolerances)})

    if right:
        assert reading == ENERGY
    else:
        assert f"energy is -15.7 Ry, not {expected}" in reading.failure
        assert not reading.metrics


def test_a_check_of_a_metric_that_is_not_there_fails() -> None:
    failure = checked(ENERGY, {"mass": Expected(value=1)}).failure

    assert failure == "no mass to check; the output has energy"


def test_a_run_that_failed_before_keeps_its_reason() -> None:
    failed = Reading(failure="no energy")

    assert checked(failed, {"energy": Expected(value=1)}) == failed


@pytest.mark.parametrize(
    ("success", "metrics"),
    [
        ("^(a+)+$", {}),
        ("", {"x": {"pattern": r"^(?:a|aa)+(\d)$", "better": "lower"}}),
        ("", {"x": {"pattern": r"(?:a*b*)*(\d)", "better": "lower"}}),
    ],
)
def test_a_pattern_that_searches_for_ever_is_ended(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    success: str,
    metrics: dict[str, dict[str, Any]],
) -> None:
    monkeypatch.setattr("waywiser.apps.pattern.SECONDS", 0.5)
    began = time.process_time()

    reading = read("a" * 5000 + "!", tmp_path, success, **metrics)

    assert "takes more than 0.5 s of CPU time" in reading.failure
    assert time.process_time() - began < 5
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
