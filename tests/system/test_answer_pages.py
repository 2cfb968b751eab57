"""The commands of README.md and of the pages on advice, what-if and extrapolation print what these
show, but for metrics."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.support import ROOT, cases
from tests.system.test_tutorial import Step, run_all, steps
from waywiser.cli.refusals import REFUSED

METRIC = re.compile(r"(?:[-+±]\s*)?(?:< )?\d[\d,.]*(?: (?:ns|µs|ms|s|min|%|B|kB|MB|GB)\b|\s*%)?")


def figureless(line: str) -> str:
    """The line without its metrics, and with single spaces; an error that is too small is not
    told, so that one metric counts as several."""
    return re.sub(r"#( #)+", "#", re.sub(r"\s+", " ", METRIC.sub("#", line))).strip()


pytestmark = pytest.mark.alone("beside other work the gate speaks, not the pages' lines")

TRIES = 2
"""Runs of a page until the machine is free; then what the gate lets through is compared."""

GATE = ("Validity gate failed:", "No prediction:")


COMPILED = "mpicc -O2 -g "


def answered(
    directory: str, pages: Mapping[str, int], tries: int, options: str
) -> list[tuple[Step, str, int]]:
    """Commands, outputs and exit codes of pages that work in this directory.

    Args:
        pages: with how many commands each has at least.
        tries: runs of the pages until the machine is free.
        options: of the compiler, besides.
    """
    for left in reversed(range(tries)):
        shutil.rmtree(ROOT / "build" / directory, ignore_errors=True)
        answers: list[tuple[Step, str, int]] = []
        for name, at_least in pages.items():
            commands = [
                replace(step, command=step.command.replace(COMPILED, COMPILED + options))
                for step in steps(name)
            ]
            results = run_all(commands)
            assert len(results) == len(commands) >= at_least
            answers += [(step, *result) for step, result in zip(commands, results, strict=True)]
            if left and any(map(gated, answers)):
                break  # the pages that follow look at the same run
        else:
            break
    return answers


def gated(answer: tuple[Step, str, int]) -> bool:
    return any(sentence in answer[1] for sentence in GATE)


def check_answers(
    directory: str, pages: Mapping[str, int], tries: int = TRIES, options: str = ""
) -> bool:
    """True if the machine was free."""
    answers = answered(directory, pages, tries, options)
    free = not any(map(gated, answers))
    for step, output, code in answers:
        assert code == 0 or (code == REFUSED and not free), f"$ {step.command}\n{output}"
        printed = {figureless(line) for line in output.splitlines()}
        if gated((step, output, code)) or (not free and step.command.startswith("python3")):
            continue  # the latter print what is in documents, of which some may be the gate's
        for line in step.prints:
            assert figureless(line) in printed, f"$ {step.command}\n{line}\n{output}"
    return free


@pytest.mark.parametrize("iterations", cases([500], long=[1500]))
def test_every_command_of_both_pages_works_and_prints_what_they_show(iterations: int) -> None:
    fewer = f"-DITERATIONS={iterations} "
    if not check_answers("advice", {"advice.md": 7, "whatif.md": 7}, options=fewer):
        return
    directory = ROOT / "build" / "advice"
    assert "<svg" in (directory / "latency.svg").read_text(encoding="utf-8")
    assert len((directory / "bandwidth.jsonl").read_text(encoding="utf-8").splitlines()) == 3


def test_every_command_on_extrapolation_works_and_prints_what_the_page_shows() -> None:
    """The page's runs of 16 ranks want as many CPUs: on fewer, the gate speaks at every try."""
    tries = TRIES if len(os.sched_getaffinity(0)) >= 16 else 1
    if check_answers("extrapolation", {"extrapolation.md": 9}, tries):
        drawn = ROOT / "build" / "extrapolation" / "gain.svg"
        assert "Gain" in drawn.read_text(encoding="utf-8")


def test_every_command_of_the_readme_works_and_prints_what_it_shows() -> None:
    check_answers("uneven", {"../README.md": 5})
