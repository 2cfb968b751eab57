"""Intel's benchmarks from their wheel: counts that follow from their arguments, exactly.

Without a warm-up, IMB-MPI1, IMB-NBC and IMB-RMA run a benchmark twice with each message length: to
learn its time, and to report it (version 2021.11, src_cpp/helpers/helper_IMB_functions.h).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support import MpiLibrary, Waywiser, mpi_library

RANKS, RUNS, ITERATIONS = 2, 2, 7
OPTIONS = f"-iter {ITERATIONS} -iter_policy off -warm_up off -msglog 3".split()
LENGTHS = [0, 1, 2, 4, 8]
REALS = [0, 4, 8]  # lengths of MPI_FLOAT

Function = dict[str, Any]


@pytest.fixture
def impi() -> MpiLibrary:
    """The library whose wheel has them."""
    return mpi_library("impi")


def profiled(
    waywiser: Waywiser, mpi: MpiLibrary, program: str, *arguments: str, env: Mapping[str, str] = {}
) -> tuple[str, dict[str, Any]]:
    """The program's output and its profile."""
    libraries = {"LD_LIBRARY_PATH": str(mpi.bin.parent / "lib")}
    done = waywiser.profiles(
        mpi.command(RANKS, mpi.bin / program, *arguments), env={**libraries, **env}
    )
    document = waywiser.show("run", "--per-rank")
    assert (document["status"], document["lost"]) == ("complete", [])
    return done.stdout, document


def calls_by_size(function: Function) -> dict[int, int]:
    return {bound: calls for bound, calls, _ in function["sizes"]}


def carried(function: Function) -> tuple[int, int]:
    return function["bytes"], function["receive_bytes"]


def test_blocking_calls(impi: MpiLibrary, waywiser: Waywiser) -> None:
    benchmarks = ("PingPong", "Sendrecv", "Bcast")
    _, document = profiled(waywiser, impi, "IMB-MPI1", *OPTIONS, *benchmarks)

    calls = RANKS * RUNS * ITERATIONS
    total = sum(LENGTHS) * calls
    for name, sent, posted in (
        ("MPI_Send", total, 0),
        ("MPI_Recv", 0, total),
        ("MPI_Sendrecv", total, total),
        ("MPI_Bcast", total / RANKS, total / RANKS),  # one of the ranks is the root
    ):
        function = document["functions"][name]
        assert calls_by_size(function) == dict.fromkeys(LENGTHS, calls), name
        assert carried(function) == (sent, posted), name


# How many message lengths a call sends and posts: on rank 0, the root, and on the other rank.
NONBLOCKING: dict[str, tuple[list[int], tuple[int, int], tuple[int, int]]] = {
    "Iallgather": (LENGTHS, (1, 2), (1, 2)),
    "Iallgatherv": (LENGTHS, (1, 2), (1, 2)),
    "Iallreduce": (REALS, (1, 1), (1, 1)),
    "Ialltoall": (LENGTHS, (2, 2), (2, 2)),
    "Ialltoallv": (LENGTHS, (2, 2), (2, 2)),
    "Ibarrier": ([0], (0, 0), (0, 0)),
    "Ibcast": (LENGTHS, (1, 0), (0, 1)),
    "Igather": (LENGTHS, (1, 2), (1, 0)),
    "Igatherv": (LENGTHS, (1, 2), (1, 0)),
    "Ireduce": (REALS, (1, 1), (1, 0)),
    "Ireduce_scatter": (REALS, (2, 1), (2, 1)),
    "Iscatter": (LENGTHS, (2, 1), (0, 1)),
    "Iscatterv": (LENGTHS, (2, 1), (0, 1)),
}


def test_nonblocking_collectives(impi: MpiLibrary, waywiser: Waywiser) -> None:
    benchmarks = [f"{name}_pure" for name in NONBLOCKING]
    _, document = profiled(waywiser, impi, "IMB-NBC", *OPTIONS, *benchmarks)

    calls = RUNS * ITERATIONS
    for name, (lengths, *factors) in NONBLOCKING.items():
        for rank, (sends, posts) in zip(document["per_rank"], factors, strict=True):
            function = rank["functions"][f"MPI_{name}"]
            sizes = Counter[int]()
            for length in lengths:
                sizes[(sends or posts) * length] += calls
            total = sum(lengths) * calls
            assert calls_by_size(function) == sizes, name
            assert carried(function) == (sends * total, posts * total), name
    started = sum(len(lengths) for lengths, *_ in NONBLOCKING.values())
    assert document["functions"]["MPI_Wait"]["calls"] == RANKS * calls * started


