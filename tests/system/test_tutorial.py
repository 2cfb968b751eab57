"""Pages with commands: each is run, in one shell a page, and prints what the page shows."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import ROOT, cases, environment

MARK = "== end of command"


@dataclass(frozen=True)
class Step:
    command: str
    prints: tuple[str, ...]


def steps(name: str, language: str = "console") -> list[Step]:
    """The page's blocks of a language: a line that begins with `$ `, what the shell wants more of
    it (`> `), and the output under it."""
    return steps_of((ROOT / "docs" / name).read_text(encoding="utf-8"), language)


def steps_of(text: str, language: str = "console") -> list[Step]:
    """Steps in a page's text or a part of it."""
    parsed: list[Step] = []
    for block in re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.rstrip("\n").split("\n")
            more = [line[2:] for line in lines[1:] if line.startswith("> ")]
            parsed.append(Step("\n".join([lines[0], *more]), tuple(lines[1 + len(more) :])))
    return parsed


def run_all(commands: list[Step]) -> list[tuple[str, int]]:
    """Runs the commands in one shell, since they change directory and PATH."""
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


def check_page(name: str, at_least: int, changes: Mapping[str, str] | None = None) -> None:
    """Runs a page's commands, with parts of commands and outputs replaced; each has to be there."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    for old, new in (changes or {}).items():
        assert old in text, f"{name} has no {old}"
        text = text.replace(old, new)
    commands = steps_of(text)
    assert len(commands) >= at_least
    check_steps(commands)


def check_steps(commands: list[Step]) -> None:
    results = run_all(commands)
    assert len(results) == len(commands)
    for step, (output, code) in zip(commands, results, strict=True):
        assert code == 0, f"$ {step.command}\n{output}"
        for line in step.prints:
            assert any(shown.startswith(line) for shown in output.splitlines()), (
                f"$ {step.command}\n{output}"
            )


SHORTER = {
    "$ make setup\n": "",  # `make test` begins with it
    "$ mpicc": "$ mpicc -DITERATIONS=500",
    "after 1500 iterations: 2.872593e-02": "after 500 iterations: 6.637300e-02",
    "3000 calls 24000 bytes": "1000 calls 8000 bytes",
}


@pytest.mark.parametrize("smaller", cases([SHORTER], long=[{}]), ids=["shorter", "all"])
def test_every_command_of_the_tutorial_works_and_prints_what_the_page_shows(
    smaller: Mapping[str, str],
) -> None:
    directory = ROOT / "build" / "tutorial"
    shutil.rmtree(directory, ignore_errors=True)
    check_page("tutorial.md", at_least=15, changes=smaller)
    assert finding(directory, "first") > finding(directory, "even")


ONE_BLOCK = {
    "> blocks = 6\n": "> blocks = 1\n",
    **{"x 6 blocks and": "x 1 block and", ": 28 runs": ": 8 runs", "28 of 28": "8 of 8"},
}


@pytest.mark.parametrize("smaller", cases([ONE_BLOCK], long=[{}]), ids=["one block", "all"])
def test_every_command_on_studies_works_and_prints_what_the_page_shows(
    smaller: Mapping[str, str],
) -> None:
    directory = ROOT / "build" / "studies"
    shutil.rmtree(directory, ignore_errors=True)
    check_page("studies.md", at_least=8, changes=smaller)
    findings = json.loads((directory / "findings.json").read_text(encoding="utf-8"))
    assert {comparison["axis"] for comparison in findings["comparisons"]} == {"mpi"}
    assert (directory / "report.pdf").stat().st_size > 0


def finding(directory: Path, run: str) -> float:
    """The tutorial's claim is about who waits: difference of the ranks' time in MPI [s]."""
    from waywiser.store.read import read_run

    first, second = read_run(directory / run)[1].mpi_seconds
    return abs(first - second)
