"""Matching of messages of made-up ranks, seen as the arrows of a Perfetto trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.job import ANY, Job
from tests.unit.test_export_perfetto import decoded
from waywiser.native._native import Action, export_trace


def arrows(job: Job, directory: Path) -> set[tuple[int, str]]:
    """Bytes that were sent, and the call at whose end they were received, as NAME@begin."""
    written, exported = directory / "trace.ww", directory / "trace.pftrace"
    job.write(written)
    export_trace(str(written), "perfetto", str(exported))
    slices = decoded(exported).slices
    tails = {flow: span.notes["bytes"] for span in slices for flow in span.tails}
    return {
        (tails[flow], f"{span.name}@{span.begin_ns}")
        for span in slices
        for flow in span.heads
        if flow in tails
    }


def two_ranks(*sent_bytes: int, tag: int = 1) -> Job:
    """Rank 0 has sent these to rank 1."""
    job = Job(2)
    for sent in sent_bytes:
        job.then(0, "Send", 10, lasts_ns=100, peer=1, tag=tag, bytes=sent)
    return job


def test_a_probed_message_is_that_of_the_probe(tmp_path: Path) -> None:
    job = two_ranks(10, 20)
    probe: dict[str, Any] = {"action": Action.probe, "source": ANY, "source_tag": ANY}
    job.call(1, "Improbe", 0, 1, **probe, found=False)
    job.call(1, "Mprobe", 10, 11, **probe, request=0, matched_source=0, matched_tag=1)
    job.call(1, "Recv", 20, 21, source=0, source_tag=1, posted=20)
    receive: dict[str, Any] = {"action": Action.receive, "message": 0}
    job.call(1, "Imrecv", 30, 31, **receive, posted=10, request=1)
    job.call(1, "Wait", 40, 41, requests=[1], completed=[(0,)])
    assert arrows(job, tmp_path) == {(10, "MPI_Wait@40"), (20, "MPI_Recv@20")}


def test_a_persistent_receive_from_any_source_gets_a_message_each_time(tmp_path: Path) -> None:
    job = two_ranks(10, 20, 30)
    job.call(1, "Recv_init", 0, 1, source=ANY, source_tag=1, posted=99, request=0)
    for begin in (10, 20):
        job.call(1, "Startall", begin, begin + 1, requests=[0])
        job.call(1, "Wait", begin + 5, begin + 6, requests=[0], completed=[(0, 0)])
    job.call(1, "Recv", 30, 31, source=0, source_tag=1, posted=99)
    assert arrows(job, tmp_path) == {
        (10, "MPI_Wait@15"),
        (20, "MPI_Wait@25"),
        (30, "MPI_Recv@30"),
    }


def test_a_cancelled_receive_takes_no_message(tmp_path: Path) -> None:
    job = two_ranks(10)
    job.call(1, "Irecv", 0, 1, source=ANY, source_tag=1, posted=99, request=0)
    job.call(1, "Recv", 10, 11, source=0, source_tag=1, posted=99)
    job.call(1, "Cancel", 20, 21, action=Action.cancel, requests=[0])
    job.call(1, "Wait", 30, 31, requests=[0], completed=[(0,)])
    assert arrows(job, tmp_path) == {(10, "MPI_Recv@10")}


def test_another_thread_may_complete_a_request(tmp_path: Path) -> None:
    job = two_ranks(10, 20)
    receive = {"source": 0, "source_tag": 1, "posted": 99, "request": 0}
    job.call(1, "Irecv", 0, 1, **receive)
    job.call(1, "Irecv", 15, 40, **receive)  # of a request that the other thread freed meanwhile
    job.call(1, "Wait", 10, 20, thread=1, requests=[0], completed=[(0,)])
    job.call(1, "Wait", 41, 50, thread=1, requests=[0], completed=[(0,)])
    assert arrows(job, tmp_path) == {(10, "MPI_Wait@10"), (20, "MPI_Wait@41")}


def test_tags_and_communicators_are_distinguished(tmp_path: Path) -> None:
    job = Job(2)
    job.communicator([0, 1], name="copy")
    for sent, (over, tag) in enumerate([(0, 1), (1, 1), (0, 2)], start=1):
        job.then(0, "Send", 10, lasts_ns=100, object=over, peer=1, tag=tag, bytes=sent)
    for begin, (over, tag) in zip((100, 200, 300), [(0, 2), (1, 1), (0, 1)], strict=True):
        job.call(1, "Recv", begin, begin + 1, object=over, source=0, source_tag=tag, posted=9)
    assert arrows(job, tmp_path) == {
        (3, "MPI_Recv@100"),
        (2, "MPI_Recv@200"),
        (1, "MPI_Recv@300"),
    }


def test_a_receive_that_never_says_its_source_holds_back_a_bounded_number_of_calls(
    tmp_path: Path,
) -> None:
    calls = 70_000
    job = two_ranks(10, tag=5)
    job.call(1, "Irecv", 0, 1, source=ANY, source_tag=1, posted=99, request=0)
    for _ in range(calls):
        job.then(1, "Comm_rank", 1, lasts_ns=100, object=0)
    job.call(1, "Recv", 10**9, 10**9 + 1, source=0, source_tag=5, posted=99)
    assert arrows(job, tmp_path) == {(10, "MPI_Recv@1000000000")}
