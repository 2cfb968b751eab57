"""A study of a shell script, which takes a moment for each run."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.forked import instead_of_starting
from tests.support import BIN, Waywiser, environment, executable, succeeded

PROGRAM = """\
#!/bin/sh
# Notes when it runs beside another one, works a moment, and prints its metric.
mkdir "$BUSY" 2>/dev/null || echo "$1" >>"$BUSY.twice"
sleep 0.1
rmdir "$BUSY" 2>/dev/null
echo "metric: $1"
exit $2
"""

STUDY = """\
title = "a small study"
mpi = ["mpich"]
profile = "never"

[application.small]
program = "./small.sh"
arguments = ["{value}", "{code}"]
environment = { BUSY = "{study}/busy" }
metrics.metric = { pattern = 'metric: (\\S+)', unit = "s", better = "lower" }

[axes]
value = VALUES
code = CODE

[repeats]
blocks = BLOCKS
"""


class Study:
    """A study of a shell script, in a directory of its own."""

    def __init__(self, directory: Path, values: list[Any], blocks: int = 2, code: int = 0) -> None:
        self.home = directory
        executable(directory / "small.sh", PROGRAM)
        self.file = directory / "small.toml"
        self.write(values, blocks, code)
        self.directory = directory / "small.study"

    def write(self, values: list[Any], blocks: int, code: int = 0) -> None:
        settings = {"VALUES": json.dumps(values), "CODE": str(code), "BLOCKS": str(blocks)}
        text = STUDY
        for name, setting in settings.items():
            text = text.replace(name, setting)
        self.file.write_text(text)

    def start(
        self, action: str = "run", env: Mapping[str, str] | None = None
    ) -> subprocess.Popen[str]:
        words, whole = ["study", action, str(self.file)], environment(env)
        return subprocess.Popen(
            [str(BIN / "waywiser"), *words],
            env=whole,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=instead_of_starting(words, whole),
        )

    def results(self) -> dict[str, dict[str, Any]]:
        """The result of every run that was not set aside, by its place."""
        files = sorted(self.directory.glob("runs/*/b???/run.json"))
        runs = {f"{file.parent.parent.name}/{file.parent.name}": file for file in files}
        return {place: json.loads(file.read_text())["result"] for place, file in runs.items()}

    def status(self, waywiser: Waywiser) -> dict[str, Any]:
        output = succeeded(waywiser.here("study", "status", str(self.file), "--json"))
        document: dict[str, Any] = json.loads(output.stdout)
        return document


def entries(directory: Path) -> dict[str, tuple[int, int, int]]:
    """Mode, size and time of every entry; a directory's time changes with the names in it."""
    by_path = {}
    for path in (directory, *sorted(directory.rglob("*"))):
        known = path.lstat()
        by_path[str(path.relative_to(directory))] = (
            known.st_mode,
            known.st_size,
            known.st_mtime_ns,
        )
    return by_path


def names(study: Study) -> set[str]:
    return {directory.name for directory in (study.directory / "runs").iterdir()}


def wait_for(study: Study, runs: int) -> None:
    """Waits until `runs` runs are done."""
    deadline = time.monotonic() + 200
    while sum(result is not None for result in study.results().values()) < runs:
        assert time.monotonic() < deadline, "the study does not get on"
        time.sleep(0.05)


def assert_never_two(study: Study) -> None:
    assert not (study.home / "busy.twice").exists(), "two runs were under way at once"
