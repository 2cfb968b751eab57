"""`waywiser whatif` on runs that cannot go on: it ends, and names rank, call and partner."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.job import MS, Job
from tests.support import assert_refuses, here, printed, printed_refusal

HOSTS = ["n0", "n1"]


def run_of(job: Job, directory: Path) -> Path:
    """Writes a run directory; returns the trace's path."""
    job.run(directory / "run")
    return directory / "run" / "trace" / "trace.ww"


WHATIF = ["whatif", "run", "--from", "rig-3", "--latency", "x2"]


def answered() -> str:
    """The answer on one line."""
    return " ".join(printed(*WHATIF).split())


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_deadlock_ends_with_who_waits_for_whom(directory: Path) -> None:
    """Both sends were eager when it was recorded."""
    job = Job(2, hosts=HOSTS)
    for rank in (0, 1):
        job.then(rank, "Comm_rank")
        job.compute(rank, 10 * MS)
        job.then(rank, "Send", peer=1 - rank, tag=4, bytes=500, site=12)
        job.then(rank, "Recv", source=1 - rank, source_tag=4, posted=500)
        job.then(rank, "Finalize")
    run_of(job, directory)

    answered()
    assert_refuses(
        [*WHATIF, "--eager-limit", "499"],
        *(
            f"rank {rank} in MPI_Send (main at made.c:12) waits until rank {1 - rank} receives its "
            "message of tag 4"
            for rank in (0, 1)
        ),
    )


def test_a_long_message_that_nobody_receives_ends_with_its_sender(directory: Path) -> None:
    job = Job(2, hosts=HOSTS)
    job.then(0, "Send", peer=1, tag=4, bytes=500)
    for rank in (0, 1):
        job.compute(rank, 10 * MS)
        job.then(rank, "Finalize")
    run_of(job, directory)

    says = "Messages are never received: the first ones from rank 0 in MPI_Send to rank 1 of tag 4"
    assert says in answered()
    assert_refuses(
        [*WHATIF, "--eager-limit", "499"],
        "rank 0 in MPI_Send waits until rank 1 receives its message of tag 4; rank 1 in "
        "MPI_Finalize waits for a message from rank 0 within a collective",
    )


@pytest.mark.parametrize("killed", [[0, 1], [0]])
def test_a_message_that_never_comes_is_let_go_and_reported(
    directory: Path, killed: list[int]
) -> None:
    """A rank that was killed leaves a trace without its last calls."""
    job = Job(2, hosts=HOSTS, killed=killed)
    job.then(0, "Comm_rank")
    job.then(1, "Recv", source=0, source_tag=3, posted=8)
    job.then(1, "Comm_rank")
    run_of(job, directory)

    assert (
        "A call cannot end as recorded, and is taken to: rank 1 in MPI_Recv waits for a message "
        "from rank 0 of tag 3"
    ) in " ".join(printed_refusal(*WHATIF).split())


@pytest.mark.parametrize("tenths", range(10))
def test_a_trace_that_is_cut_ends_and_says_so(directory: Path, tenths: int) -> None:
    job = Job(2, hosts=HOSTS)
    for i in range(200):
        for rank in (0, 1):
            job.compute(rank, 100_000 + 37 * (i * i % 101))
            job.then(rank, "Isend", peer=1 - rank, tag=1, bytes=8 * (i % 7), request=0)
            job.then(rank, "Recv", source=1 - rank, source_tag=1, posted=64)
            job.then(rank, "Wait", requests=[0], completed=[0])
    path = run_of(job, directory)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * tenths // 10])

    output = here(*WHATIF)

    assert output.returncode in (0, 2)
    assert "trace.ww" in (output.stderr if output.returncode else output.stdout)
    assert (output.stderr.count("\n") == 1) == (output.returncode == 2)
