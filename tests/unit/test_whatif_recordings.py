"""`waywiser whatif RUN RUN …`: several recordings of a program, and intervals over them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.job import MS
from tests.support import assert_refuses, document, printed
from tests.synthetic_jobs import CALL_NS, ROUNDS, contend, rounds
from waywiser.cli.main import main

HOSTS = ("n0", "n0", "n1", "n1")
COMPUTATION_MS = (6.0, 5.0, 9.0, 6.5, 5.5, 7.0)
"""Computing time of the slowest rank in each round, by recording."""


def recorded_s(computation_ms: float) -> float:
    return (ROUNDS * (computation_ms * MS + CALL_NS) + CALL_NS) / 1e9


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for number, slowest in enumerate(COMPUTATION_MS):
        rounds(HOSTS, (2.0, 2.0, slowest, 2.0)).run(tmp_path / f"r{number}")
    return [f"r{number}" for number in range(len(COMPUTATION_MS))]


def answered(*words: str) -> Any:
    return document("whatif", *words)


def text(*words: str) -> str:
    return " ".join(printed("whatif", *words).split())


KEYS = ("predicted_seconds", "low_seconds", "high_seconds", "ratio", "low_ratio", "high_ratio")


def test_the_interval_of_few_recordings_spans_all_of_them(names: list[str]) -> None:
    alone = [answered(name, "--cpu", "2") for name in names[:3]]
    answer = answered(*names[:3], "--cpu", "2")

    each = [{key: single["predictions"][0][key] for key in KEYS} for single in alone]
    (together,) = answer["predictions"]
    assert together["predicted_seconds"] == each[0]["predicted_seconds"]  # of 6 ms, the median
    assert together["ratio"] == sorted(values["ratio"] for values in each)[1]
    for unit in ("seconds", "ratio"):
        assert together[f"low_{unit}"] == min(values[f"low_{unit}"] for values in each)
        assert together[f"high_{unit}"] == max(values[f"high_{unit}"] for values in each)
    assert answer["recorded_seconds"] == pytest.approx(recorded_s(6.0))
    assert answer["base"]["low_seconds"] == pytest.approx(recorded_s(5.0))
    assert answer["base"]["high_seconds"] == pytest.approx(recorded_s(9.0))
    assert [recording["run"] for recording in answer["recordings"]] == names[:3]
    assert [recording["recorded_seconds"] for recording in answer["recordings"]] == pytest.approx(
        [recorded_s(ms) for ms in COMPUTATION_MS[:3]]
    )
    assert any(
        "the intervals span 3 recordings; from 6 on" in remark for remark in answer["remarks"]
    )


def test_many_recordings_have_the_interval_of_their_median(
    names: list[str], tmp_path: Path
) -> None:
    """The interval at 95 % goes from the second smallest to the second largest of nine."""
    for number, slowest in enumerate((4.0, 8.0, 12.0), len(names)):
        rounds(HOSTS, (2.0, 2.0, slowest, 2.0)).run(tmp_path / f"r{number}")
        names.append(f"r{number}")

    answer = answered(*names, "--cpu", "2")

    assert answer["base"]["low_seconds"] == pytest.approx(recorded_s(5.0))
    assert answer["base"]["high_seconds"] == pytest.approx(recorded_s(9.0))
    sentence = "the intervals are those of the median over 9 recordings at 95 %"
    assert sentence in answer["remarks"]


def test_a_single_recording_says_what_its_interval_leaves_out(names: list[str]) -> None:
    sentence = "The intervals are of one recording, and leave out how much runs differ"

    alone = text(names[0], "--cpu", "2", "-o", "one.html")
    assert sentence in alone
    assert "Recorded 60.0 ms; the replay of the base takes" in alone
    assert sentence in " ".join(Path("one.html").read_text().split())
    assert sentence not in text(*names[:2], "--cpu", "2")


def test_the_terminal_and_the_page_say_how_often_it_was_recorded(names: list[str]) -> None:
    output = text(*names[:3], "--cpu", "2", "-o", "three.html")
    (prediction,) = answered(*names[:3], "--cpu", "2")["predictions"]

    assert "Recorded 3 times, 60.0 ms (50.0 ms to 90.0 ms); the replays of the base are" in output
    least, most = (100 * (prediction[f"{end}_ratio"] - 1) for end in ("low", "high"))
    assert f"(-50 %, {least:.0f} % to {most:.0f} %), not validated here" in output
    page = " ".join(Path("three.html").read_text().split())
    assert "The replays of the base are" in page
    assert page.count(": the run is predicted to take ") == 1
    assert "predicted to take" not in output
    assert "the intervals span 3 recordings" in page.lower()


def test_a_sweep_has_the_interval_of_the_recordings_at_each_point(names: list[str]) -> None:
    words = ("--sweep", "cpu=1,2", "-o", "sweep.html")
    alone = [answered(name, *words)["sweep"]["points"] for name in names[:3]]
    sweep_points = answered(*names[:3], *words)["sweep"]["points"]

    for number, point in enumerate(sweep_points):
        assert point["low_seconds"] == min(points[number]["low_seconds"] for points in alone)
        assert point["high_seconds"] == max(points[number]["high_seconds"] for points in alone)
    page = Path("sweep.html").read_text()
    assert "from 3 recordings of 4 ranks" in page
    assert "The replay of the run of" not in page


def test_a_sweep_of_one_recording_says_so(names: list[str]) -> None:
    text(names[0], "--sweep", "cpu=1,2", "-o", "sweep.html")

    page = Path("sweep.html").read_text()
    assert "from one recorded run of 4 ranks" in page
    assert "The replay of the run of 4 ranks takes" in page
    assert "its recorded time" in page
    assert "recordings of" not in page.replace("recordings of the program", "")
    assert "The replays of the base" not in page


def test_a_study_asks_all_recordings(names: list[str]) -> None:
    words = [*names[:2], "--sweep", "cpu=1,2", "--study", "sweep.toml"]

    assert main(["whatif", *words]) == 0

    assert "waywiser whatif r0 r1 " in Path("sweep.toml").read_text()


@pytest.mark.parametrize(
    ("hosts", "ending"),
    [
        (("n0", "n1"), "differ; to extrapolate them to N ranks, add --ranks N\n"),
        (("n0", "n1", "n2", "n3"), "differ\n"),
    ],
    ids=["ranks", "nodes"],
)
def test_other_programs_are_no_recordings_of_this_one(
    names: list[str], hosts: Sequence[str], ending: str
) -> None:
    rounds(hosts, (2.0,) * len(hosts)).run(Path("other"))

    words = ["whatif", "r0", "other", "--cpu", "2"]
    sentence = (
        "r0 and other are not recordings of one program: their ranks, nodes or MPI functions "
    )
    assert_refuses(words, sentence + ending)


def test_a_recording_counts_once(names: list[str], tmp_path: Path) -> None:
    again = f"{tmp_path}/r1"

    words = ["whatif", "r0", "r1", again, "--cpu", "2"]
    assert_refuses(words, f"{again}: given twice; each recording counts once")


def test_equal_errors_of_recordings_are_reported_once(names: list[str], tmp_path: Path) -> None:
    for name in ("same", "again"):
        rounds(HOSTS, (2.0, 2.0, 6.0, 2.0)).run(tmp_path / name)

    output = text("same", "again", "--cpu", "2")
    assert "the replays of the base are < 0.1 % against the recorded times" in output


def test_the_gate_names_the_recording_that_fails(names: list[str]) -> None:
    contend(Path("r1"))

    output = text("r0", "r1", "--cpu", "2")

    assert output.startswith(
        "Validity gate failed: 1 of 2 recordings (first: r1: other programs used 8.0 of the"
    )
