"""Which call received what: messages of made-up ranks, seen as the arrows of a Perfetto trace."""

from __future__ import annotations

from pathlib import Path

from tests.made_trace import ANY, MadeTrace
from tests.unit.test_export_perfetto import decoded
from waywiser.native._native import Action, export_trace


def arrows(path: Path) -> set[tuple[int, str]]:
    """Bytes that were sent, and the call at whose end they were received, as NAME@begin."""
    export_trace(str(path), "perfetto", str(path.with_suffix(".pftrace")))
    slices = decoded(path.with_suffix(".pftrace")).slices
    tails = {flow: one.notes["bytes"] for one in slices for flow in one.tails}
    return {
        (tails[flow], f"{one.name}@{one.begin_ns}")
        for one in slices
        for flow in one.heads
        if flow in tails
    }


def two_ranks(path: Path, *sent_bytes: int, tag: int = 1) -> MadeTrace:
    """Rank 0 has sent these to rank 1, whose calls come next."""
    trace = MadeTrace(path)
    world = trace.communicator("MPI_COMM_WORLD", 1, 0, 1)
    trace.rank(0, world)
    for sent in sent_bytes:
        trace.after(10, "MPI_Send", object=0, peer=1, tag=tag, bytes=sent)
    trace.rank(1, world)
    return trace


def test_a_probed_message_is_that_of_the_probe(tmp_path: Path) -> None:
    trace = two_ranks(tmp_path / "trace.ww", 10, 20)
    probe = {"action": Action.probe, "object": 0, "source": ANY, "source_tag": ANY}
    trace.call("MPI_Improbe", 0, 1, **probe, found=False)
    trace.call("MPI_Mprobe", 10, 11, **probe, request=0, matched_source=0, matched_tag=1)
    trace.call("MPI_Recv", 20, 21, object=0, source=0, source_tag=1, posted=20)
    receive = {"action": Action.receive, "object": 0, "message": 0}
    trace.call("MPI_Imrecv", 30, 31, **receive, posted=10, request=1)
    trace.call("MPI_Wait", 40, 41, requests=[1], completed=[(0,)])
    trace.finish()

    assert arrows(tmp_path / "trace.ww") == {(10, "MPI_Wait@40"), (20, "MPI_Recv@20")}


def test_a_persistent_receive_from_any_source_gets_a_message_each_time(tmp_path: Path) -> None:
    trace = two_ranks(tmp_path / "trace.ww", 10, 20, 30)
    trace.call("MPI_Recv_init", 0, 1, object=0, source=ANY, source_tag=1, posted=99, request=0)
    for begin in (10, 20):
        trace.call("MPI_Startall", begin, begin + 1, requests=[0])
        trace.call("MPI_Wait", begin + 5, begin + 6, requests=[0], completed=[(0, 0)])
    trace.call("MPI_Recv", 30, 31, object=0, source=0, source_tag=1, posted=99)
    trace.finish()

    assert arrows(tmp_path / "trace.ww") == {
        (10, "MPI_Wait@15"),
        (20, "MPI_Wait@25"),
        (30, "MPI_Recv@30"),
    }


def test_a_cancelled_receive_takes_no_message(tmp_path: Path) -> None:
    trace = two_ranks(tmp_path / "trace.ww", 10)
    trace.call("MPI_Irecv", 0, 1, object=0, source=ANY, source_tag=1, posted=99, request=0)
    trace.call("MPI_Recv", 10, 11, object=0, source=0, source_tag=1, posted=99)
    trace.call("MPI_Cancel", 20, 21, action=Action.cancel, requests=[0])
    trace.call("MPI_Wait", 30, 31, requests=[0], completed=[(0,)])
    trace.finish()

    assert arrows(tmp_path / "trace.ww") == {(10, "MPI_Recv@10")}


def test_another_thread_may_complete_a_request(tmp_path: Path) -> None:
    trace = two_ranks(tmp_path / "trace.ww", 10, 20)
    receive = {"object": 0, "source": 0, "source_tag": 1, "posted": 99, "request": 0}
    trace.call("MPI_Irecv", 0, 1, **receive)
    trace.call("MPI_Irecv", 15, 40, **receive)  # of a request that the other thread freed meanwhile
    trace.thread(1, 1)
    trace.call("MPI_Wait", 10, 20, requests=[0], completed=[(0,)])
    trace.call("MPI_Wait", 41, 50, requests=[0], completed=[(0,)])
    trace.finish()

    assert arrows(tmp_path / "trace.ww") == {(10, "MPI_Wait@10"), (20, "MPI_Wait@41")}


def test_tags_and_communicators_are_told_apart(tmp_path: Path) -> None:
    trace = MadeTrace(tmp_path / "trace.ww")
    both = [trace.communicator(f"copy {i}", i, 0, 1) for i in range(2)]
    trace.rank(0, *both)
    for sent, (over, tag) in enumerate([(0, 1), (1, 1), (0, 2)], start=1):
        trace.after(10, "MPI_Send", object=over, peer=1, tag=tag, bytes=sent)
    trace.rank(1, *both)
    for begin, (over, tag) in zip((100, 200, 300), [(0, 2), (1, 1), (0, 1)], strict=True):
        trace.call("MPI_Recv", begin, begin + 1, object=over, source=0, source_tag=tag, posted=9)
    trace.finish()

    assert arrows(tmp_path / "trace.ww") == {
        (3, "MPI_Recv@100"),
        (2, "MPI_Recv@200"),
        (1, "MPI_Recv@300"),
    }


def test_a_receive_that_never_says_its_source_holds_back_a_bounded_number_of_calls(
    tmp_path: Path,
) -> None:
    calls = 70_000
    trace = two_ranks(tmp_path / "trace.ww", 10, tag=5)
    trace.call("MPI_Irecv", 0, 1, object=0, source=ANY, source_tag=1, posted=99, request=0)
    for _ in range(calls):
        trace.after(1, "MPI_Comm_rank", object=0)
    trace.call("MPI_Recv", 10**9, 10**9 + 1, object=0, source=0, source_tag=5, posted=99)
    trace.finish()

    assert arrows(tmp_path / "trace.ww") == {(10, "MPI_Recv@1000000000")}