# The call, its lengths, how many ranks make it, and whether it sends and posts.
ONE_SIDED: dict[str, tuple[str, list[int], int, tuple[int, int]]] = {
    "Unidir_put": ("Put", LENGTHS, 1, (1, 0)),
    "Bidir_get": ("Get", LENGTHS, 2, (0, 1)),
    "Accumulate": ("Accumulate", REALS, 1, (1, 0)),
    "Get_accumulate": ("Get_accumulate", REALS, 1, (1, 1)),
    "Fetch_and_op": ("Fetch_and_op", [4], 1, (1, 1)),
    "Compare_and_swap": ("Compare_and_swap", [4], 1, (1, 1)),
}


def test_one_sided_calls(impi: MpiLibrary, waywiser: Waywiser) -> None:
    """Each benchmark in two modes: a flush after each call, and one after all of a run."""
    _, document = profiled(waywiser, impi, "IMB-RMA", *OPTIONS, *ONE_SIDED)

    functions, modes = document["functions"], 2
    expected = Counter[str]()
    for name, lengths, origins, (sends, posts) in ONE_SIDED.values():
        calls = origins * modes * RUNS * ITERATIONS
        total = sum(lengths) * calls
        function = functions[f"MPI_{name}"]
        assert calls_by_size(function) == dict.fromkeys(lengths, calls), name
        assert carried(function) == (sends * total, posts * total), name
        runs = len(lengths) * origins * RUNS
        expected["MPI_Win_flush"] += runs * (ITERATIONS + 1)
        expected["MPI_Win_lock"] += runs * modes
        expected["MPI_Win_unlock"] += runs * modes
        expected["MPI_Win_create"] += len(lengths) * modes * RANKS
        expected["MPI_Win_free"] += len(lengths) * modes * RANKS
    assert {name: functions[name]["calls"] for name in expected} == expected


@pytest.fixture
def libiomp(tmp_path: Path) -> Path:
    """A directory with Intel's OpenMP runtime, which LLVM's is under the name libomp."""
    runtime = Path("/usr/lib/x86_64-linux-gnu/libomp.so.5")
    if not runtime.exists():
        pytest.skip("LLVM's OpenMP runtime is not installed (libomp5-14)")
    directory = tmp_path / "openmp"
    directory.mkdir()
    (directory / "libiomp5.so").symlink_to(runtime)
    return directory


def test_threads_that_call_at_the_same_time(
    impi: MpiLibrary, waywiser: Waywiser, libiomp: Path
) -> None:
    """Two threads a rank, each with a communicator of its own; the program checks what it gets."""
    threads, repeat, warm_up, window, counts = 2, 4, 2, 3, (1, 4)
    options = f"-thread_level multiple -barrier off -check true -repeat {repeat} -warmup {warm_up}"
    options += f" -window_size {window} -count {','.join(map(str, counts))}"

    env = {
        "LD_LIBRARY_PATH": f"{impi.bin.parent / 'lib'}:{libiomp}",
        "OMP_NUM_THREADS": str(threads),
        "OMP_WAIT_POLICY": "passive",
    }

    output, document = profiled(waywiser, impi, "IMB-MT", *options.split(), env=env)

    assert output.count(f"(threads: {threads})") == 10
    assert "CHECK FAILURES" not in output
    rounds = threads * (repeat + warm_up) * len(counts)  # of one rank
    reported = 9 * len(counts) + 1  # lines of results; BarrierMT has no lengths
    expected = {
        "Sendrecv": 2 * rounds,
        "Send": 4 * rounds,  # PingPongMT, and the receipts of UniBandMT and BiBandMT
        "Recv": 10 * rounds,  # these, PingPingMT, and two of ExchangeMT
        "Isend": (6 + 3 * window) * rounds,  # one rank of UniBandMT, both of BiBandMT
        "Irecv": 3 * window * rounds,
        "Wait": 2 * rounds,
        "Waitall": 6 * rounds,
        "Bcast": 2 * rounds,
        "Reduce": 2 * rounds,
        "Allreduce": 2 * (rounds + 4 * reported),
    }
    functions = document["functions"]
    assert {name: functions[f"MPI_{name}"]["calls"] for name in expected} == expected
    for name in ("Sendrecv", "Irecv", "Isend", "Bcast"):
        calls = expected[name] // len(counts)
        assert calls_by_size(functions[f"MPI_{name}"]) == {4 * n: calls for n in counts}, name
    assert sorted(document["matrix"]["messages"]) == [
        [0, 1, (5 + 2 * window) * rounds],
        [1, 0, (7 + window) * rounds],
    ]
