"""The commands of docs/advice.md and docs/whatif.md print what the pages show, but for figures."""

from __future__ import annotations

import re
import shutil

from tests.support import ROOT
from tests.system.test_tutorial import run_all, steps

FIGURE = re.compile(r"(?:[-+±]\s*)?(?:< )?\d[\d,.]*(?: (?:ns|µs|ms|s|min|%|B|kB|MB|GB)\b|\s*%)?")


def figureless(line: str) -> str:
    """The line without its figures, and with single spaces."""
    return re.sub(r"\s+", " ", FIGURE.sub("#", line)).strip()


def check_answers(name: str, at_least: int) -> None:
    commands = steps(name)
    results = run_all(commands)
    assert len(results) == len(commands) >= at_least
    for step, (output, code) in zip(commands, results, strict=True):
        assert code == 0, f"$ {step.command}\n{output}"
        printed = {figureless(line) for line in output.splitlines()}
        for line in step.prints:
            assert figureless(line) in printed, f"$ {step.command}\n{line}\n{output}"


def test_every_command_of_both_pages_works_and_prints_what_they_show() -> None:
    shutil.rmtree(ROOT / "build" / "advice", ignore_errors=True)
    check_answers("advice.md", 7)
    check_answers("whatif.md", 7)

    folder = ROOT / "build" / "advice"
    assert "<svg" in (folder / "latency.svg").read_text(encoding="utf-8")
    assert len((folder / "bandwidth.jsonl").read_text(encoding="utf-8").splitlines()) == 3


def test_every_command_on_extrapolation_works_and_prints_what_the_page_shows() -> None:
    shutil.rmtree(ROOT / "build" / "extrapolation", ignore_errors=True)
    check_answers("extrapolation.md", 9)

    assert "Gain" in (ROOT / "build" / "extrapolation" / "gain.svg").read_text(encoding="utf-8")
