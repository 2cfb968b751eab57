"""`-o -` is standard output: it gets what the file would have, and nothing else."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.machine_files import machine_file
from tests.mpibench_lines import loggp_lines, written
from tests.support import ROOT, exit_code_of
from tests.synthetic_jobs import rounds
from waywiser.cli.main import main, whole_parser

ACCOUNTS = ROOT / "tests" / "golden" / "accounts" / "sacct.txt"

WRITTEN = [
    ("advise", "advise run", ".html"),
    ("whatif", "whatif run --cpu 2", ".html"),
    ("report", "report run", ".html"),
    ("export", "export run --to json", ".json"),
    ("export", "export run --to csv", ".csv"),
    ("export", "export run --to perfetto", ".pftrace"),
    ("export", "export run --to parquet --table ranks", ".parquet"),
    ("sql", "sql 'SELECT rank, host FROM ranks' run", ".txt"),
    ("machine show", "machine show rig-6", ".svg"),
    ("machine import", "machine import topology.conf --from slurm", ".toml"),
    ("machine calibrate", "machine calibrate old.toml measured.json", ".toml"),
    ("machine places", "machine places rig-6", ".places"),
    ("machine usage", f"machine usage {ACCOUNTS}", ".html"),
]
"""Verb, its words, and the suffix of its file."""

REFUSED = [
    ("profile", "profile", "-- true"),
    ("place", "place run --on rig-3 --for openmpi", ""),
    ("export", "export run --to otf2", ""),
    ("import", "import traces.otf2 --from otf2", ""),
    *(
        (f"study {action}", f"study {action} a.toml", "")
        for action in ("check", "run", "resume", "submit", "collect", "status", "report")
    ),
    ("tune", "tune", "-- mpirun -n 2"),
    ("build", "build ww-minife", ""),
    ("mesh tpv5", "mesh tpv5", ""),
    ("mesh tpv33", "mesh tpv33", ""),
    ("mesh import", "mesh import a.puml", ""),
]
"""Verbs that write directories, several files, or a file with an index: words before and after."""

ELSEWHERE = {
    "machine validate": "measures for minutes; tests/system/test_machine_validate.py",
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("made")
    rounds(["n0", "n1"], [1, 3]).run(directory / "run")
    (directory / "old.toml").write_text(machine_file(2), encoding="utf-8")
    (directory / "topology.conf").write_text("SwitchName=s0 Nodes=n[0-1]\n", encoding="utf-8")
    written(directory / "measured.json", loggp_lines())
    return directory


@pytest.mark.parametrize(("words", "suffix"), [row[1:] for row in WRITTEN])
def test_standard_output_gets_what_the_file_has(
    inputs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
    words: str,
    suffix: str,
) -> None:
    monkeypatch.chdir(inputs)
    monkeypatch.setattr("waywiser.api.write_report.page", lambda *_: "<p>größe</p>\n")  # takes 3 s
    file = tmp_path / f"file{suffix}"
    assert main([*shlex.split(words), "-o", str(file)]) == 0
    capfdbinary.readouterr()

    assert main([*shlex.split(words), "-o", "-"]) == 0

    assert capfdbinary.readouterr().out == file.read_bytes()
    assert not (inputs / "-").exists()


@pytest.mark.parametrize(("words", "rest"), [row[1:] for row in REFUSED])
def test_what_is_no_stream_is_refused(
    inputs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
    rest: str,
) -> None:
    monkeypatch.chdir(inputs)

    code = exit_code_of([*shlex.split(words), "-o", "-", *rest.split()])

    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert "name" in err
    assert not (inputs / "-").exists()


def with_output(parser: argparse.ArgumentParser, name: str = "") -> Iterator[str]:
    """Verbs, with their actions, that have an option -o."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb, subparser in action.choices.items():
                yield from with_output(subparser, f"{name} {verb}".strip())
        elif "-o" in action.option_strings:
            yield name


def test_each_verb_with_an_output_is_in_a_table() -> None:
    tabled = {row[0] for row in (*WRITTEN, *REFUSED)} | set(ELSEWHERE)

    assert set(with_output(whole_parser())) == tabled
