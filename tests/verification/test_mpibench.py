"""ww-mpibench: the data that its calls deliver, and that its metrics follow from its histograms."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from tests import kernel_programs
from tests.support import MpiLibrary

BIN_WIDTH = 1.01
"""Upper over lower bound of a bin, at most."""

LONG = "--seconds=300"
"""The limit of a size's time, which no busy machine makes too short for its iterations."""

Line = dict[str, Any]


def mpibench(mpi: MpiLibrary, directory: Path, ranks: int, *options: str) -> list[Line]:
    return kernel_programs.mpibench(mpi, directory, *options, ranks=ranks)[0]


def benchmarks(mpi: MpiLibrary) -> list[str]:
    """Names of the benchmarks, as --list has them."""
    listed = mpi.run(1, mpi.program("ww-mpibench"), "--list").stdout
    return [line.split()[0] for line in listed.splitlines()]


WRONG = {"impi": {f"persistent_{moved}" for moved in ("allgather", "gather", "scatter")}}
"""Calls that a library has wrong on one host (docs/microbenchmarks.md)."""


@pytest.mark.every_mpi
def test_every_call_delivers_the_right_data(mpi: MpiLibrary, tmp_path: Path) -> None:
    names = [name for name in benchmarks(mpi) if name not in WRONG.get(mpi.name, ())]
    data = ("--sizes=96,16384", "--datatype=double", "--root=1", "--check")
    ranks = 3 if mpi.name == "openmpi" else 2  # MPICH's wait without leaving their cores

    # Ranks that share cores take seconds to agree on a common start.
    counts = ("--method=barrier", "--iterations=2", "--window=3")
    lines = mpibench(mpi, tmp_path, ranks, f"--benchmark={','.join(names)}", *data, *counts)

    of_integers = {"compare_and_swap"}  # tests/system has it
    assert {line["variant"] for line in lines} == set(names) - of_integers
    without_data = {"init"}
    assert {line["variant"] for line in lines if line["verified"] is not True} == without_data


@pytest.mark.parametrize("operation", ["sum", "max", "min"])
@pytest.mark.parametrize("datatype", ["char", "int", "float"])
def test_reductions_of_every_datatype_are_right(
    openmpi: MpiLibrary, tmp_path: Path, datatype: str, operation: str
) -> None:
    names = "reduce,allreduce,reduce_scatter,reduce_scatter_block,scan,exscan"
    options = (f"--datatype={datatype}", f"--operation={operation}", "--iterations=3", "--check")

    lines = mpibench(openmpi, tmp_path, 3, f"--benchmark={names}", "--sizes=12,100", *options)

    assert len(lines) == 12
    assert all(line["verified"] is True for line in lines)


def quantile_bin(histogram: Line, share: float) -> float:
    """Lower bound of the bin that holds the quantile."""
    expected = math.ceil(round(share * sum(histogram["counts"]), 6))
    seen = 0
    for bound, count in zip(histogram["ns"], histogram["counts"], strict=True):
        seen += count
        if seen >= max(expected, 1):
            return float(bound)
    raise AssertionError("a histogram without counts")


