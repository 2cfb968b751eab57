"""Traces of programs that never ran: their calls with the times that they are given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.native_records import record, stride
from waywiser.native import _native as native

Action = native.Action
ANY = -2
NOBODY = -3
OWN_GROUP = -4
MS = 1_000_000

_FUNCTIONS = {
    Action.send: "Send Ssend Bsend Rsend Isend Issend",
    Action.receive: "Recv Irecv Mrecv",
    Action.send_receive: "Sendrecv",
    Action.prepare_send: "Send_init Ssend_init Bsend_init Psend_init",
    Action.prepare_receive: "Recv_init Precv_init",
    Action.prepare_collective: "Allreduce_init Bcast_init",
    Action.start: "Start Startall",
    Action.complete: "Wait Waitall Waitany Waitsome Test Testall Testany Testsome",
    Action.probe: "Probe Iprobe Mprobe",
    Action.make_object: "Comm_split Comm_dup Cart_create Dist_graph_create",
    Action.rma_sync: "Win_fence Win_post Win_start Win_complete Win_wait Win_test Win_lock "
    "Win_lock_all Win_unlock Win_unlock_all Win_flush Win_flush_all",
    Action.rma: "Put Get Rget Get_accumulate",
    Action.free_object: "File_close",
    Action.file_collective: "File_read_all File_iread_all File_write_ordered "
    "File_write_all_begin File_write_all_end",
    Action.initialise: "Init",
    Action.finalise: "Finalize",
    Action.cancel: "Cancel",
    Action.none: "Comm_rank Pready Pready_range Pready_list",
}
_ACTIONS = {name: action for action, names in _FUNCTIONS.items() for name in names.split()}


def members(ranks: Sequence[int]) -> list[native.Stride]:
    """The ranks as a list of strides."""
    if len(ranks) == 1:
        return [stride(ranks[0], 1, 1)]
    step = ranks[1] - ranks[0]
    if all(b - a == step for a, b in pairwise(ranks)):
        return [stride(ranks[0], step, len(ranks))]
    return [stride(rank, 1, 1) for rank in ranks]


def _completions(of: object) -> list[native.Completion]:
    assert isinstance(of, list)
    return [native.Completion(*(one if isinstance(one, tuple) else (one,))) for one in of]


@dataclass
class _Call:
    function: str
    begin_ns: int
    end_ns: int
    site: int | str
    times: int
    polling_ns: int
    parameters: dict[str, object]


PlannedCall = tuple[str, int, dict[str, Any]]
"""Function, local time before it [ns], parameters."""


def call(function: str, local_ns: int = 0, /, **parameters: Any) -> PlannedCall:
    return function, local_ns, parameters


class MadeTrace:
    """Calls of `ranks` ranks, which all have MPI_COMM_WORLD as their object 0.

    Calls of a rank are added in the order of their begins. A call that is not listed above is a
    collective. A `site` is a place of its own: a line of `made.c`, or what is said of it.
    """

    def __init__(
        self, ranks: int, *, hosts: Sequence[str] | None = None, killed: Sequence[int] = ()
    ):
        self.ranks = ranks
        self._hosts = hosts or ["host"] * ranks
        self._killed = set(killed)
        self.objects: list[native.TraceObject] = []
        self._of_rank: list[list[int]] = [[] for _ in range(ranks)]
        self._calls: dict[tuple[int, int], list[_Call]] = {}
        self.communicator(range(ranks), name="MPI_COMM_WORLD")

    def communicator(
        self,
        ranks: Sequence[int],
        *,
        name: str = "",
        kind: native.ObjectKind = native.ObjectKind.communicator,
        remote: Sequence[int] = (),
    ) -> int:
        """A new object of these ranks, and of `remote` where it is an intercommunicator.

        Returns its number on the first of its ranks.
        """
        context = len(self.objects) + 1
        for own, other in ((ranks, remote), (remote, ranks)) if remote else ((ranks, ()),):
            known: dict[str, Any] = {"kind": kind, "context": context, "name": name}
            if remote:
                known |= {"intercommunicator": True, "own_group": members(list(own))}
            far = other or own
            made = record(native.TraceObject, size=len(far), members=members(list(far)), **known)
            self.objects.append(made)
            for rank in own:
                self._of_rank[rank].append(len(self.objects) - 1)
        return len(self._of_rank[ranks[0]]) - 1

    def call(
        self,
        rank: int,
        function: str,
        begin_ns: int,
        end_ns: int,
        *,
        site: int | str = 0,
        thread: int = 0,
        times: int = 1,
        polling_ns: int = 0,
        **parameters: object,
    ) -> None:
        """Adds `MPI_<function>`; `completed` is of (index, source, tag) or of indices."""
        self._calls.setdefault((rank, thread), []).append(
            _Call(function, begin_ns, end_ns, site, times, polling_ns, parameters)
        )

    def after(self, rank: int, local_ns: int, function: str, **parameters: Any) -> None:
        """Adds a call of 100 ns, that time after the end of the one before of thread 0."""
        before = self._calls.get((rank, 0))
        begin_ns = local_ns + (before[-1].end_ns if before else 0)
        self.call(rank, function, begin_ns, begin_ns + 100, **parameters)

    def write(self, path: Path) -> str:
        path.parent.mkdir(parents=True, exist_ok=True)
        writer = native.TraceWriter(str(path))
        objects = [writer.object(made) for made in self.objects]
        for rank in range(self.ranks):
            own = [objects[i] for i in self._of_rank[rank]]
            writer.add_rank(rank, self._hosts[rank], own, rank in self._killed)
        for (rank, thread), calls in sorted(self._calls.items()):
            writer.begin_stream(rank, thread)
            for call in calls:
                made = self._parameters(writer, call)
                writer.append(made, call.begin_ns, call.end_ns, call.times, call.polling_ns)
        writer.finish()
        return str(path)

    def _parameters(self, writer: native.TraceWriter, call: _Call) -> native.TraceParameters:
        function = writer.function(f"MPI_{call.function}")
        action = _ACTIONS.get(call.function, Action.collective)
        given: dict[str, Any] = {} if action == Action.none else {"object": 0}
        if call.site:
            named = isinstance(call.site, str)
            place = call.site if named else f"main at made.c:{call.site}"
            address = 0x1234 if named else call.site
            site = record(native.CallSite, module="made", address=address, place=place)
            given["site"] = writer.call_site(site) + 1
        given |= call.parameters
        if "completed" in given:
            given["completed"] = _completions(given["completed"])
        return record(native.TraceParameters, **{"function": function, "action": action, **given})


def made_job(path: Path) -> None:
    """Three ranks on two hosts: blocking and nonblocking messages, a receive from any source,
    polls, collectives over two communicators, a second thread."""
    trace = MadeTrace(3, hosts=["node0", "node0", "node1"])
    trace.communicator([2, 0], name="pair")

    def call(rank: int, function: str, begin_ns: int, end_ns: int, **values: Any) -> None:
        site = 'solve, "fast" at cg.c:131'
        trace.call(rank, function, begin_ns, end_ns, site=site, **values)

    call(0, "Init", 0, 100)
    call(0, "Isend", 1000, 1100, peer=1, tag=7, bytes=64, request=0)
    call(0, "Isend", 1200, 1250, peer=1, tag=7, bytes=128, request=1)
    call(0, "Waitall", 1300, 2500, requests=[0, 1], completed=[(0,), (1,)])
    call(0, "Bcast", 3000, 3500, object=1, peer=0, bytes=0, posted=4096)
    call(0, "Sendrecv", 3600, 3900, object=1, peer=0, tag=5, bytes=8, source=0, source_tag=5,
         posted=8)  # fmt: skip
    call(0, "Allreduce", 4000, 5000, bytes=8, posted=8)
    call(0, "Finalize", 9000, 9100)

    call(1, "Init", 0, 120)
    call(1, "Irecv", 500, 520, source=ANY, source_tag=7, posted=256, request=0)
    call(1, "Irecv", 530, 540, source=0, source_tag=7, posted=256, request=1)
    call(1, "Test", 600, 1000, requests=[1], found=False, times=9, polling_ns=90)
    call(1, "Wait", 1010, 2300, requests=[1], completed=[(0,)])
    call(1, "Wait", 2310, 2400, requests=[0], completed=[(0, 0)])
    call(1, "Recv", 2500, 2600, source=ANY, source_tag=ANY, posted=16,
         matched_source=2, matched_tag=9)  # fmt: skip
    call(1, "Allreduce", 4700, 5000, bytes=8, posted=8)
    call(1, "Finalize", 9000, 9100)
    call(1, "Comm_rank", 700, 701, object=0, thread=1)

    call(2, "Init", 0, 110)
    call(2, "Send", 900, 2000, peer=1, tag=9, bytes=16)
    call(2, "Bcast", 3100, 3400, object=1, peer=0, bytes=4096)
    call(2, "Sendrecv", 3500, 3900, object=1, peer=1, tag=5, bytes=8, source=1, source_tag=5,
         posted=8)  # fmt: skip
    call(2, "Allreduce", 4900, 5000, bytes=8, posted=8)
    call(2, "Finalize", 9000, 9100)
    trace.write(path)


def made_replay(path: Path) -> None:
    """Four ranks whose local time alone makes the job last 9 ms: 4 ms to a barrier, 1 ms beside a
    ring of messages, 3 ms of rank 2 before a reduction of the even ranks, 1 ms of rank 3 before its
    message to rank 0. Calls last as they may; a replay finds out."""
    trace = MadeTrace(4)
    trace.communicator([0, 2], name="even")
    trace.communicator([1, 3], name="odd")
    for rank in range(4):
        for function, local_ns, values in _replayed_calls(rank):
            trace.after(rank, local_ns, function, **values)
    trace.write(path)


def _replayed_calls(rank: int) -> Iterator[PlannedCall]:
    left, right = (rank - 1) % 4, (rank + 1) % 4
    yield call("Init")
    yield call("Barrier", (rank + 1) * MS)
    named = ANY if rank == 2 else left
    yield call("Irecv", source=named, source_tag=3, posted=999, request=0)
    yield call("Irecv", source=left, source_tag=3, posted=99, request=2)
    yield call("Isend", peer=right, tag=3, bytes=64, request=1)
    yield call("Isend", peer=right, tag=3, bytes=32, request=3)
    done = [(0, left if rank == 2 else -1), (1,), (2,), (3,)]
    yield call("Waitall", MS, requests=[0, 1, 2, 3], completed=done)
    yield call("Comm_split", created=1)
    late = {"object": 1, "bytes": 80, "posted": 80}
    yield call("Allreduce", 3 * MS if rank == 2 else 0, **late)
    yield call("Ibarrier", request=0)
    yield call("Wait", 2 * MS if rank == 1 else 0, requests=[0], completed=[(0,)])
    other = {"object": 1, "peer": 1 - rank // 2, "tag": 3, "bytes": 5}
    yield call("Sendrecv", **(other | {"source": 1 - rank // 2, "source_tag": 3, "posted": 5}))
    yield call("Send_init", peer=right, tag=4, bytes=7, request=0)
    yield call("Recv_init", source=left, source_tag=4, posted=7, request=1)
    for _ in range(2):
        yield call("Startall", requests=[0, 1])
        yield call("Waitall", requests=[0, 1], completed=[(0,), (1,)])
    for name in ("Allgather", "Alltoall", "Allreduce", "Scan", "Exscan", "Reduce_scatter_block"):
        for over, ranks in ((0, 4), (1, 2)):
            yield call(name, object=over, bytes=8 * ranks, posted=8 * ranks)
    for name in ("Bcast", "Reduce", "Gather", "Scatter"):
        for over in (0, 1):
            yield call(name, object=over, peer=1, bytes=16, posted=16)
    counts = [0, 10, 20, 30]
    yield call("Alltoallv", bytes=60, posted=120, counts=counts)
    yield call("Allgatherv", bytes=10 * rank, posted=60)
    root = {"peer": 1}
    yield call("Gatherv", **(root | {"bytes": 5 * rank, "posted": 30 if rank == 1 else 0}))
    shares = {"bytes": 60, "counts": counts} if rank == 1 else {}
    yield call("Scatterv", **(root | {"posted": 10 * rank} | shares))
    if rank == 3:
        yield call("Send", MS, peer=0, tag=0, bytes=1)
    if rank == 0:
        yield call("Recv", source=3, source_tag=0, posted=1)
    yield call("Finalize")
