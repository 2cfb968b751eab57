"""The trace of a halo exchange on a ring that never ran, with a reduction in each iteration."""

from __future__ import annotations

from pathlib import Path

from tests.native_records import record, stride
from waywiser.native import _native as native

US = 1_000
ITERATION_NS, SLOW_NS = 1_000 * US, 100 * US
BYTES = 8192
SLOW = 1
"""The rank that computes longer than the others, which wait for it."""

CALLS = 6
"""Of an iteration."""


def write_ring(path: Path, ranks: int, iterations: int) -> Path:
    """Iteration i is from i to i + 1 ms after MPI_Init, which takes 2 ms."""
    writer = native.TraceWriter(str(path))
    kind, members = native.ObjectKind.communicator, [stride(0, 1, ranks)]
    about = {"context": 1, "size": ranks, "name": "MPI_COMM_WORLD"}
    world = record(native.TraceObject, kind=kind, members=members, **about)
    place = record(native.CallSite, module="ring", address=16, place="exchange at ring.c:42")
    site, world_object = writer.call_site(place) + 1, writer.object(world)
    for rank in range(ranks):
        writer.add_rank(rank, "host", [world_object])
        writer.begin_stream(rank, 0)
        exchange = [
            (call, _parameters(writer, site, call, **values))
            for call, values in _exchange(rank, ranks)
        ]
        writer.append(_parameters(writer, 0, "Init"), 0, 2 * ITERATION_NS)
        for i in range(iterations):
            begin = (2 + i) * ITERATION_NS + 700 * US + SLOW_NS * (rank == SLOW)
            last = (2 + i) * ITERATION_NS + 700 * US + SLOW_NS + 60 * US
            for n, (call, parameters) in enumerate(exchange):
                at = begin + 2 * US * n
                end = {"Waitall": last, "Allreduce": last + 40 * US}.get(call, at + US)
                writer.append(parameters, last + 20 * US if call == "Allreduce" else at, end)
        end = (2 + iterations) * ITERATION_NS
        writer.append(_parameters(writer, 0, "Finalize"), end, end + 500 * US)
    writer.finish()
    return path


def _exchange(rank: int, ranks: int) -> list[tuple[str, dict[str, object]]]:
    left, right = (rank - 1) % ranks, (rank + 1) % ranks
    receive = {"source_tag": 0, "posted": BYTES}
    return [
        ("Irecv", {"source": left, "request": 0, **receive}),
        ("Irecv", {"source": right, "request": 1, **receive, "source_tag": 1}),
        ("Isend", {"peer": right, "tag": 0, "bytes": BYTES, "request": 2}),
        ("Isend", {"peer": left, "tag": 1, "bytes": BYTES, "request": 3}),
        (
            "Waitall",
            {"requests": [0, 1, 2, 3], "completed": [native.Completion(i) for i in range(4)]},
        ),
        ("Allreduce", {"bytes": 8, "posted": 8}),
    ]


def _parameters(
    writer: native.TraceWriter, site: int, call: str, **values: object
) -> native.TraceParameters:
    actions = {
        "Init": native.Action.initialise,
        "Finalize": native.Action.finalise,
        "Irecv": native.Action.receive,
        "Isend": native.Action.send,
        "Waitall": native.Action.complete,
        "Allreduce": native.Action.collective,
    }
    function = writer.function(f"MPI_{call}")
    if site and call != "Waitall":
        values["object"] = 0
    return record(
        native.TraceParameters, function=function, site=site, action=actions[call], **values
    )
