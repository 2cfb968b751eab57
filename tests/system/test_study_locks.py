"""One command at a time runs a study: on file systems with flock, and on those without."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.small_study import Study, assert_never_two
from tests.support import Waywiser, assert_refused, cases, environment, wait_for
from waywiser.store.live import start_of

NO_FLOCK = """
#include <errno.h>
int flock(int descriptor, int operation) { errno = ERROR; return -1; }
"""
ENTERS = """
import sys, time
from pathlib import Path
from waywiser.errors import InvalidCommand
from waywiser.store.lock import locked

lock, inside, twice = map(Path, sys.argv[1:4])
entered = 0
while entered < 20:
    try:
        with locked(lock, lock, lambda sentence: None):
            try:
                inside.mkdir()
            except FileExistsError:
                twice.touch()
            time.sleep(0.002)
            inside.rmdir()
            entered += 1
    except InvalidCommand as refusal:
        assert "is being run by process" in str(refusal), refusal
        time.sleep(0.001)
"""
FLOCKS = ["with flock", "ENOSYS", "EOPNOTSUPP"]


without_locks = pytest.mark.parametrize(
    "lock_environment", cases(FLOCKS[1:2], long=FLOCKS), indirect=True
)


@pytest.fixture(params=cases(FLOCKS[:2], long=FLOCKS))
def lock_environment(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Environment of a file system with locks, and of file systems without."""
    if request.param == FLOCKS[0]:
        return {}
    return without_flock(tmp_path, request.param)


def without_flock(directory: Path, error: str = "ENOSYS") -> dict[str, str]:
    source, library = directory / "no_flock.c", directory / "no_flock.so"
    source.write_text(NO_FLOCK.replace("ERROR", error))
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    return {"LD_PRELOAD": str(library)}


@without_locks
def test_a_study_is_run_and_another_command_is_refused(
    tmp_path: Path, waywiser: Waywiser, lock_environment: Mapping[str, str]
) -> None:
    study = Study(tmp_path, [1], blocks=1)
    hold = held(study)
    first = study.start(env=lock_environment)
    wait_for((tmp_path / "busy").exists)
    second = waywiser("study", "run", str(study.file), env=lock_environment)
    assert_refused(second, f"is being run by process {first.pid}")
    hold.unlink()
    output = first.communicate(timeout=200)[1]
    assert first.returncode == 0, output
    assert len(study.results()) == 2
    assert_never_two(study)
    assert not list(study.directory.glob("lock.*")), "a lock file is left behind"


@without_locks
def test_an_edited_study_beside_a_running_one_writes_nothing(
    tmp_path: Path, waywiser: Waywiser, lock_environment: Mapping[str, str]
) -> None:
    study = Study(tmp_path, [1], blocks=1)
    hold = held(study)
    first = study.start(env=lock_environment)
    wait_for((tmp_path / "busy").exists)
    kept = {path: path.read_bytes() for path in study.directory.glob("*.*") if path.is_file()}
    kept.pop(study.directory / "lock.held", None)
    assert {path.name for path in kept} == {"study.toml", "plan.json"}
    study.write([1, 2], blocks=2)
    second = waywiser("study", "run", str(study.file), env=lock_environment)
    assert_refused(second, "is being run by process")
    assert {path: path.read_bytes() for path in kept} == kept
    hold.unlink()
    first.communicate(timeout=200)
    assert {path: path.read_bytes() for path in kept} == kept


several = pytest.mark.parametrize("commands", cases([4], long=[12]))


@several
def test_of_commands_that_start_at_once_one_runs(
    tmp_path: Path, lock_environment: Mapping[str, str], commands: int
) -> None:
    study = Study(tmp_path, [1], blocks=1)
    hold = held(study)
    started = [study.start(env=lock_environment) for _ in range(commands)]
    wait_for(lambda: sum(process.poll() is None for process in started) == 1)
    hold.unlink()
    output = [process.communicate(timeout=120)[1] for process in started]
    assert sorted(process.returncode for process in started) == [0, *[2] * (commands - 1)], output
    refused = [text for text in output if "is being run by process" in text]
    assert len(refused) == commands - 1, output
    assert_never_two(study)


def test_a_run_that_a_killed_command_leaves_behind_is_waited_for(
    tmp_path: Path, lock_environment: Mapping[str, str]
) -> None:
    """The run keeps the study's lock, so that no other runs beside it, and its record counts."""
    study = Study(tmp_path, [1], blocks=1)
    hold = held(study)
    process = study.start(env=lock_environment)
    wait_for((tmp_path / "busy").exists)
    process.kill()
    process.communicate()

    again = study.start(env=lock_environment)
    assert again.stderr is not None
    output = again.stderr.readline()
    hold.unlink()
    assert "waiting for the run that an earlier command has left behind" in output
    output = again.communicate(timeout=120)[1]
    assert again.returncode == 0, output
    assert len(study.results()) == 2
    assert not list(study.directory.glob("runs/*/*.lost-*")), "its record was thrown away"
    assert_never_two(study)


def test_a_lock_file_of_a_dead_command_is_taken_over(tmp_path: Path, waywiser: Waywiser) -> None:
    study = Study(tmp_path, [1], blocks=1)
    _leave_lock(study, 2**22 + 1, platform.node())
    waywiser.succeeds("study", "run", str(study.file), env=without_flock(tmp_path))
    assert len(study.results()) == 2


def test_a_lock_file_of_another_host_is_refused_with_its_cure(
    tmp_path: Path, waywiser: Waywiser
) -> None:
    study = Study(tmp_path, [1], blocks=1)
    held = _leave_lock(study, 12, "node7")
    done = waywiser("study", "run", str(study.file), env=without_flock(tmp_path))
    assert_refused(done, f"process 12 on node7; if that process has ended, remove {held}")
    held.unlink()
    waywiser.succeeds("study", "run", str(study.file), env=without_flock(tmp_path))


@several
def test_nobody_is_beside_another_under_a_lock(
    tmp_path: Path, lock_environment: Mapping[str, str], commands: int
) -> None:
    """Processes come and go."""
    words = [tmp_path / name for name in ("lock", "inside", "twice")]
    env = environment(lock_environment)
    enter: list[str | Path] = [sys.executable, "-c", ENTERS, *words]
    running = [subprocess.Popen(enter, env=env) for _ in range(commands)]
    assert [process.wait(600) for process in running] == [0] * commands
    assert not words[2].exists()
    assert {path.name for path in tmp_path.glob("lock*")} == {"lock"}


def held(study: Study) -> Path:
    """The file while which is there the study's run does not end."""
    hold, script = study.home / "hold", study.home / "small.sh"
    hold.touch()
    waits = f"while [ -e {hold} ]; do sleep 0.05; done"
    script.write_text(script.read_text().replace("sleep 0.1", waits))
    return hold


def _leave_lock(study: Study, pid: int, host: str) -> Path:
    """The files that a killed command leaves on a file system without flock."""
    for directory in ("runs", "work", "jobs"):
        (study.directory / directory).mkdir(parents=True)
    held = study.directory / "lock.held"
    assert start_of(pid) != 1
    held.write_text(json.dumps({"pid": pid, "start": 1, "host": host}))
    return held
