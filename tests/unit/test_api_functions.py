"""The functions of `import waywiser`: their arguments, their page in the docs, and `profile`."""

from __future__ import annotations

import argparse
import doctest
import inspect
import re
import signal
from pathlib import Path
from typing import Any

import pytest

import waywiser as ww
from tests import synthetic
from tests.support import ROOT
from tests.synthetic_jobs import rounds
from waywiser.api import profile as profile_module
from waywiser.cli.main import module_of
from waywiser.measure import Outcome, TraceOptions

HOSTS = ["n0", "n0", "n1", "n1"]


NOT_IN_PYTHON = {
    "whatif": {"json", "study", "scheduler", "parts", "part"},
    "advise": {"json"},
    "place": {"json", "verify", "placement"},
    "compare": {"json"},
    "report": set(),
    "export": set(),
    "profile": set(),
}
"""Verb -> options that print, or that are functions of their own, or of a study."""

FUNCTIONS = {"report": "write_report"}
"""Verb -> the name of its function, where that is another one."""


@pytest.mark.parametrize("verb", NOT_IN_PYTHON)
def test_arguments_have_the_names_of_options(verb: str) -> None:
    """The option's name; with "_" behind it where it is a word of Python's."""
    parser = argparse.ArgumentParser()
    module_of(verb).add_arguments(parser)
    options = {
        next(name for name in action.option_strings if name.startswith("--")).strip("-")
        for action in parser._actions
        if action.option_strings and action.dest != "help" and action.help != argparse.SUPPRESS
    }
    function = getattr(ww, FUNCTIONS.get(verb, verb))
    taken = {name.rstrip("_").replace("_", "-") for name in inspect.signature(function).parameters}

    positional = {"output"} if verb == "report" else set()
    assert options - NOT_IN_PYTHON[verb] - positional <= taken
    assert NOT_IN_PYTHON[verb] <= options, "these are options no more"
    assert not NOT_IN_PYTHON[verb] & taken


def test_a_profile_asks_what_its_arguments_say(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def fake_run(*arguments: Any, **named: Any) -> Outcome:
        seen.append((arguments, named))
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return Outcome(0, synthetic.run(4), 4, directory / "run", False, (), False)

    monkeypatch.setattr(profile_module, "profile_program", fake_run)
    before = signal.getsignal(signal.SIGINT)

    run = ww.profile(
        *("mpirun", "-n", "2", Path("a.out")),
        output="run",
        trace=True,
        posix_io=True,
        trace_limit="2M",
        trace_window=(0.5, 1),
        copy_every=1,
        rerank="order",
    )

    assert run.directory == directory / "run"
    (call,) = seen
    assert call == (
        (["mpirun", "-n", "2", "a.out"], Path("run"), ["posix-io", "trace"], 1.0),
        {
            "bare": False,
            "trace": TraceOptions(2_000_000, None, (500_000_000, 1_000_000_000)),
            "rank_order": Path("order"),
            "rank_places": "",
            "clocks": None,
        },
    )
    assert signal.getsignal(signal.SIGINT) is before, "Ctrl-C ends Python as before"


def test_a_launcher_that_refuses_is_an_exception(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = Outcome(1, synthetic.run(4), 0, None, False, ("not enough slots",), False)
    monkeypatch.setattr(profile_module, "profile_program", lambda *_, **__: refused)

    with pytest.raises(ww.WaywiserError, match="not enough slots"):
        ww.profile("mpirun", "-n", "99", "a.out")


def test_the_page_of_the_docs_does_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each example of "Verbs as functions" prints what stands below it."""
    monkeypatch.chdir(tmp_path)
    rounds(HOSTS, [2, 2, 6, 2]).run(tmp_path / "RUN")
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    sentences: list[str] = []

    examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "python.md", None, 0)
    ended = doctest.DocTestRunner(verbose=False).run(examples, out=sentences.append)

    assert ended.failed == 0, "".join(sentences)
    assert ended.attempted > 10


def test_the_page_lists_each_function() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `waywiser ([\w -]+)` \| `ww\.(\w+)\(", page, re.MULTILINE)

    verbs = {(verb, FUNCTIONS.get(verb, verb)) for verb in NOT_IN_PYTHON}
    assert set(rows) == verbs | {("place --verify", "verify_placement")}
