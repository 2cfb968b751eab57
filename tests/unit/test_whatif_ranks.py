"""`waywiser whatif --ranks` on runs that were never made."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import regular_programs as programs
from tests.machine_files import machine_file
from tests.support import assert_refuses, document, printed, printed_refusal
from tests.synthetic_jobs import contend

RUNS = (4, 8, 16)
NAMES = tuple(f"run{ranks}" for ranks in RUNS)
MACHINE = machine_file(
    1 << 20,
    node="memory_bandwidth_GBps = 100.0",
    link=2.0,
    network="loggp = [{ latency_us = 1.0, overhead_us = 0.1, gap_us = 0.05, "
    "bandwidth_GBps = 2.0 }]",
)


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs of the ring, one rank on each node."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "paper.toml").write_text(MACHINE, encoding="utf-8")
    for ranks, name in zip(RUNS, NAMES, strict=True):
        hosts = [f"n{rank}" for rank in range(ranks)]
        programs.job(programs.ring, ranks, hosts).run(tmp_path / name)
    return tmp_path


def query(*words: str) -> Any:
    return document("whatif", *NAMES, "--from", "paper.toml", *words, schema="whatif")


def ring_seconds(ranks: int, latency_ns: float = 1000.0) -> float:
    """Time of 5 iterations without MPI_Finalize; each doubling of ranks adds a message of 8 B."""
    exchange = 100 + max(1000, latency_ns + 0.5 * 800) + 100
    rounds = (ranks.bit_length() - 1) * (latency_ns + 200 + 0.5 * 8)
    return 5e-9 * (int(6_400_000 / ranks + 0.5) + exchange + 500 + rounds)


def test_an_extrapolated_run_is_replayed_and_marked(directory: Path) -> None:
    answer = query("--ranks", "4096", "--collective", "allreduce=recursive doubling")

    (predicted,) = answer["predictions"]
    assert answer["ranks"] == predicted["nodes"] == 4096
    assert predicted["replayed_seconds"] == pytest.approx(ring_seconds(4096), rel=1e-9)
    corrected = answer["base"]["replayed_seconds"] / (1 + answer["base_error"])
    assert answer["recorded_seconds"] == pytest.approx(corrected)
    how = answer["extrapolation"]
    assert how["recorded_ranks"] == list(RUNS)
    assert how["classes"] == 1
    assert how["grid"] is None
    assert how["laws"][0]["of"] == "computation before MPI_Irecv"
    assert how["laws"][0]["law"] == "1 / ranks"


def test_an_extrapolated_answer_is_the_same_on_any_number_of_threads(directory: Path) -> None:
    words = ("--ranks", "4096", "--latency", "x0.5", "--progress", "asynchronous")

    assert query(*words, "--threads", "4") == query(*words, "--threads", "1")


def test_the_gain_of_an_opportunity_over_the_number_of_ranks(directory: Path) -> None:
    """Half the latency buys the more, the less each rank computes."""
    algorithm = ("--collective", "allreduce=recursive doubling")
    plot = ("-o", "gain.svg")
    slow = query("--ranks", "16:1024", *algorithm)["sweep"]
    fast = query("--ranks", "16:1024", *algorithm, "--latency", "x0.5", *plot)["sweep"]

    assert fast["axes"] == [{"name": "ranks", "unit": "ranks"}]
    labels = list(dict.fromkeys(point["label"] for point in fast["points"]))
    assert len(labels) == 2
    points = [point for point in fast["points"] if point["label"] == labels[1]]
    assert [point["values"] for point in points] == [[16], [32], [64], [128], [256], [512], [1024]]
    before = [point for point in slow["points"] if point["label"] != labels[0]]
    for point, earlier in zip(points, before, strict=True):
        ranks = int(point["values"][0])
        expected = ring_seconds(ranks, 500) / ring_seconds(ranks)
        assert point["ratio"] / earlier["ratio"] == pytest.approx(expected, rel=1e-9)
        computation = 5e-9 * (int(6_400_000 / ranks + 0.5) + 1500)
        assert earlier["efficiency"] == pytest.approx(computation / ring_seconds(ranks), rel=1e-6)
    drawn = (directory / "gain.svg").read_text(encoding="utf-8")
    assert "Gain (%)" in drawn
    assert "1,024" in drawn


def test_a_range_has_the_numbers_of_ranks_that_the_runs_grow_to(directory: Path) -> None:
    """From 4, 16 and 64 ranks on, each number is four times the one before."""
    hosts = [f"n{rank}" for rank in range(64)]
    programs.job(programs.ring, 64, hosts).run(directory / "run64")
    runs = ("run4", "run16", "run64", "--from", "paper.toml", "--cpu", "2")

    sweep = document("whatif", *runs, "--ranks", "64:1024")["sweep"]

    assert sorted({point["values"][0] for point in sweep["points"]}) == [64, 256, 1024]
    assert_refuses(
        ["whatif", *runs, "--ranks", "64:512"], "--ranks: expected 4 times a power of four"
    )


def test_the_terminal_says_that_it_is_simulated(directory: Path) -> None:
    text = printed("whatif", *NAMES, "--ranks", "64,128", "--cpu", "2", "-o", "gain.html")

    assert "Simulated, extrapolated from 4, 8, 16 ranks: " in text
    assert "computation before MPI_Irecv: 1 / ranks (residual 0 %)" in text
    rows = [line.split() for line in text.splitlines() if line.strip().startswith(("64", "128"))]
    assert [row[0] for row in rows] == ["64", "128"]
    assert "Simulated, extrapolated from 4, 8, 16 ranks." in (directory / "gain.html").read_text(
        encoding="utf-8"
    )


def test_communicators_of_nodes_need_the_ranks_per_node_of_the_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for ranks, name in zip(RUNS, NAMES, strict=True):
        programs.job(programs.hierarchy(4), ranks).run(tmp_path / name)

    assert_refuses(
        ["whatif", *NAMES, "--ranks", "64", "--ranks-per-node", "8"],
        "--ranks-per-node: expected 4, which all runs have and communicators depend on, found 8",
    )


def test_runs_that_a_replay_does_not_describe_are_not_extrapolated(directory: Path) -> None:
    """The gate judges the largest recorded run, instead of an extrapolated one."""
    slow = MACHINE.replace("latency_us = 1.0", "latency_us = 900.0")
    (directory / "slow.toml").write_text(slow, encoding="utf-8")
    words = ["whatif", *NAMES, "--from", "slow.toml", "--ranks", "64,128", "--cpu", "2"]

    text = printed_refusal(*words, "-o", "gain.html")
    answer = json.loads(printed_refusal(*words, "--json"))

    largest = printed_refusal("advise", NAMES[-1], "--from", "slow.toml").splitlines()[0]
    assert largest.startswith("No prediction: the replay of the unchanged run takes ")
    assert text.splitlines()[0] == largest
    assert "Simulated" not in text
    assert "Simulated" not in (directory / "gain.html").read_text(encoding="utf-8")
    assert answer["sweep"] is None
    assert answer["predictions"] == []
    # A study would call the part a failed run.
    sweep = ["--sweep", "cpu=1,2", "--part", "1/2"]
    assert printed("whatif", NAMES[-1], "--from", "slow.toml", *sweep).startswith(largest)


def test_two_runs_of_as_many_ranks_are_refused(directory: Path) -> None:
    shutil.copytree(directory / "run8", directory / "again")

    assert_refuses(
        ["whatif", "run4", "run8", "again", "--ranks", "64"],
        "ranks, P more than 1; found 4, 8, 8",
    )


def test_runs_of_one_node_do_not_say_how_many_ranks_a_node_has(directory: Path) -> None:
    programs.job(programs.ring, 16, ["n0"] * 16).run(directory / "run16")

    says = "give the number of ranks on each node with --ranks-per-node N"
    assert_refuses(["whatif", *NAMES, "--ranks", "64"], says)
    answer = query("--ranks", "64", "--ranks-per-node", "8")
    assert answer["base"]["nodes"] == 8
    assert any(
        "the largest run had one node" in remark for remark in answer["extrapolation"]["remarks"]
    )


def test_a_unreliable_run_of_any_size_comes_first(directory: Path) -> None:
    """Computing is extrapolated from all runs, not from the largest alone."""
    contend(directory / "run4")

    output = " ".join(printed("whatif", *NAMES, "--from", "paper.toml", "--ranks", "64").split())
    assert output.startswith("Validity gate failed: run4: other programs used 8.0 of the 16 CPUs")
