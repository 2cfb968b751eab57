"""`waywiser sql`: many runs in one query."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import waywiser as ww
from tests.synthetic_jobs import ROUNDS, rounds
from tests.terminal import Terminal
from waywiser.api import sql as sql_module
from waywiser.api.sql import NAMES
from waywiser.cli.main import main


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs at different depths, of which the second waits longer and has no trace left."""
    root = tmp_path_factory.mktemp("runs")
    rounds(["n", "n"], [1, 2]).run(root / "a")
    second = rounds(["n", "n"], [1, 4]).run(root / "deep" / "b")
    (second / "trace" / "trace.ww").unlink()
    return root


def test_all_runs_of_a_directory_are_in_one_table(directory: Path) -> None:
    rows = list(ww.sql("SELECT run, ranks, wall_seconds FROM runs ORDER BY run;", directory))

    assert [Path(row["run"]) for row in rows] == [directory / "a", directory / "deep" / "b"]
    assert rows[1]["wall_seconds"] - rows[0]["wall_seconds"] == pytest.approx(ROUNDS * 2e-3)


@pytest.mark.parametrize("name", NAMES)
def test_each_table_has_the_rows_of_the_frames(directory: Path, name: str) -> None:
    run = ww.open(directory / "a")
    assert isinstance(run, ww.Run)
    rows = list(ww.sql(f"SELECT * FROM {name} -- all", directory / "a"))

    if name == "runs":
        assert len(rows) == 1
    else:
        frame = run.calls if name == "calls" else run.table(name)
        assert rows == [{"run": str(run.directory), **row} for row in frame]


def test_only_traced_runs_have_calls(directory: Path) -> None:
    (row,) = ww.sql("SELECT DISTINCT run FROM calls", directory)

    assert Path(row["run"]) == directory / "a"


def test_tables_are_joined_and_written(
    directory: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    query = "SELECT host, sum(seconds) AS s FROM waits JOIN ranks USING (run, rank) GROUP BY host"
    assert main(["sql", query, str(directory / "a"), "--to", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capfd.readouterr().out))
    assert row["host"] == "n"
    assert float(row["s"]) == pytest.approx(ROUNDS * 1e-3)

    file = tmp_path / "answer"
    assert main(["sql", query, str(directory / "a"), "-o", str(file)]) == 0
    assert file.read_text() == "host  s\nn     0.01\n"


def test_a_long_query_says_how_many_runs_are_read(
    directory: Path, terminal: Terminal, impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[ww.Run] = []

    def row(run: ww.Run) -> tuple[object, ...]:
        terminal.shows(f"reading runs: {len(read)} of 2, 1 s")
        read.append(run)
        return real(run)

    real = sql_module._row
    monkeypatch.setattr(sql_module, "_row", row)
    assert len(list(ww.sql("FROM runs", directory))) == 2
    assert len(read) == 2
