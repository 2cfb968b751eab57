"""Opportunities whose gain a replay has to find: programs of which it is known in closed form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.job import MS, Job
from tests.support import document
from tests.synthetic_jobs import FINALIZE_NS, INIT_NS

HOSTS = ["n0", "n1"]
ROUNDS, COMPUTATION = 10, 10 * MS
LATENCY, OVERHEAD = 9000, 2000
BYTES, WIRE = 6_200_000, 1 * MS
"""Size and time of a message on rig-3, which has 6.2 GB/s; the size is above the eager limit."""

THERE = OVERHEAD + LATENCY
"""An empty message, from the begin of its send until its receiver can take it."""


def opportunities(directory: Path, job: Job, end_ns: int) -> dict[str, Any]:
    """Opportunities of a program whose ranks leave MPI_Init at `INIT_NS`, finalise at `end_ns`."""
    for rank in range(2):
        job.call(rank, "Finalize", end_ns, end_ns + FINALIZE_NS)
    run = job.run(directory / "run")
    answer = document("advise", run, "--from", "rig-3")
    assert abs(answer["base_error"]) < 1e-3
    return {opportunity["name"]: opportunity for opportunity in answer["opportunities"]}


def started() -> Job:
    job = Job(2, hosts=HOSTS)
    for rank in range(2):
        job.call(rank, "Init", 0, INIT_NS)
    return job


def test_messages_that_wait_for_calls_gain_by_asynchronous_progress(tmp_path: Path) -> None:
    """Both ranks compute beside a long message, whose request comes once its receive is posted, so
    that it is granted in the receiver's wait. Otherwise all of it is hidden."""
    job, sender, receiver, before = started(), INIT_NS, INIT_NS, 5000
    for _ in range(ROUNDS):
        sender += before
        sent = {"peer": 1, "tag": 1, "bytes": BYTES, "request": 0}
        job.call(0, "Isend", sender, sender + OVERHEAD, **sent)
        job.call(1, "Irecv", receiver, receiver, source=0, source_tag=1, posted=BYTES, request=0)
        left = receiver + COMPUTATION + THERE + OVERHEAD + WIRE
        over = left + LATENCY + OVERHEAD
        done: dict[str, Any] = {"requests": [0], "completed": [0]}
        job.call(0, "Wait", sender + OVERHEAD + COMPUTATION, left, **done)
        job.call(1, "Wait", receiver + COMPUTATION, over, **done)
        sender, receiver = left, over

    by_name = opportunities(tmp_path, job, receiver)

    # Rounds of C + (o + L) + o + G s + L + o against those of the sender's alone.
    saved = ROUNDS * (2 * THERE + WIRE - before) / 1e9
    for name in ("asynchronous progress", "eager limit"):
        assert by_name[name]["gain_seconds"] == pytest.approx(saved, rel=2e-3)
        assert by_name[name]["assessment"] == "expected"
    assert by_name["bandwidth"]["gain_seconds"] == pytest.approx(ROUNDS * WIRE / 2 / 1e9, rel=1e-3)
    assert by_name["balance"]["assessment"] == "none"


def test_senders_that_wait_for_late_receivers_gain_by_the_eager_limit(tmp_path: Path) -> None:
    """Rank 0 may compute only once rank 1 has: with eager messages both do at once. Where they wait
    is within calls, so that progress is not what they lack."""
    job, sender, receiver = started(), INIT_NS, INIT_NS
    for _ in range(ROUNDS):
        left = receiver + COMPUTATION + THERE + OVERHEAD + WIRE
        job.call(0, "Send", sender, left, peer=1, tag=1, bytes=BYTES)
        came = {"source": 0, "source_tag": 1, "posted": BYTES}
        taken = left + LATENCY + OVERHEAD
        job.call(1, "Recv", receiver + COMPUTATION, taken, **came)
        sender = left + COMPUTATION + OVERHEAD
        job.call(0, "Send", left + COMPUTATION, sender, peer=1, tag=2, bytes=0)
        receiver = sender + LATENCY + OVERHEAD
        job.call(1, "Recv", taken, receiver, source=0, source_tag=2, posted=0)

    by_name = opportunities(tmp_path, job, receiver)

    # Rounds of 2 C + (o + L) + o + G s + (o + L + o) against those of C + 2 o.
    saved = ROUNDS * (COMPUTATION + 2 * THERE + WIRE) / 1e9
    assert by_name["eager limit"]["gain_seconds"] == pytest.approx(saved, rel=1e-3)
    assert by_name["eager limit"]["assessment"] == "expected"
    assert by_name["asynchronous progress"]["assessment"] == "none"
    assert by_name["asynchronous progress"]["gain_seconds"] == pytest.approx(0, abs=1e-6)
