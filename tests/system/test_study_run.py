"""A study on this machine: run, interrupted, killed, resumed, run twice; failed runs are kept."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.small_study import PROGRAM, Study, assert_never_two, names, wait_for
from tests.support import (
    MpiLibrary,
    Waywiser,
    assert_refused,
    cases,
    executable,
    mpi_libraries,
)
from waywiser.report.study.texts import STEPS


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, str]:
    """A study that was run to its end, and what was said meanwhile."""
    directory = tmp_path_factory.mktemp("whole")
    study = Study(directory, [1.5, 2.5, 3.5])
    done = Waywiser(directory).succeeds("study", "run", str(study.file))
    return study, done.stderr


def test_every_configuration_is_run_once_in_every_block(
    whole: tuple[Study, str], waywiser: Waywiser
) -> None:
    study, _ = whole
    places = {f"value{value}/b{block:03}" for value in (1.5, 2.5, 3.5) for block in range(3)}
    results = study.results()
    assert set(results) == places
    for place, result in results.items():
        metrics = {metric["name"]: metric["value"] for metric in result["reading"]["metrics"]}
        assert metrics["metric"] == result["values"]["value"]
        assert result["warm_up"] == place.endswith("b000")
    status = study.status(waywiser)
    assert (status["done"], status["failed"], status["missing"]) == (9, 0, 0)
    assert not list(study.directory.glob("work/*/*")), "what the runs worked in is left behind"

    again = waywiser("study", "run", str(study.file))
    assert again.returncode == 0
    assert study.results() == results, "a second run has repeated what was done"


def test_outputs_are_kept_and_a_run_without_them_has_failed(
    tmp_path: Path, waywiser: Waywiser
) -> None:
    study = Study(tmp_path, [1, 2], blocks=1)
    executable(
        tmp_path / "small.sh",
        f'{PROGRAM.replace("exit $2", "")}[ "$1" = 2 ] || echo "$1" >profile.txt\n',
    )
    text = study.file.read_text(encoding="utf-8").replace(
        "\nenv", '\noutputs = ["profile.txt"]\nenv'
    )
    study.file.write_text(text, encoding="utf-8")

    waywiser("study", "run", str(study.file))

    kept = study.directory.glob("runs/*/b001/outputs/profile.txt")
    assert [file.read_text() for file in kept] == ["1\n"]
    failures = {place: result["failures"] for place, result in study.results().items()}
    assert failures["value1/b001"] == []
    assert failures["value2/b000"] == ["it left no profile.txt in its directory"]
    assert not list(study.directory.glob("work/*/*"))


def test_a_run_without_a_record_says_why(tmp_path: Path, waywiser: Waywiser) -> None:
    """The script's first message: the lines that follow it fail silently."""
    study = Study(tmp_path, [1], blocks=1)
    text = study.file.read_text(encoding="utf-8")
    study.file.write_text(text.replace("{ BUSY", '{ PATH = "/nowhere", BUSY'), encoding="utf-8")

    output = waywiser("study", "run", str(study.file))

    assert output.returncode == 2
    assert "small/b000 left no record" in output.stderr
    assert output.stderr.endswith("timeout: command not found\n")


def test_the_order_of_a_block_is_drawn(whole: tuple[Study, str]) -> None:
    """Or else a drift of the machine would favour a configuration."""
    started = [line.split()[2] for line in whole[1].splitlines() if line.startswith("waywiser: [")]
    blocks = [[place.split("/")[0] for place in started[i : i + 3]] for i in range(0, 9, 3)]
    assert [sorted(block) for block in blocks] == [sorted(blocks[0])] * 3
    assert len({tuple(block) for block in blocks}) > 1


@pytest.mark.parametrize("library", [mpi.name for mpi in mpi_libraries()])
def test_what_check_prescribes_works(tmp_path: Path, waywiser: Waywiser, library: str) -> None:
    """More ranks than cores: with the launcher_arguments that check names, every run is made."""
    study = Study(tmp_path, [1], blocks=1)
    ranks = (os.cpu_count() or 1) + 1
    text = study.file.read_text().replace('mpi = ["mpich"]', f'mpi = ["{library}"]')
    text = text.replace("value = ", f"ranks = {ranks}\nvalue = ")
    study.file.write_text(text)
    output = waywiser.here("study", "check", str(study.file))
    assert output.returncode == 2
    match = re.search(r"launcher_arguments = (\[.*\]) for", output.stdout)
    assert match, output.stdout
    table = f"[mpi.{library}]\nlauncher_arguments = {match[1]}\n"
    study.file.write_text(text.replace(f'mpi = ["{library}"]\n', "") + table)

    waywiser.succeeds("study", "run", str(study.file))

    assert study.status(waywiser)["done"] == 2


