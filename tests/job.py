"""Jobs that never ran: their calls with the times that they are given, and what a run leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests import synthetic
from tests.native_records import record, stride
from waywiser.native import _native as native
from waywiser.store.directory import RunDirectory

Action = native.Action
ANY = -2
NOBODY = -3
OWN_GROUP = -4
MS = 1_000_000
CALL_NS = 10

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
    Action.make_object: "Comm_split Comm_split_type Comm_dup Cart_create Cart_sub "
    "Dist_graph_create",
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
    return [
        native.Completion(*(completion if isinstance(completion, tuple) else (completion,)))
        for completion in of
    ]


def parameters(writer: native.TraceWriter, function: str, **fields: Any) -> native.TraceParameters:
    """Parameters of a call of `MPI_<function>`; one that is not listed above is a collective."""
    action = _ACTIONS.get(function, Action.collective)
    known: dict[str, Any] = {} if action == Action.none else {"object": 0}
    if "completed" in fields:
        fields["completed"] = _completions(fields["completed"])
    known |= {"function": writer.function(f"MPI_{function}"), "action": action}
    return record(native.TraceParameters, **known | fields)


@dataclass
class _Call:
    function: str
    begin_ns: int
    end_ns: int
    site: int | str
    times: int
    polling_ns: int
    parameters: dict[str, Any]


class Job:
    """Calls of `ranks` ranks, which all have MPI_COMM_WORLD as their object 0.

    Calls of a rank are added in the order of their begins. A `site` is a place of its own: a line
    of `made.c`, or what is said of it.
    """

    def __init__(
        self, ranks: int, *, hosts: Sequence[str] | None = None, killed: Sequence[int] = ()
    ):
        self.ranks = ranks
        self.now = [0] * ranks
        """End of the last call of each rank's first thread and of the computation after it."""
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
        for own, peers in ((ranks, remote), (remote, ranks)) if remote else ((ranks, ()),):
            known: dict[str, Any] = {"kind": kind, "context": context, "name": name}
            if remote:
                known |= {"intercommunicator": True, "own_group": members(list(own))}
            far = peers or own
            created = record(native.TraceObject, size=len(far), members=members(list(far)), **known)
            self.objects.append(created)
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
        created = _Call(function, begin_ns, end_ns, site, times, polling_ns, parameters)
        self._calls.setdefault((rank, thread), []).append(created)
        if thread == 0:
            self.now[rank] = end_ns

    def compute(self, rank: int, ns: int) -> None:
        self.now[rank] += ns

    def then(
        self,
        rank: int,
        function: str,
        local_ns: int = 0,
        /,
        *,
        lasts_ns: int = CALL_NS,
        **fields: Any,
    ) -> None:
        """Adds a call that comes after so much more computing."""
        begin = self.now[rank] + local_ns
        self.call(rank, function, begin, begin + lasts_ns, **fields)

    def write(self, path: Path) -> str:
        """The trace."""
        path.parent.mkdir(parents=True, exist_ok=True)
        writer = native.TraceWriter(str(path))
        objects = [writer.object(created) for created in self.objects]
        for rank in range(self.ranks):
            own = [objects[i] for i in self._of_rank[rank]]
            writer.add_rank(rank, self._hosts[rank], own, rank in self._killed)
        for (rank, thread), calls in sorted(self._calls.items()):
            writer.begin_stream(rank, thread)
            for call in calls:
                site = {"site": call_site(writer, call.site)} if call.site else {}
                created = parameters(writer, call.function, **site | call.parameters)
                writer.append(created, call.begin_ns, call.end_ns, call.times, call.polling_ns)
        writer.finish()
        return str(path)

    def run(self, directory: Path) -> Path:
        """A run directory with the trace, and with the profile that goes with it. All ranks end
        with the last one."""
        trace = self.write(directory / "trace" / "trace.ww")
        profile = record(
            native.Profile,
            world_size=self.ranks,
            abi="openmpi",
            library="Open MPI v5.0.11",
            ranks=[
                record(
                    native.RankProfile,
                    rank=rank,
                    host=self._hosts[rank],
                    ending=native.Ending.finalised,
                    wall_ns=max(self.now),
                    init_ns=self._ns_in(rank, "Init"),
                    finalize_ns=self._ns_in(rank, "Finalize"),
                )
                for rank in range(self.ranks)
            ],
        )
        whole = native.profile_of_trace(trace, 0, 2**63, profile)
        native.write_profile(whole, str(directory / "profile.ww"))
        RunDirectory(directory).write_run(synthetic.run(self.ranks))
        return directory

    def _ns_in(self, rank: int, function: str) -> int:
        calls = self._calls.get((rank, 0), ())
        return sum(call.end_ns - call.begin_ns for call in calls if call.function == function)


def call_site(writer: native.TraceWriter, site: int | str) -> int:
    named = isinstance(site, str)
    place = site if named else f"main at made.c:{site}"
    address = 0x1234 if named else site
    return (
        writer.call_site(record(native.CallSite, module="made", address=address, place=place)) + 1
    )
