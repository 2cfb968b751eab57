"""ww-mpibench sees what is planted: late iterations, wrong data, and how far operations overlap."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.kernel_programs import mpibench
from tests.support import MpiLibrary
from tests.system.conftest import Build
from waywiser.apps.application import Output
from waywiser.apps.table import find

pytestmark = pytest.mark.in_turn
timed = pytest.mark.alone("judges medians and tails of microseconds")

Sample = dict[str, Any]

BYTES, DELAY_US = 24, 100

AT_ONCE = "--method=barrier"
"""Ranks that share cores take seconds to agree on a common start."""


@pytest.fixture
def fault(openmpi: MpiLibrary, build: Build) -> dict[str, str]:
    """Every 500th Allreduce of 24 elements is touched."""
    library = build(openmpi, "faulty_allreduce.c", "-shared", "-fPIC")
    return {"LD_PRELOAD": str(library), "FAULTY_COUNT": str(BYTES), "FAULTY_EVERY": "500"}


@timed
def test_a_planted_delay_is_seen_in_the_tail_and_not_in_the_median(
    openmpi: MpiLibrary, fault: dict[str, str], tmp_path: Path
) -> None:
    """Two late iterations of 1,000: the second largest time is the 99.9th percentile."""
    options = ["--benchmark=allreduce", f"--sizes={BYTES}", "--iterations=1000", "--warmup=100"]
    delay = {**fault, "FAULTY_DELAY_US": str(DELAY_US)}

    (sample,), _ = mpibench(openmpi, tmp_path, *options, env=delay)

    details = sample["details"]
    assert details["median_ns"] < 1e3 * DELAY_US
    assert details["p999_ns"] >= 1e3 * DELAY_US
    late = [
        ns
        for histogram in sample["histograms"]
        for ns in histogram["ns"]
        if ns >= 0.99e3 * DELAY_US
    ]
    assert late


@timed
def test_who_comes_late_from_a_barrier_is_not_counted_as_the_collectives_cost(
    openmpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    late_us = 1000
    library = build(openmpi, "late_from_barrier.c", "-shared", "-fPIC")
    late = {"LD_PRELOAD": str(library), "LATE_US": str(late_us)}

    def median_ns(method: str) -> float:
        options = ["--benchmark=allreduce", "--sizes=8", "--iterations=100", f"--method={method}"]
        (sample,), _ = mpibench(openmpi, tmp_path, *options, env=late)
        median: float = sample["details"]["median_ns"]
        return median

    assert median_ns("barrier") >= 0.9e3 * late_us
    assert median_ns("window") < 0.5e3 * late_us


def test_the_clocks_error_has_that_of_its_drift(
    openmpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    """Ways that are slow in turn look like a drift, for which rank 1 pays while rank 2 measures."""
    delay_us, others, ping_pongs = 500, 2, 100
    library = build(openmpi, "uneven_routes.c", "-shared", "-fPIC")
    first = {"DELAY_US": str(delay_us), "FIRST": str(others * ping_pongs)}
    options = ["--benchmark=barrier", "--iterations=20", "--separate-clocks"]

    (sample,), _ = mpibench(
        openmpi, tmp_path, *options, ranks=1 + others, env={"LD_PRELOAD": str(library), **first}
    )

    details = sample["details"]
    assert details["clock_spread_ns"] > 0.5e3 * delay_us
    assert details["clock_spread_ns"] <= details["clock_error_ns"]


def test_validation_catches_a_corrupted_reduction(
    openmpi: MpiLibrary, fault: dict[str, str], tmp_path: Path
) -> None:
    """One bit of one element, on one rank, in two of 1,000 iterations."""
    options = ["--benchmark=bcast,allreduce", f"--sizes={BYTES}", "--iterations=1000", "--check"]
    options += [AT_ONCE]
    flip = {**fault, "FAULTY_BIT": "1"}

    samples, done = mpibench(openmpi, tmp_path, *options, code=1, env=flip)

    assert done.returncode == 1
    assert "WRONG DATA" in done.stdout
    verified = {sample["variant"]: sample["verified"] for sample in samples}
    assert verified == {"bcast": True, "allreduce": False}
    reading = find("mpibench").read(Output(done.stdout, done.stderr, tmp_path))
    assert "allreduce of 24 B did not pass its validation" in reading.failure
    assert not reading.metrics


@timed
def test_the_overlap_is_measured_with_as_much_work_as_the_operation_takes(
    openmpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    """Told by the processor time between start and completion, whoever else uses the processor."""
    library = build(openmpi, "planted_overlap.c", "-shared", "-fPIC")
    options = ["--benchmark=iallreduce", "--sizes=8", "--iterations=100", "--tests=7"]

    planted = {"LD_PRELOAD": str(library), "OPERATION_US": "300"}
    (sample,), done = mpibench(openmpi, tmp_path, *options, env=planted)

    details = sample["details"]
    alone, work, both = (details[f"{part}_ns"] for part in ("alone", "compute", "overall"))
    assert alone >= 300e3
    assert work == pytest.approx(alone, rel=1e-3)
    between = re.search(r"start and completion: (\d+) ns, (\d+) calls of MPI_Test", done.stdout)
    assert between is not None
    assert between[2] == "7"
    assert 0.7 < int(between[1]) / work < 1.5
    assert details["overlap"] == pytest.approx(min(1, max(0, 1 - (both - work) / alone)))


@pytest.mark.parametrize(("method", "expected"), [("osu", 0), ("imb", 1)])
def test_the_peers_communicators_are_all_that_is_created(
    openmpi: MpiLibrary, build: Build, tmp_path: Path, method: str, expected: int
) -> None:
    """Open MPI's first one leaves work in every wait that comes after, which shows in the time."""
    counting = {"LD_PRELOAD": str(build(openmpi, "created_communicators.c", "-shared", "-fPIC"))}
    options = ["--benchmark=latency,bandwidth,allreduce", "--sizes=8,64", "--iterations=10"]

    def communicators(*more: str) -> int:
        _, done = mpibench(openmpi, tmp_path, *options, *more, env=counting)
        (count,) = re.findall(r"^communicators: (\d+)$", done.stdout, re.MULTILINE)
        return int(count)

    assert communicators(f"--method={method}") == expected
    assert communicators() > 1, "those of the global clock"