def test_failed_runs_are_kept_listed_and_not_repeated(tmp_path: Path, waywiser: Waywiser) -> None:
    study = Study(tmp_path, [1, "nonsense"], blocks=1)
    done = waywiser("study", "run", str(study.file))
    assert done.returncode == 1
    assert "1 run failed, 1 run not made" in done.stderr
    status = study.status(waywiser)
    assert (status["done"], status["failed"], status["missing"]) == (2, 1, 0)
    assert {failure["run"] for failure in status["failures"]} == {"nonsense/b000"}
    assert all("metric" in failure["reasons"][0] for failure in status["failures"])
    median = {
        configuration["configuration"]: configuration["median"]
        for configuration in status["configurations"]
    }
    assert median == {"value1": 1.0, "nonsense": None}

    again = waywiser("study", "resume", str(study.file))
    assert not list(study.directory.glob("runs/*/*.failed-*"))
    assert again.returncode == 1
    waywiser("study", "resume", "--failed", str(study.file))
    assert len(list(study.directory.glob("runs/*/*.failed-1"))) == 1


def test_a_configuration_whose_warm_up_fails_stops(tmp_path: Path, waywiser: Waywiser) -> None:
    """The last lines of standard error are shown beside the run, in status and report."""
    study = Study(tmp_path, [1, 2], blocks=2)
    script = tmp_path / "small.sh"
    fails = 'test "$1" = 1 || { echo "duplicate setting: bind-to\\n-----" >&2; exit 9; }\n'
    script.write_text(PROGRAM.replace("sleep 0.1\n", fails))
    done = waywiser("study", "run", str(study.file))
    assert done.returncode == 1
    assert "value2: its warm-up failed, so that 2 runs of it are not made" in done.stderr
    assert "1 run failed, 2 runs not made" in done.stderr
    assert set(study.results()) == {"value2/b000", *(f"value1/b{i:03}" for i in range(3))}
    status = study.status(waywiser)
    assert (status["done"], status["failed"], status["missing"], status["not_made"]) == (3, 1, 0, 2)
    (failure,) = status["failures"]
    assert failure["reasons"] == ["it ended with exit code 9"], "no missing metric"
    assert failure["stderr"] == ["duplicate setting: bind-to"]
    shown = waywiser.here("study", "status", str(study.file)).stdout
    assert "stopped: its warm-up failed, 2 not made" in shown
    assert "exit code 9\n    duplicate setting: bind-to" in shown
    assert waywiser.here("study", "report", str(study.file)).returncode == 0
    page = (study.directory / "report.html").read_text()
    assert "duplicate setting: bind-to" in page
    assert "without valid runs: value 2 (first failure: it ended with exit code 9)" in page

    script.write_text(PROGRAM)
    assert waywiser("study", "resume", str(study.file)).returncode == 1, "it is not tried again"
    waywiser.succeeds("study", "resume", "--failed", str(study.file))
    assert len(study.results()) == 6


def test_the_steps_of_a_report_make_its_study_again(tmp_path: Path, waywiser: Waywiser) -> None:
    study = Study(tmp_path, [1], blocks=1)
    study.file.rename(tmp_path / "study.toml")
    (directory,) = {step.split()[-1] for step in STEPS if " -o " in step}
    for step in STEPS:
        waywiser.succeeds(*step.split()[1:])
    assert (tmp_path / directory / "report.html").exists()
    assert (tmp_path / STEPS[-1].split()[-1]).read_bytes().startswith(b"%PDF-")


def test_an_exit_code_fails_a_run_whatever_it_printed(tmp_path: Path, waywiser: Waywiser) -> None:
    study = Study(tmp_path, [1], blocks=1, code=3)
    assert waywiser("study", "run", str(study.file)).returncode == 1
    reasons = study.status(waywiser)["failures"][0]["reasons"]
    assert "exit code 3" in reasons[0]


def test_a_wrong_result_fails_a_run(tmp_path: Path, waywiser: Waywiser) -> None:
    study = Study(tmp_path, [1, 1.1], blocks=1)
    with study.file.open("a") as file:
        file.write("\n[application.small.correct]\nmetric = { value = 1, relative = 0.01 }\n")
    assert waywiser("study", "run", str(study.file)).returncode == 1
    failed = {failure["run"] for failure in study.status(waywiser)["failures"]}
    assert failed == {"value1.1/b000"}


def test_a_run_that_does_not_end_is_stopped(tmp_path: Path, waywiser: Waywiser) -> None:
    study = Study(tmp_path, [1], blocks=1)
    (tmp_path / "small.sh").write_text("#!/bin/sh\nexec sleep 600\n")
    with study.file.open("a") as file:
        file.write("warm_up = false\n\n[resources]\ntime_limit_minutes = 0.1\n")
    began = time.monotonic()
    assert waywiser("study", "run", str(study.file)).returncode == 1
    assert time.monotonic() - began < 300
    (failure,) = study.status(waywiser)["failures"]
    assert "0.1 min" in failure["reasons"][0]


def test_interrupting_is_clean_and_resuming_goes_on(tmp_path: Path, waywiser: Waywiser) -> None:
    study = Study(tmp_path, [1, 2], blocks=2)
    process = study.start()
    wait_for(study, 2)
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=300)[1]
    assert process.returncode == 130
    assert "study resume" in output
    assert "Traceback" not in output
    before = study.results()
    assert waywiser("study", "resume", str(study.file)).returncode == 0
    after = study.results()
    assert len(after) == 6
    assert {place: after[place] for place in before if before[place]} == {
        place: result for place, result in before.items() if result
    }
    assert_never_two(study)


