"""`waywiser export --table`: tables of a profile as files; and `-o -`, standard output."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import waywiser as ww
from tests.synthetic_jobs import rounds
from waywiser.api.frame import FORMATS as FILES
from waywiser.api.tables import TABLES
from waywiser.cli.main import main
from waywiser.store.trace_export import FORMATS, SEVERAL_FILES

STREAMED = [name for name in FORMATS if name not in SEVERAL_FILES]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rounds(["a", "b"], [1, 3]).run(tmp_path_factory.mktemp("made") / "run")


def frame_of(run: Path, table: str) -> ww.Frame:
    opened = ww.open(run)
    assert isinstance(opened, ww.Run)
    return opened.table(table)


@pytest.mark.parametrize("table", TABLES)
def test_a_table_is_written_as_the_frame_has_it(run: Path, table: str, tmp_path: Path) -> None:
    frame = frame_of(run, table)
    files = {form: tmp_path / f"table.{form}" for form in FILES}
    for form, file in files.items():
        assert main(["export", str(run), "--to", form, "--table", table, "-o", str(file)]) == 0

    with duckdb.connect() as database:
        stored = database.execute(f"SELECT * FROM '{files['parquet']}'")
        assert [column[0] for column in stored.description or ()] == list(frame.columns)
        assert stored.fetchall() == [tuple(row.values()) for row in frame]
    text = files["csv"].read_text()
    assert text.splitlines()[0] == ",".join(frame.columns)
    assert len(list(csv.DictReader(io.StringIO(text)))) == len(list(frame))


def test_a_table_may_go_to_standard_output(
    run: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["export", str(run), "--to", "csv", "--table", "ranks", "-o", "-"]) == 0

    out, err = capfdbinary.readouterr()
    assert [row["host"] for row in csv.DictReader(io.StringIO(out.decode()))] == ["a", "b"]
    assert err == b""


def test_calls_are_a_table_of_that_name(run: Path, tmp_path: Path) -> None:
    for name, options in (("a", []), ("b", ["--table", "calls"])):
        words = ["export", str(run), "--to", "csv", "-o", str(tmp_path / name), *options]
        assert main(words) == 0

    assert (tmp_path / "a").read_text() == (tmp_path / "b").read_text()


@pytest.mark.parametrize("form", STREAMED)
def test_a_trace_may_go_to_standard_output(run: Path, form: str, tmp_path: Path) -> None:
    """Appended to what is there, as a shell's >> has it."""
    file, output = tmp_path / "file", tmp_path / "output"
    assert main(["export", str(run), "--to", form, "-o", str(file)]) == 0
    output.write_bytes(b"before\n")

    with output.open("ab") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "waywiser.cli.main", "export", run, "--to", form, "-o", "-"],
            stdout=stdout,
            stderr=subprocess.PIPE,
            check=True,
        )

    assert done.stderr == b""
    assert output.read_bytes() == b"before\n" + file.read_bytes()


def test_who_reads_no_further_is_no_failure(run: Path) -> None:
    words = ["export", str(run), "--to", "csv", "-o", "-"]
    command = [sys.executable, "-m", "waywiser.cli.main", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()

    assert process.wait(60) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


def test_the_document_may_go_there_too(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = []
    for options in ([], ["-o", "-"]):
        assert main(["export", str(run), "--to", "json", *options]) == 0
        written.append(json.loads(capsys.readouterr().out))

    assert written[0] == written[1]


def test_a_page_and_an_image_have_no_sentence_in_them(
    run: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    assert main(["advise", str(run), "-o", str(page)]) == 0
    text = capfd.readouterr().out
    assert main(["advise", str(run), "-o", "-"]) == 0
    out, err = capfd.readouterr()
    assert out == page.read_text(encoding="utf-8")
    assert err == text

    assert main(["machine", "show", "rig-6", "-o", "-"]) == 0
    out, err = capfd.readouterr()
    assert out.startswith("<svg")
    assert err == ""
