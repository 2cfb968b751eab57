"""`waywiser export` of traces: tables, windows, and what it says about mistakes."""

from __future__ import annotations

import csv
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.synthetic_jobs import mixed
from waywiser.cli.main import main
from waywiser.store.trace_export import FORMATS

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def run(tmp_path: Path) -> Path:
    mixed().write(tmp_path / "run" / "trace" / "trace.ww")
    return tmp_path / "run"


def exported(run: Path, form: str, *options: str) -> Path:
    output = run.parent / f"calls.{form}"
    assert main(["export", str(run), "--to", form, "-o", str(output), *options]) == 0
    return output


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def queried(text: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Names and rows of a table."""
    with duckdb.connect() as database:
        result = database.execute(text)
        return [column[0] for column in result.description or ()], result.fetchall()


def test_csv_has_a_row_for_each_call(run: Path) -> None:
    rows = table(exported(run, "csv"))

    assert len(rows) == 24
    assert [row["rank"] for row in rows] == ["0"] * 8 + ["1"] * 10 + ["2"] * 6
    (polls,) = (row for row in rows if row["function"] == "MPI_Test")
    assert (polls["polls"], polls["polling_ns"], polls["found"]) == ("9", "90", "false")
    assert polls["site"] == 'solve, "fast" at cg.c:131'
    (received,) = (row for row in rows if row["function"] == "MPI_Recv")
    assert [received[name] for name in ("source", "matched_source", "matched_tag", "peer")] == [
        *("-2", "2", "9", "")
    ]


def test_parquet_has_the_rows_of_csv(run: Path) -> None:
    rows = table(exported(run, "csv"))
    columns, stored = queried(f"SELECT * FROM '{exported(run, 'parquet')}'")

    assert columns == list(rows[0])
    texts = [["" if value is None else str(value) for value in row] for row in stored]
    words = {"true": "True", "false": "False"}
    assert texts == [[words.get(value, value) for value in row.values()] for row in rows]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_window_has_the_calls_that_it_touches(run: Path, form: str) -> None:
    output = exported(run, form, "--window", "0.00000235:0.0000025")

    _, functions = queried(f"SELECT function FROM '{output}' ORDER BY rank")
    assert functions == [("MPI_Waitall",), ("MPI_Wait",)]


@pytest.mark.parametrize("form", [name for name in FORMATS if name != "otf2"])
def test_every_format_writes_what_it_is_requested(run: Path, form: str) -> None:
    output = run.parent / ("calls.prv" if form == "paraver" else "calls")

    assert main(["export", str(run), "--to", form, "-o", str(output)]) == 0

    assert output.stat().st_size > 0


@pytest.mark.parametrize("form", ["csv", "parquet", "perfetto", "goal", "simgrid-ti"])
def test_what_cannot_be_written_is_named(
    run: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    output = run.parent / "absent" / "calls"
    if form == "simgrid-ti":  # it makes directories
        output.parent.write_text("")

    assert main(["export", str(run), "--to", form, "-o", str(output)]) == 1

    error = capsys.readouterr().err
    assert str(output) in error
    assert "cannot be" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("form", ["csv", "perfetto", "goal"])
def test_a_file_is_replaced_whole(run: Path, form: str) -> None:
    """The previous output is another file, which its other name still has."""
    output, link = run.parent / f"calls.{form}", run.parent / "other"
    output.write_text("old")
    os.link(output, link)

    assert exported(run, form).stat().st_size > 3

    assert link.read_text() == "old"
    assert {path.name for path in run.parent.iterdir()} == {"run", output.name, "other"}


def test_a_pipe_takes_the_rows_as_they_come(run: Path) -> None:
    whole = exported(run, "csv").read_text()
    pipe = run.parent / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_text)
        assert main(["export", str(run), "--to", "csv", "-o", str(pipe)]) == 0
        assert read.result(60) == whole


def test_the_reference_says_what_each_format_keeps_and_loses() -> None:
    text = (ROOT / "docs" / "reference" / "exports.md").read_text()

    for name, form in FORMATS.items():
        assert f"| `{name}` | {form.file} | {form.keeps} | {form.loses} |" in text
