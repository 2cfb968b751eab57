"""Traces of programs that never ran: their calls with the times that they are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from waywiser.native import _native as native

Action = native.Action
ANY = -2
NOBODY = -3
OWN_GROUP = -4

_ACTIONS = {
    **dict.fromkeys(("Send", "Ssend", "Bsend", "Isend", "Issend"), Action.send),
    **dict.fromkeys(("Recv", "Irecv", "Mrecv"), Action.receive),
    "Sendrecv": Action.send_receive,
    **dict.fromkeys(("Send_init", "Psend_init"), Action.prepare_send),
    **dict.fromkeys(("Recv_init", "Precv_init"), Action.prepare_receive),
    **dict.fromkeys(("Allreduce_init", "Bcast_init"), Action.prepare_collective),
    **dict.fromkeys(("Start", "Startall"), Action.start),
    **dict.fromkeys(("Wait", "Waitall", "Waitany", "Waitsome", "Test"), Action.complete),
    **dict.fromkeys(("Probe", "Iprobe", "Mprobe"), Action.probe),
    **dict.fromkeys(
        ("Comm_split", "Comm_dup", "Cart_create", "Dist_graph_create"), Action.make_object
    ),
    **dict.fromkeys(
        (
            *("Win_fence", "Win_post", "Win_start", "Win_complete", "Win_wait", "Win_test"),
            *(
                "Win_lock",
                "Win_lock_all",
                "Win_unlock",
                "Win_unlock_all",
                "Win_flush",
                "Win_flush_all",
            ),
        ),
        Action.rma_sync,
    ),
    **dict.fromkeys(("Put", "Get", "Rget", "Get_accumulate"), Action.rma),
    "File_close": Action.free_object,
    **dict.fromkeys(
        (
            *("File_read_all", "File_iread_all", "File_write_ordered"),
            *("File_write_all_begin", "File_write_all_end"),
        ),
        Action.file_collective,
    ),
    "Init": Action.initialise,
    "Finalize": Action.finalise,
    "Cancel": Action.cancel,
    **dict.fromkeys(("Comm_rank", "Pready", "Pready_range", "Pready_list"), Action.none),
}


def stride(first: int, step: int, count: int) -> native.Stride:
    made = native.Stride()
    made.first, made.stride, made.count = first, step, count
    return made


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
    site: int
    times: int
    polling_ns: int
    parameters: dict[str, object]


class MadeTrace:
    """Calls of `ranks` ranks, which all have MPI_COMM_WORLD as their object 0.

    Calls of a rank are added in the order of their begins. A call that is not listed above is a
    collective. Each line of `site` is a place of its own, "line" of `made.c`.
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
            made = native.TraceObject()
            made.kind, made.context, made.name = kind, context, name
            made.members = members(list(other or own))
            made.size = len(other or own)
            if remote:
                made.intercommunicator = True
                made.own_group = members(list(own))
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
        site: int = 0,
        thread: int = 0,
        times: int = 1,
        polling_ns: int = 0,
        **parameters: object,
    ) -> None:
        """Adds `MPI_<function>`; `completed` is of (index, source, tag) or of indices."""
        self._calls.setdefault((rank, thread), []).append(
            _Call(function, begin_ns, end_ns, site, times, polling_ns, parameters)
        )

    def write(self, path: Path) -> str:
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
        made = native.TraceParameters()
        made.function = writer.function(f"MPI_{call.function}")
        if call.site:
            place = native.CallSite()
            place.module, place.address = "made", call.site
            place.place = f"main at made.c:{call.site}"
            made.site = writer.call_site(place) + 1
        made.action = _ACTIONS.get(call.function, Action.collective)
        if made.action != Action.none:
            made.object = 0
        for name, value in call.parameters.items():
            setattr(made, name, _completions(value) if name == "completed" else value)
        return made