@pytest.mark.parametrize("kills", cases([3], long=[50]))
def test_a_study_that_is_killed_loses_no_run_and_doubles_none(
    tmp_path: Path, waywiser: Waywiser, kills: int
) -> None:
    blocks = kills  # of three runs: more than can be made between the kills
    study = Study(tmp_path, [1, 2, 3], blocks)
    chance = random.Random(kills)
    killed = 0
    kept: dict[str, Any] = {}
    while killed < kills:
        process = study.start()
        try:
            process.wait(chance.uniform(0.2, 1.2))
        except subprocess.TimeoutExpired:
            process.kill()
            killed += 1
        process.communicate()
        now = {place: result for place, result in study.results().items() if result}
        assert kept.items() <= now.items(), "a run that was done is lost, or was made again"
        kept = now
        assert process.returncode, "the study was done before it was killed often enough"
    waywiser.succeeds("study", "run", str(study.file), timeout=300)
    results = study.results()
    assert kept.items() <= results.items()
    assert set(results) == {f"{v}/b{b:03}" for v in names(study) for b in range(blocks + 1)}
    assert all(result and not result["failures"] for result in results.values())
    assert_never_two(study)


def test_what_was_started_stays_the_same(tmp_path: Path, waywiser: Waywiser) -> None:
    study = Study(tmp_path, [1, 2], blocks=1)
    assert waywiser("study", "run", str(study.file)).returncode == 0
    kept = study.results()
    study.write([1, 2], blocks=1, code=0)
    text = study.file.read_text()
    study.file.write_text(text.replace('"{value}", "{code}"', '"{value}", "{code}", "more"'))
    refused = waywiser("study", "run", str(study.file))
    assert_refused(refused, "was started with another command for configuration")
    assert study.results() == kept
    study.file.write_text(text.replace("[1, 2]", "[1, 2, 3]").replace("blocks = 1", "blocks = 2"))
    assert waywiser("study", "run", str(study.file)).returncode == 0, (
        "more configurations, more blocks"
    )
    assert len(study.results()) == 9


def test_a_spent_budget_is_a_sentence(tmp_path: Path, waywiser: Waywiser) -> None:
    study = Study(tmp_path, [1], blocks=5)
    with study.file.open("a") as file:
        file.write("core_hours = 0.0001\n")
    done = waywiser("study", "run", str(study.file))
    assert done.returncode == 2
    assert "core hours is spent" in done.stderr
    assert 1 <= len(study.results()) < 6


def test_a_value_never_reaches_a_shell(tmp_path: Path, waywiser: Waywiser) -> None:
    study = Study(tmp_path, ["$(touch pwned); 'q\" `touch pwned`"], blocks=1)
    (tmp_path / "small.sh").write_text('#!/bin/sh\nprintf "%s" "$1" >"$BUSY"\necho metric: 1\n')
    assert waywiser("study", "run", str(study.file)).returncode == 0
    assert (tmp_path / "busy").read_text() == "$(touch pwned); 'q\" `touch pwned`"
    assert not list(tmp_path.rglob("pwned"))


def test_a_full_disk_loses_nothing(tmp_path: Path, waywiser: Waywiser) -> None:
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "none", str(small)], check=True)
    try:
        study = Study(small, list(range(1, 40)), blocks=3)
        done = waywiser("study", "run", str(study.file), timeout=300)
        assert done.returncode in (1, 2)
        assert "Traceback" not in done.stderr
        assert "No space left" in done.stderr
        kept = {place: result for place, result in study.results().items() if result}
        assert kept
        subprocess.run(["mount", "-o", "remount,size=50m", str(small)], check=True)
        study.write([1], blocks=1)
        assert waywiser("study", "run", str(study.file)).returncode == 0
        assert kept.items() <= study.results().items()
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_bare_and_profiled_runs_have_the_same_record(
    tmp_path: Path, waywiser: Waywiser, mpi: MpiLibrary
) -> None:
    program = mpi.program("ww-minife")
    for name, option in (("bare", "--bare"), ("profiled", "--callsites")):
        waywiser.succeeds(
            "profile", option, "-o", name, "--", *mpi.command(2, program, "--nx", "8")
        )
    bare, profiled = (
        json.loads((tmp_path / name / "run.json").read_text()) for name in ("bare", "profiled")
    )
    assert (bare["profiler"], profiled["profiler"]) == (False, True)
    assert bare["program"] == profiled["program"]
    assert bare["machine"] == profiled["machine"]
    for run in (bare, profiled):
        assert run["status"] == "complete"
        conditions = run["conditions"]
        assert 0 < conditions["cpu_seconds"] <= conditions["busy_seconds"] + 0.1
    assert not (tmp_path / "bare" / "profile.ww").exists()
    assert_refused(waywiser.here("show", "bare"), "--bare")
    command = mpi.command(1, program)
    assert_refused(waywiser("profile", "--bare", "--callsites", "--", *command), "--callsites")
