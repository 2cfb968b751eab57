"""The tutorial: every command on the page is run, in one shell, and prints what the page shows."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.support import ROOT, environment

MARK = "== end of command"


@dataclass(frozen=True)
class Step:
    command: str
    prints: tuple[str, ...]


def steps() -> list[Step]:
    """The page's console blocks: a line that begins with `$ ` and the output under it."""
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    found: list[Step] = []
    for block in re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *prints = part.rstrip("\n").split("\n")
            found.append(Step(command, tuple(prints)))
    return found


def run_all(commands: list[Step]) -> list[tuple[str, int]]:
    """Runs the commands in one shell, since they change folder and PATH; output and exit codes."""
    script = "".join(f"{step.command}\necho; echo '{MARK}' $?\n" for step in commands)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=True,
    )
    parts = re.split(rf"^{MARK} (\d+)\n", done.stdout, flags=re.MULTILINE)
    return [(parts[i], int(parts[i + 1])) for i in range(0, len(parts) - 1, 2)]


def test_every_command_of_the_tutorial_works_and_prints_what_the_page_shows() -> None:
    commands = steps()
    folder = ROOT / "build" / "tutorial"
    shutil.rmtree(folder, ignore_errors=True)

    results = run_all(commands)

    assert len(commands) >= 15
    assert len(results) == len(commands)
    for step, (output, code) in zip(commands, results, strict=True):
        assert code == 0, f"$ {step.command}\n{output}"
        for line in step.prints:
            assert line in output.splitlines(), f"$ {step.command}\n{output}"
    assert finding(folder, "first") > finding(folder, "even")


def finding(folder: Path, run: str) -> float:
    """The tutorial's claim is about who waits: difference of the ranks' time in MPI [s]."""
    from waywiser.store import read_run

    first, second = read_run(folder / run)[1].mpi_seconds
    return abs(first - second)