def test_quantiles_are_those_of_the_histogram(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """Two ways to one metric: the quantiles come from the times themselves."""
    options = ("--benchmark=latency,bandwidth", "--sizes=0,64,5000", "--iterations=1000", LONG)

    lines = mpibench(openmpi, tmp_path, 3, *options)

    assert len(lines) == 6
    for line in lines:
        [histogram] = line["histograms"]
        assert histogram["rank"] == 0
        assert sum(histogram["counts"]) == 1000
        details = line["details"]
        shares = {"minimum": 0, "median": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "maximum": 1}
        for name, share in shares.items():
            exact = details[f"{name}_ns"]
            assert 1 <= exact / quantile_bin(histogram, share) <= BIN_WIDTH
        assert line["seconds"] == pytest.approx(1e-9 * details["median_ns"])
        assert details["median_low_ns"] <= details["median_ns"] <= details["median_high_ns"]


def test_the_table_has_the_metrics_of_the_json_lines(openmpi: MpiLibrary, tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    options = ("--benchmark=allreduce", "--sizes=64", "--iterations=200", LONG, f"--json={file}")

    output = openmpi.run(2, openmpi.program("ww-mpibench"), *options).stdout

    details = json.loads(file.read_text(encoding="utf-8"))["details"]
    row = output.splitlines()[-1].split()
    low, high = float(row[4]), float(row[6])
    printed = [float(row[i]) for i in (2, 3)] + [low, high] + [float(row[i]) for i in (7, 8, 9)]
    names = ("minimum", "median", "median_low", "median_high", "p99", "p999", "maximum")
    assert printed == pytest.approx([1e-3 * details[f"{n}_ns"] for n in names], abs=0.00051)
    assert [row[0], row[1], row[5], row[10]] == ["64", "200", "-", str(details["late"])]


def mean_bounds(histogram: Line) -> tuple[float, float]:
    """Bounds of the mean of the times in a histogram [ns]."""
    pairs = zip(histogram["ns"], histogram["counts"], strict=True)
    low = sum(bound * count for bound, count in pairs) / sum(histogram["counts"])
    return low, low * BIN_WIDTH


LAYOUTS = {  # bytes that are sent of blocks of 96 and 4096 B of ints
    "contiguous": (96, 4096),
    "vector:8:4": (48, 2048),
    "vector:5:1": (16, 816),
    "indexed:FILE": (20, 100),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_derived_datatypes_move_their_elements_only(
    openmpi: MpiLibrary, tmp_path: Path, layout: str
) -> None:
    runs = tmp_path / "runs"
    runs.write_text("# start,count\n1,2\n4,3\n1000,20\n")
    names = ["latency", "bandwidth", "bcast", "scatterv", "allgather", "alltoallw", "ialltoallv"]
    names += ["persistent_gather", "neighbor_alltoallw", "put", "get_bandwidth", "allreduce"]
    options = (f"--layout={layout.replace('FILE', str(runs))}", "--sizes=96,4096", "--window=3")

    lines = mpibench(
        openmpi, tmp_path, 3, f"--benchmark={','.join(names)}", *options, "--datatype=int",
        "--iterations=3", "--check",
    )  # fmt: skip

    assert [line["variant"] for line in lines[::2]] == names[:-1]  # reductions take none
    assert all(line["verified"] is True for line in lines)
    for line in lines:
        sent = LAYOUTS[layout][line["parameters"]["bytes"] == 4096]
        assert line["parameters"]["payload_bytes"] == sent
        if line["variant"] == "bandwidth":
            assert line["bytes"] == 3 * sent


def test_the_peers_metrics_come_with_their_iterations(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """OSU's constants; IMB's 40 MiB a size, all once more, and a tenth of them, before the time."""
    options = ("--benchmark=latency,bandwidth,allreduce", "--sizes=8192,65536", "--window=2")
    counts = {
        "osu": [(10_000, 100), (1000, 10), (100, 10), (20, 2), (1000, 100), (100, 10)],
        "imb": [(1000, 1100), (640, 704)] * 3,
    }
    for method, expected in counts.items():
        lines = mpibench(openmpi, tmp_path, 2, f"--method={method}", *options, LONG)

        iterations = [
            (line["parameters"]["iterations"], line["parameters"]["warmup"]) for line in lines
        ]
        assert iterations == expected


@pytest.mark.parametrize("method", ["osu", "imb"])
def test_the_peers_metric_of_a_collective_is_the_mean_of_the_ranks_means(
    openmpi: MpiLibrary, tmp_path: Path, method: str
) -> None:
    options = ("--benchmark=allreduce,alltoall", "--sizes=64", "--iterations=50")

    lines = mpibench(openmpi, tmp_path, 3, f"--method={method}", *options)

    assert len(lines) == 2
    for line in lines:
        bounds = [mean_bounds(histogram) for histogram in line["histograms"]]
        assert [histogram["rank"] for histogram in line["histograms"]] == [0, 1, 2]
        low, high = (sum(bound) / 3 for bound in zip(*bounds, strict=True))
        assert low <= 1e9 * line["seconds"] <= high


def test_imb_takes_the_time_of_a_loop_as_a_whole(openmpi: MpiLibrary, tmp_path: Path) -> None:
    options = ("--benchmark=latency,sendrecv,barrier", "--sizes=8", "--iterations=50", LONG)

    lines = mpibench(openmpi, tmp_path, 2, "--method=imb", *options)

    assert [line["variant"] for line in lines] == ["latency", "sendrecv", "barrier"]
    for line in lines:
        assert line["seconds"] > 0
        assert line["histograms"] == []
        assert line["details"]["median_ns"] is None


def test_pairs_are_those_requested(openmpi: MpiLibrary, tmp_path: Path) -> None:
    names = "--benchmark=latency,multi_bandwidth,multi_bibandwidth"
    options = ("--pairs=3:0,1:2", "--sizes=100", "--window=5", "--iterations=3", "--check")

    latency, bandwidth, both_directions = mpibench(openmpi, tmp_path, 4, names, *options)

    assert [histogram["rank"] for histogram in latency["histograms"]] == [3]
    assert [histogram["rank"] for histogram in bandwidth["histograms"]] == [1, 3]
    assert bandwidth["bytes"] == 2 * 5 * 100
    assert both_directions["bytes"] == 2 * bandwidth["bytes"]
    details = bandwidth["details"]
    assert details["bandwidth_Bps"] == pytest.approx(1000 / bandwidth["seconds"])
    assert details["messages_per_second"] == pytest.approx(10 / bandwidth["seconds"])


def test_the_global_clock_is_as_exact_as_it_says(mpi: MpiLibrary, tmp_path: Path) -> None:
    """Ranks on one host read one counter, so that the error of an estimate can be seen."""
    options = ("--benchmark=barrier", "--iterations=20", "--separate-clocks")

    [line] = mpibench(mpi, tmp_path, 2, *options)

    details = line["details"]
    assert details["hosts"] == 1
    assert details["clock_error_ns"] > 0
    assert details["clock_spread_ns"] <= details["clock_error_ns"]


def test_no_start_is_late_after_a_barrier(openmpi: MpiLibrary, tmp_path: Path) -> None:
    options = ("--benchmark=barrier", "--method=barrier", "--iterations=20")

    [line] = mpibench(openmpi, tmp_path, 2, *options)

    assert line["details"]["late"] == 0
    assert line["details"]["clock_error_ns"] == 0


def test_sizes_that_cannot_be_measured_are_named(openmpi: MpiLibrary, tmp_path: Path) -> None:
    options = ("--sizes=4,8,1000000", "--datatype=double", "--memory-limit-mb=1", "--iterations=2")

    run = openmpi.run(2, openmpi.program("ww-mpibench"), "--benchmark=reduce_scatter", *options)

    left_out = [line for line in run.stdout.splitlines() if "left out" in line]
    assert [line.split("left out: ")[1] for line in left_out] == [
        "no whole number of elements",
        "less than one element for each rank",
        "above --memory-limit-mb",
    ]


OSU_HEADINGS = {
    "latency": ["# OSU MPI Latency Test v7.4", "# Size Avg Latency(us)"],
    "bandwidth": ["# OSU MPI Bandwidth Test v7.4", "# Size Bandwidth (MB/s)"],
    "multi_bandwidth": [
        "# OSU MPI Multiple Bandwidth / Message Rate Test v7.4",
        "# [ pairs: 1 ] [ window size: 64 ]",
        "# Size MB/s Messages/s",
    ],
    "allreduce": ["# OSU MPI Allreduce Latency Test v7.4", "# Size Avg Latency(us)"],
    "alltoall": [
        "# OSU MPI All-to-All Personalized Exchange Latency Test v7.4",
        "# Size Avg Latency(us)",
    ],
}


@pytest.mark.parametrize("name", OSU_HEADINGS)
def test_osu_format_is_what_scripts_for_osu_read(
    openmpi: MpiLibrary, tmp_path: Path, name: str
) -> None:
    options = (f"--benchmark={name}", "--osu-format", "--sizes=8,64", "--iterations=20")

    samples, run = kernel_programs.mpibench(openmpi, tmp_path, *options)

    lines = run.stdout.splitlines()
    heading = [" ".join(line.split()) for line in lines if line.startswith("#")]
    added = ("# Datatype", "# Transport")
    assert [line for line in heading if not line.startswith(added)] == OSU_HEADINGS[name]
    rows = [line.split() for line in lines if re.match(r"\d", line)]
    assert [row[0] for row in rows] == ["8", "64"]
    for row, sample in zip(rows, samples, strict=True):
        bandwidth = sample["details"]["bandwidth_Bps"]
        metric = 1e6 * sample["seconds"] if bandwidth is None else 1e-6 * bandwidth
        assert float(row[1]) == pytest.approx(metric, abs=0.0051)
