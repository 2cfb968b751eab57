"""`waywiser machine calibrate` on files whose parameters are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.machine_files import machine_file
from tests.mpibench_lines import (
    EAGER,
    EAGER_LIMIT,
    RENDEZVOUS,
    SIZES,
    line,
    loggp_lines,
    truth,
    written,
)
from tests.schemas import assert_fits
from tests.support import assert_refuses, printed
from waywiser.cli.main import main
from waywiser.machines.library import read_machine

MACHINE = machine_file(
    2,
    title="Two",
    source='inferred = ["loggp: guessed", "cores: counted"]',
    cores=2,
    node="memory_bandwidth_GBps = 100",
    link=12.5,
)


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    path = tmp_path / "old.toml"
    path.write_text(MACHINE, encoding="utf-8")
    return path


def calibrate(machine: Path, lines: list[dict[str, Any]], *words: str) -> Path:
    measured = written(machine.parent / "measured.json", lines)
    new = machine.parent / "new.toml"
    assert main(["machine", "calibrate", str(machine), str(measured), "-o", str(new), *words]) == 0
    return new


def latency(size: int, factor: float = 1.0) -> dict[str, Any]:
    return line("latency", size, factor * truth(size).one_way(size))


def test_the_machine_file_gets_the_parameters_of_the_measurements(machine: Path) -> None:
    new = read_machine(str(calibrate(machine, loggp_lines())))

    assert new.network.eager_limit_bytes == EAGER_LIMIT
    assert [piece.up_to_bytes for piece in new.network.loggp] == [EAGER_LIMIT, None]
    for piece, true in zip(new.network.loggp, (EAGER, RENDEZVOUS), strict=True):
        assert piece.latency_us == pytest.approx(1e6 * true.latency, rel=1e-3)
        assert piece.overhead_us == pytest.approx(1e6 * true.overhead, rel=1e-3)
        assert piece.gap_us == pytest.approx(1e6 * true.gap, rel=1e-3)
        assert piece.bandwidth_GBps == pytest.approx(1e-9 / true.per_byte, rel=1e-3)
        assert piece.overhead_ns_per_byte == pytest.approx(1e9 * true.overhead_per_byte, abs=1e-4)


def test_calls_that_wait_for_the_receiver_are_no_overhead(machine: Path) -> None:
    lines = loggp_lines()
    for sample in lines:
        sample["details"]["sender_busy_ns"] = 3e9 * sample["seconds"]
        sample["details"]["receiver_busy_ns"] = 3e9 * sample["seconds"]
    new = read_machine(str(calibrate(machine, lines)))

    for size in SIZES:
        piece = next(
            entry
            for entry in new.network.loggp
            if entry.up_to_bytes is None or size <= entry.up_to_bytes
        )
        both_ends = piece.latency_us + 2 * piece.overhead_us
        predicted = 1e-6 * both_ends + 1e-9 * size / piece.bandwidth_GBps
        assert predicted == pytest.approx(truth(size).one_way(size), rel=0.1)


@pytest.mark.parametrize(("receiving", "o"), [(0.0, 0.5), (1.0, 1.0), (1.5, 1.25), (None, 1.0)])
def test_the_overhead_is_the_mean_of_both_ends(
    machine: Path, capsys: pytest.CaptureFixture[str], receiving: float | None, o: float
) -> None:
    """Both in units of what sending takes. A message takes as long as before: what o loses, L gets.
    Files of before tell of sending only."""
    lines = loggp_lines()
    for sample in lines:
        busy = sample["details"].pop("receiver_busy_ns")
        if receiving is not None:
            sample["details"]["receiver_busy_ns"] = receiving * busy
    new = read_machine(str(calibrate(machine, lines, "--json")))

    overheads = json.loads(capsys.readouterr().out)["parts"][0]["overheads"]
    assert [overhead["bytes"] for overhead in overheads] == SIZES
    for overhead in overheads:
        sending = 1e6 * truth(overhead["bytes"]).busy(overhead["bytes"])
        assert overhead["sending_us"] == pytest.approx(sending)
        expected = None if receiving is None else pytest.approx(receiving * sending)
        assert overhead["receiving_us"] == expected
    eager = new.network.loggp[0]
    assert eager.overhead_us == pytest.approx(1e6 * o * EAGER.overhead, rel=1e-3)
    both_ends = eager.latency_us + 2 * eager.overhead_us
    assert both_ends == pytest.approx(1e6 * (EAGER.latency + 2 * EAGER.overhead), rel=1e-3)


def test_what_was_known_stays_but_what_is_measured_now(machine: Path) -> None:
    new = read_machine(str(calibrate(machine, loggp_lines())))

    assert (new.title, new.source.document) == ("Two", "made up")
    assert new.source.inferred == ("cores: counted",)
    assert new.node.loggp == ()
    (how,) = new.calibration
    assert how.part == "network"
    assert "Some MPI 1.0 over tcp" in how.document
    assert how.error_per_cent is None


def test_ranks_of_one_host_calibrate_the_node_and_leave_the_network(machine: Path) -> None:
    calibrate(machine, loggp_lines()).rename(machine)
    new = read_machine(str(calibrate(machine, loggp_lines(hosts=1))))

    assert new.node.loggp == new.network.loggp
    assert {calibration.part for calibration in new.calibration} == {"node", "network"}


def test_other_patterns_say_how_far_predictions_are_off(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Messages that take 10 % longer than LogGP says: predictions are 1/1.1 - 1 = 9.09 % off.
    checks = [latency(3 * size, 1.1) for size in SIZES[:5]]
    new = read_machine(str(calibrate(machine, loggp_lines() + checks, "--json")))

    (how,) = new.calibration
    assert how.error_per_cent == pytest.approx(100 * (1 - 1 / 1.1), abs=0.01)
    report = json.loads(capsys.readouterr().out)
    assert_fits(report, "machine-calibrate")
    checked = report["parts"][0]["checks"]
    assert [check["bytes"] for check in checked] == [3, 6, 12, 24, 48]
    assert [check["error_per_cent"] for check in checked] == pytest.approx(
        [-100 / 11] * 5, rel=1e-3
    )


def test_the_spread_of_three_runs_stays_in_the_file(machine: Path) -> None:
    runs = [loggp_lines(noise=0.0) for _ in range(3)]
    for sample in runs[0]:
        sample["seconds"] *= 0.9
    for sample in runs[2]:
        sample["seconds"] *= 1.1
    two = read_machine(str(calibrate(machine, runs[0] + runs[1])))
    three = read_machine(str(calibrate(machine, runs[0] + runs[1] + runs[2])))

    assert two.calibration[0].noise_per_cent is None
    assert three.calibration[0].noise_per_cent == pytest.approx(10)


@pytest.mark.parametrize(("pairs", "part"), [("inside", "node"), ("between", "network")])
def test_pairs_say_what_a_job_of_many_ranks_measured(machine: Path, pairs: str, part: str) -> None:
    lines = loggp_lines()
    for sample in lines:
        sample["ranks"] = 64
        sample["parameters"]["pairs"] = pairs
    new = read_machine(str(calibrate(machine, lines)))

    assert [calibration.part for calibration in new.calibration] == [part]


def test_what_libraries_say_becomes_one_line(machine: Path) -> None:
    lines = loggp_lines()
    for sample in lines:
        sample["details"] |= {"library": "Some MPI:\t1.0, built\tby us", "transport": "tcp\nlo"}
    new = read_machine(str(calibrate(machine, lines)))

    document = "waywiser machine calibrate, from ww-mpibench with Some MPI: 1.0 over tcp lo"
    assert new.calibration[0].document == document


def test_several_runs_count_by_their_median(machine: Path) -> None:
    slow = loggp_lines()
    for sample in slow:
        sample["seconds"] *= 5
    new = read_machine(str(calibrate(machine, loggp_lines() + slow + loggp_lines())))

    assert new.network.loggp[0].latency_us == pytest.approx(1e6 * EAGER.latency, rel=1e-3)


def test_peaks_stand_beside_what_is_reached(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = [
        line("memory", size, 1.0, 1, ranks=2, bandwidth_Bps=rate)
        for size, rate in [(1 << 10, 500e9), (1 << 26, 86e9), (1 << 26, 79e9)]
    ]
    new = calibrate(machine, [*loggp_lines(), *memory])

    output = capsys.readouterr().out
    assert "network bandwidth: 11.8 GB/s measured, 94 % of 12.5 GB/s" in output
    assert "memory bandwidth: 86 GB/s measured, 86 % of 100 GB/s" in output
    shown = printed("machine", "show", str(new))
    assert "11.8 GB/s measured, 94 % of 12.5 GB/s" in shown
    assert "86 GB/s measured, 86 % of 100 GB/s" in shown


def test_parameters_that_nobody_measured_are_no_measured_peak() -> None:
    assert "network peak" not in printed("machine", "show", "rig-3")


def without(lines: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    del lines[0]["details"][key]
    return lines


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (
            [latency(8)],
            "no measurement of loggp found; run `mpirun -n 2 ww-mpibench --benchmark loggp,",
        ),
        (loggp_lines(sizes=[1, 2]), "network: LogGP needs 3 sizes"),
        (without(loggp_lines(), "interval_ns"), "loggp lacks details.interval_ns"),
        (without(loggp_lines(), "hosts"), "measured.json, line 1: details.hosts: Field required"),
        ([{**latency(8), "workload": "minife"}], "line 1: workload: Input should be 'mpibench'"),
        (
            [{**latency(8), "ranks": 4}],
            "latency ran with --pairs half on 2 hosts; run it with --pairs",
        ),
        ([*loggp_lines(), {**latency(8), "verified": False}], "latency received wrong data"),
        (
            [*loggp_lines(), line("memory", 8, 1e-6, ranks=2, bandwidth_Bps=9e9)],
            "memory ran on 2 hosts; run it on one node",
        ),
        (
            [*loggp_lines(), line("latency", 8, 1e-6, library="Other MPI")],
            "the network was measured with Other MPI, Some MPI 1.0",
        ),
    ],
)
def test_a_mistake_is_named_in_one_sentence(
    machine: Path, lines: list[dict[str, Any]], says: str
) -> None:
    measured = written(machine.parent / "measured.json", lines)
    new = machine.parent / "new.toml"

    assert_refuses(["machine", "calibrate", machine, measured, "-o", new], says)

    assert not new.exists()
