"""A forked command ends, prints and finds its surroundings as one that is started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.forked import DRAWS, instead_of_starting
from tests.support import BIN, environment

NO_PROGRAM = "/nonexistent/waywiser"
"""Path in place of the command, so that a child that starts the command fails."""


@pytest.fixture(autouse=True)
def no_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests of this process may have drawn; no command here does."""
    monkeypatch.delitem(sys.modules, DRAWS, raising=False)


def forked(
    *words: str,
    env: Mapping[str, str] | None = None,
    at_the_end: Callable[[], object] | None = None,
    **options: Any,
) -> subprocess.CompletedProcess[str]:
    whole = environment() if env is None else env
    instead = instead_of_starting(words, whole, at_the_end)
    assert instead is not None
    return run([NO_PROGRAM, *words], env=whole, preexec_fn=instead, **options)


def run(argv: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.run(argv, text=True, check=False, timeout=60, **pipes)


@pytest.mark.parametrize(
    "words",
    [("--version",), (), ("nonsense",), ("show", "/nonexistent"), ("show", "--nonsense")],
    ids=" ".join,
)
def test_it_ends_and_prints_as_when_started(words: tuple[str, ...]) -> None:
    started = run([str(BIN / "waywiser"), *words], env=environment())

    ended = forked(*words)

    assert (ended.returncode, ended.stdout, ended.stderr) == (
        started.returncode,
        started.stdout,
        started.stderr,
    )


def test_output_that_nobody_takes_ends_it_as_when_started() -> None:
    words = ("completion", "bash")
    with open("/dev/full", "w") as full:
        started = run([str(BIN / "waywiser"), *words], env=environment(), stdout=full)
        ended = forked(*words, stdout=full)

    assert ended.returncode == started.returncode != 0
    assert ended.stderr == started.stderr


def test_an_error_of_ours_is_a_traceback_and_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> int:
        raise RuntimeError("planted")

    monkeypatch.setattr("tests.forked.main", fails)

    ended = forked("--version")

    assert ended.returncode == 1
    assert ended.stderr.endswith("RuntimeError: planted\n")


def test_it_has_the_environment_that_it_is_given_and_no_other_descriptors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The child does not inherit descriptors that the test's process lets its children have."""
    variables = environment({"GIVEN": "1"})
    monkeypatch.setenv("NOT_GIVEN", "1")
    file = tmp_path / "found.json"

    def note() -> None:
        held = {
            "environment": dict(os.environ),
            "words": sys.argv[1:],
            "descriptors": os.listdir("/proc/self/fd"),
            "temporary": tempfile.gettempdir(),
            "interrupt": signal.getsignal(signal.SIGINT) == signal.default_int_handler,
        }
        file.write_text(json.dumps(held), encoding="utf-8")

    held, write_end = os.pipe()
    try:
        os.set_inheritable(held, True)
        ended = forked("--version", env=variables, at_the_end=note, close_fds=False)
    finally:
        os.close(held)
        os.close(write_end)

    assert ended.returncode == 0
    noted = json.loads(file.read_text(encoding="utf-8"))
    assert noted["environment"] == variables
    assert "GIVEN" not in os.environ
    assert noted["words"] == ["--version"]
    # The directory's own descriptor is the last.
    assert sorted(noted["descriptors"]) == ["0", "1", "2", "3"]
    assert noted["temporary"] == environment()["TMPDIR"]


@pytest.mark.parametrize("name", ["LD_PRELOAD", "PYTHONPATH", "LC_ALL", "TZ"])
def test_what_is_read_at_the_start_needs_a_start(name: str) -> None:
    assert instead_of_starting(["--version"], environment({name: "/nonexistent"})) is None


def test_a_process_that_has_drawn_starts_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, DRAWS, ModuleType(DRAWS))

    assert instead_of_starting(["--version"], environment()) is None
