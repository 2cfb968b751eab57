"""`waywiser report`: where the page goes, and what is said when it cannot go there."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from tests import synthetic, synthetic_pages
from tests.synthetic_jobs import rounds
from waywiser.api import write_report
from waywiser.cli import report as report_verb
from waywiser.errors import InvalidCommand, NotSaved
from waywiser.model.trace import Trace
from waywiser.store.advice import read_advice
from waywiser.store.directory import RunDirectory
from waywiser.units import bytes_text


@pytest.fixture
def _read_run(monkeypatch: pytest.MonkeyPatch) -> None:
    read = (synthetic.run(1), synthetic.summary(1))
    monkeypatch.setattr("waywiser.api.write_report.read_gated", lambda directory, window: read)


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    report_verb.add_arguments(parser)
    return parser.parse_args(arguments)


@pytest.mark.usefixtures("_read_run")
def test_the_verb_writes_into_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report_verb.run(parse(str(tmp_path))) == 0

    written = tmp_path / "report.html"
    html = written.read_bytes()
    assert html.startswith(b"<!DOCTYPE html>")
    assert capsys.readouterr().out == f"wrote {written} ({bytes_text(len(html))})\n"


@pytest.mark.usefixtures("_read_run")
def test_a_dash_is_standard_output(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert report_verb.run(parse("run", "-o", "-", "--plots", "f")) == 0

    out, err = capfdbinary.readouterr()
    assert out.decode() == synthetic_pages.of(1)
    assert err == b"wrote 9 plots in f\n"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


@pytest.mark.usefixtures("_read_run")
@pytest.mark.parametrize(
    ("place", "reason"),
    [("no/such/r.html", "No such file or directory"), ("", "Is a directory")],
)
def test_a_page_without_a_place_is_a_mistake(tmp_path: Path, place: str, reason: str) -> None:
    output = tmp_path / place

    with pytest.raises(InvalidCommand) as raised:
        report_verb.run(parse(str(tmp_path), "-o", str(output)))

    assert str(raised.value) == (
        f"-o {output}: {reason}; nothing was written; "
        "give a file in an existing directory that you may write to, with -o FILE"
    )


@pytest.mark.usefixtures("_read_run")
def test_plots_without_a_place_are_a_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = tmp_path / "file"
    taken.touch()

    with pytest.raises(InvalidCommand) as raised:
        report_verb.run(parse(str(tmp_path), "--plots", str(taken)))

    assert str(raised.value) == (
        f"--plots {taken}: File exists; the page was written; "
        "give a directory that you may write to, or a new name"
    )
    assert capsys.readouterr().out.startswith("wrote ")
    assert (tmp_path / "report.html").exists()


@pytest.mark.usefixtures("_read_run")
def test_a_full_disk_is_no_mistake(tmp_path: Path) -> None:
    with pytest.raises(NotSaved, match=r"No space left on device; nothing was written$"):
        report_verb.run(parse(str(tmp_path), "-o", "/dev/full"))


def test_the_report_of_a_traced_run_asks_for_its_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = rounds(["n0", "n0", "n1", "n1"], [2, 2, 6, 2]).run(tmp_path / "run")
    files = RunDirectory(run)
    trace = Trace(calls=52, bytes=files.trace.stat().st_size)
    files.write_run(synthetic.run(4).replace(trace=trace))

    monkeypatch.setattr(write_report, "MOST_ADVISED_CALLS", 40)
    assert report_verb.run(parse(str(run))) == 0
    html = (run / "report.html").read_text(encoding="utf-8")
    assert '<section id="opportunities">' not in html
    assert "<code>waywiser advise</code> adds serialisation and transfer." in html

    monkeypatch.undo()
    assert report_verb.run(parse(str(run))) == 0
    html = (run / "report.html").read_text(encoding="utf-8")
    assert '<section id="opportunities">' in html
    assert '<th scope="row" class="depth2">Serialisation</th>' in html
    assert read_advice(run) is not None, "the next report need not ask again"