def test_only_nonblocking_collectives_have_an_overlap(openmpi: MpiLibrary, tmp_path: Path) -> None:
    names = "bcast,ibcast,persistent_bcast,ibarrier,ineighbor_alltoall"

    samples, _ = mpibench(openmpi, tmp_path, f"--benchmark={names}", "--sizes=8", "--iterations=9")

    overlaps = {sample["variant"]: sample["details"]["overlap"] for sample in samples}
    assert [name for name, overlap in overlaps.items() if overlap is None] == [
        "bcast",
        "persistent_bcast",
    ]


def test_halos_of_a_grid_arrive_from_every_side(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """Six ranks are a grid of three by two: ranks with one, two and three neighbours."""
    moves = ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")
    kinds = [f"neighbor_{moved}" for moved in moves]
    names = [f"{form}{kind}" for form in ("", "i", "persistent_") for kind in kinds]
    options = [f"--benchmark={','.join(names)}", "--sizes=8,70000", "--iterations=3", "--check"]

    samples, _ = mpibench(openmpi, tmp_path, *options, AT_ONCE, ranks=6)

    assert [sample["variant"] for sample in samples[::2]] == names
    assert all(sample["verified"] for sample in samples)


BLOCKS = ["put", "get", "accumulate", "get_accumulate", "put_bandwidth", "get_bandwidth"]
ELEMENTS = ["fetch_and_op", "compare_and_swap"]


@pytest.mark.parametrize("operation", ["sum", "max"])
def test_one_sided_access_reaches_the_partner(
    mpi: MpiLibrary, tmp_path: Path, operation: str
) -> None:
    options = ["--pairs=3:1", "--iterations=5", "--window=4", "--check", f"--operation={operation}"]
    words = [f"--benchmark={','.join(BLOCKS + ELEMENTS)}", "--sizes=8,70000", "--datatype=int"]

    samples, _ = mpibench(mpi, tmp_path, *words, *options, ranks=4)

    blocks, elements = samples[: -len(ELEMENTS)], samples[-len(ELEMENTS) :]
    assert [sample["variant"] for sample in blocks[::2]] == BLOCKS
    assert [sample["variant"] for sample in elements] == ELEMENTS
    assert [sample["parameters"]["bytes"] for sample in elements] == [4, 4]
    assert all(sample["verified"] for sample in samples)
    assert {histogram["rank"] for sample in samples for histogram in sample["histograms"]} == {3}
    moved = [sample["bytes"] for sample in blocks if sample["parameters"]["bytes"] == 8]
    assert moved == [None, None, None, None, 32, 32]


@pytest.mark.parametrize(
    ("synchronisation", "calls"),
    [
        ("flush_local", "MPI_Win_flush_local"),
        ("lock", "MPI_Win_lock/unlock"),
        ("lock_all", "MPI_Win_lock_all/unlock_all"),
        ("pscw", "MPI_Win_post/start/complete/wait"),
        ("fence", "MPI_Win_fence"),
    ],
)
def test_every_synchronisation_completes_one_sided_access(
    mpi: MpiLibrary, tmp_path: Path, synchronisation: str, calls: str
) -> None:
    """A third rank takes no part, and must not be waited for."""
    words = [f"--benchmark={','.join(BLOCKS + ELEMENTS)}", "--sizes=8,70000", "--datatype=int"]
    options = ["--pairs=2:0", "--iterations=3", "--window=4", "--check", "--osu-format", AT_ONCE]

    samples, done = mpibench(
        mpi, tmp_path, *words, *options, f"--synchronisation={synchronisation}", ranks=3
    )

    assert len(samples) == 2 * len(BLOCKS) + len(ELEMENTS)
    assert all(sample["verified"] for sample in samples)
    assert {sample["parameters"]["synchronisation"] for sample in samples} == {synchronisation}
    assert done.stdout.count(f"# Synchronization: {calls}\n") == len(BLOCKS + ELEMENTS)


def test_validation_catches_calls_that_do_nothing(
    openmpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    library = build(openmpi, "swallowed_call.c", "-shared", "-fPIC")
    broken = [f"neighbor_{moved}" for moved in ("allgatherv", "alltoallv", "alltoallw")]
    broken += ["put", "get_accumulate", "fetch_and_op", "compare_and_swap", "counter", "dynamic"]
    whole = ["neighbor_allgather", "get", "accumulate"]
    options = [f"--benchmark={','.join(whole + broken)}", "--sizes=64", "--iterations=5"]
    options += ["--tasks=2", "--task-us=10"]
    fault = {"LD_PRELOAD": str(library), "SWALLOW": "1"}

    samples, done = mpibench(
        openmpi, tmp_path, *options, "--datatype=int", "--check", env=fault, code=1
    )

    assert done.returncode == 1
    verified = {sample["variant"]: sample["verified"] for sample in samples}
    assert verified == dict.fromkeys(whole, True) | dict.fromkeys(broken, False)


@pytest.mark.parametrize(("byte", "spoiled"), [(0, "an element"), (16, "a gap")])
def test_validation_sees_elements_and_gaps_of_derived_datatypes(
    openmpi: MpiLibrary, build: Build, tmp_path: Path, byte: int, spoiled: str
) -> None:
    """The layout vector:8:4 sends the first four of eight ints."""
    library = build(openmpi, "swallowed_call.c", "-shared", "-fPIC")
    options = ["--benchmark=latency", "--sizes=64", "--datatype=int", "--layout=vector:8:4"]
    options += ["--iterations=20"]
    fault = {"LD_PRELOAD": str(library), "SPOILED_BYTE": str(byte)}

    (sound,), _ = mpibench(openmpi, tmp_path, *options, "--check")
    (sample,), done = mpibench(openmpi, tmp_path, *options, "--check", env=fault, code=1)

    assert sound["verified"] is True
    assert done.returncode == 1
    assert sample["verified"] is False, spoiled


def test_init_is_the_time_until_the_slowest_rank_could_begin(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    (sample,), done = mpibench(openmpi, tmp_path, "--benchmark=init", "--osu-format", ranks=3)

    assert sample["parameters"]["iterations"] == 1
    assert [sum(histogram["counts"]) for histogram in sample["histograms"]] == [1, 1, 1]
    slowest = max(histogram["ns"][0] for histogram in sample["histograms"])
    assert slowest <= sample["seconds"] * 1e9 <= 1.01 * slowest
    form = r"# OSU MPI Init Test v7.4\nnprocs: 3, min: (\d+) ms, max: (\d+) ms, avg: (\d+) ms\n"
    line = re.search(form, done.stdout)
    assert line is not None
    least, most, mean = map(int, line.groups())
    assert most == int(sample["seconds"] * 1e3)
    assert least <= mean <= most


def test_osu_format_of_one_sided_and_nonblocking_benchmarks_is_read(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    """The reader of OSU's own tables reads them."""
    for name, title in (("put", "put_latency"), ("iallreduce", "non_blocking_allreduce_latency")):
        options = [f"--benchmark={name}", "--sizes=8,64", "--iterations=20", "--osu-format"]
        samples, done = mpibench(openmpi, tmp_path, *options)

        reading = find("osu").read(Output(done.stdout, "", tmp_path))

        assert reading.failure == ""
        for sample in samples:
            details = sample["details"]
            seconds = (details["overall_ns"] or 1e9 * sample["seconds"]) * 1e-9
            metric = reading.metric(f"{title}_{sample['parameters']['bytes']}_b")
            assert metric is not None
            assert metric.value == pytest.approx(1e6 * seconds, abs=0.006)


def test_a_size_that_would_take_hours_has_fewer_iterations(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    requested = 100_000_000
    options = ["--benchmark=barrier", "--seconds=1", f"--iterations={requested}", "--warmup=0"]

    (sample,), _ = mpibench(openmpi, tmp_path, *options)

    done = sample["parameters"]["iterations"]
    assert 10 <= done < requested
    assert sum(sample["histograms"][0]["counts"]) == done
