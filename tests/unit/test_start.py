"""Cost of starting the command, and its imports."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy
import pytest

from tests import synthetic
from tests.support import ROOT
from waywiser.cli.main import VERBS, main, module_of
from waywiser.native._native import write_profile
from waywiser.store.directory import RunDirectory

SCRIPT = """
import os
from waywiser.cli.main import module_of
module_of("report")
print(len(os.listdir("/proc/self/task")), os.environ.get("OPENBLAS_NUM_THREADS"))
"""

START = {"waywiser", "waywiser.cli", "waywiser.errors"}
"""Modules of Waywiser that every command imports, beside the module that is run."""

SLOW = {
    *("altair", "asyncio", "duckdb", "elftools", "jinja2", "numpy", "pydantic", "typst"),
    *("vl_convert", "importlib.metadata"),
}
"""Each of these takes longer to import than Python takes to start."""


@pytest.mark.parametrize(("requested", "threads"), [(None, 1), ("3", 3)])
def test_no_threads_are_started_that_nobody_requested(requested: str | None, threads: int) -> None:
    """A program that is started gets the environment as it was."""
    kept = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    environment = kept | ({} if requested is None else {"OPENBLAS_NUM_THREADS": requested})

    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True, env=environment
    )

    assert run.stdout.split() == [str(min(threads, os.cpu_count() or 1)), str(requested)]


def imported_for(*verbs: str) -> set[str]:
    """The modules that are there before one of these verbs does anything."""
    script = (
        "import sys; from waywiser.cli.main import module_of; [*map(module_of, sys.argv[1:])]; "
        "print(*sys.modules)"
    )
    command = [sys.executable, "-c", script, *verbs]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


def test_starting_a_program_waits_for_no_numbers_and_no_batch_system() -> None:
    """NumPy takes a quarter of the time in which `profile` starts, the schedulers as much."""
    modules = imported_for("profile")

    assert "waywiser.measure.profiled" in modules
    assert modules & (SLOW - {"elftools", "pydantic"}) == set()
    assert "waywiser.launch.batch" not in modules


def test_what_draws_is_imported_where_something_is_drawn() -> None:
    """Altair takes as long to import as most verbs take to answer."""
    modules = imported_for(*sorted({*VERBS} - {"report"}))

    assert {f"waywiser.cli.{verb}" for verb in ("show", "study", "whatif")} <= modules
    assert modules & {"altair", "jinja2", "typst", "vl_convert"} == set()
    assert imported_for("report") & {"altair", "jinja2"}, "the check sees none of them"


@pytest.mark.parametrize(("words", "frozen"), [("", True), ("sys.argv[1:]", False)])
def test_the_command_leaves_its_modules_to_no_collector(words: str, frozen: bool) -> None:
    """A program that calls `main` may collect what it likes."""
    script = (
        "import gc, sys; from waywiser.cli.main import main; "
        f"main({words}); print(gc.get_freeze_count() > 1000)"
    )
    command = [sys.executable, "-c", script, "machine", "list"]

    run = subprocess.run(command, check=True, capture_output=True, text=True)

    assert run.stdout.split()[-1] == str(frozen)


def imported_by(*words: str | Path) -> tuple[str, set[str]]:
    """A command's output, and the modules that it imports."""
    command = [sys.executable, "-X", "importtime", "-m", "waywiser.cli.main", *map(str, words)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return run.stdout, set(re.findall(r"^import time:.*\| +(\S+)$", run.stderr, re.MULTILINE))


@pytest.mark.parametrize(
    ("option", "says", "modules"),
    [("--help", "usage: waywiser", START), ("--version", ".", {*START, "waywiser.cli.version"})],
)
def test_help_and_version_import_no_verb(option: str, says: str, modules: set[str]) -> None:
    output, imported = imported_by(option)

    assert says in output
    assert {name for name in imported if name.split(".")[0] == "waywiser"} == modules
    assert imported & SLOW == set()


def test_a_small_run_is_shown_without_what_draws_and_computes(tmp_path: Path) -> None:
    """pydantic reads run.json, and imports importlib.metadata."""
    RunDirectory(tmp_path).write_run(synthetic.run(4))
    write_profile(synthetic.large_profile(4), str(tmp_path / "profile.ww"))

    output, imported = imported_by("show", tmp_path)

    assert "heaviest pairs: " in output
    assert "waywiser.report.run.terminal" in imported
    assert imported & SLOW == {"pydantic", "importlib.metadata"}
    others = {f"waywiser.cli.{verb}" for verb in VERBS} - {"waywiser.cli.show"}
    assert imported & others == set()


@pytest.mark.parametrize("verb", ["show", "report"])
def test_a_profile_needs_nothing_that_the_demonstration_does_not_build(
    tmp_path: Path, verb: str
) -> None:
    RunDirectory(tmp_path).write_run(synthetic.run(4))
    write_profile(synthetic.large_profile(4), str(tmp_path / "profile.ww"))

    _, imported = imported_by(verb, tmp_path)

    assert "waywiser.native._native" in imported
    assert "waywiser.native._analysis" not in imported


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    version, core, libraries = imported_by("--version")[0].splitlines()

    assert version == f"waywiser {project['version']}"
    assert re.fullmatch(r"core built with \S+ [\d.]+ for \w+, Release", core)
    assert re.findall(r"[:,] ([\w-]+) \d", libraries) == [
        re.split(r"\W*>=", requirement)[0] for requirement in project["dependencies"]
    ]
    assert f"numpy {numpy.__version__}," in libraries


def test_the_help_lists_each_verb_that_has_a_module(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])

    assert ended.value.code == 0
    output = " ".join(capsys.readouterr().out.split())
    for verb, line in VERBS.items():
        assert f" {verb} {line} " in output
    files = (ROOT / "src" / "waywiser" / "cli").glob("*.py")
    modules = {
        file.stem for file in files if "\ndef add_arguments(" in file.read_text(encoding="utf-8")
    }
    assert {module_of(verb).__name__ for verb in VERBS} == {f"waywiser.cli.{m}" for m in modules}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_has_its_own_help(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([verb, "--help"])

    assert ended.value.code == 0
    usage, _, rest = capsys.readouterr().out.partition("\n\n")
    assert usage.startswith(f"usage: waywiser {verb} ")
    assert rest


@pytest.mark.parametrize("words", [["xyzzy"], ["--json", "show", "RUN"]])
def test_a_word_that_is_no_verb_is_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)

    assert ended.value.code == 2
    output = capsys.readouterr().err
    assert output.startswith("waywiser: ")
    assert output.endswith("; `waywiser --help` lists what there is\n")
