"""The tables of a profile: their columns, and the functions that read their rows from a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from waywiser.analyse.remarks import rank_ranges
from waywiser.api.frame import Column, Frame, columns_of, frame_of
from waywiser.model.summary import Summary
from waywiser.model.waits import CallPlace
from waywiser.native._native import LOAD_FIELDS, NODE_FIELDS, RANK_FIELDS

BIGINT, DOUBLE, VARCHAR, BOOLEAN = "BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN"

Columns = dict[str, tuple[str, str]]
"""Name -> (SQL type, meaning)."""


def _recorded(fields: Iterable[tuple[str, str, bool, str]]) -> Columns:
    """Columns from the fields of the profile's records (native/trace/records/fields.hpp)."""
    units = {"seconds": " [s]", "joules": " [J]", "bytes": " [B]"}
    return {
        name: (
            DOUBLE if kind == "float" else BIGINT,
            f"{about}{units.get(name.rpartition('_')[2], '')}"
            f"{'; null where not known' if optional else ''}",
        )
        for name, kind, optional, about in fields
    }


_LOAD = _recorded(LOAD_FIELDS)
_PENDING: Columns = {
    "pending_calls": (BIGINT, "calls that found nothing complete; `calls` includes them"),
    "pending_seconds": (DOUBLE, "of `seconds`: time in pending calls [s]"),
}
_MOST: Columns = {
    "most_rank": (BIGINT, "rank with the longest time in it"),
    "most_seconds": (DOUBLE, "time of that rank [s]"),
}
_KIND = "kind of waiting, as `late_sender`"


class Table(NamedTuple):
    about: str
    columns: Columns
    values: Callable[[Summary, Mapping[str, str]], Mapping[str, Column]]
    """(summary, column -> SQL type) -> the values of each column."""

    traced: bool = False
    """True if only runs with a trace have rows."""

    @property
    def types(self) -> dict[str, str]:
        return {name: kind for name, (kind, _) in self.columns.items()}

    def frame(self, summary: Summary) -> Frame:
        return frame_of(self.types, self.values(summary, self.types))


def _from_rows(
    rows: Callable[[Summary], Iterable[tuple[Any, ...]]],
) -> Callable[[Summary, Mapping[str, str]], Mapping[str, Column]]:
    return lambda summary, types: columns_of(types, list(rows(summary)))


def _fields(item: object, names: Iterable[str]) -> tuple[Any, ...]:
    return tuple(getattr(item, name) for name in names)


def _findings(summary: Summary) -> Iterator[tuple[Any, ...]]:
    diagnosis = summary.diagnosis
    if diagnosis is None:
        return
    parts = {
        "finding": diagnosis.findings,
        "cause": (diagnosis.cause,),
        "next step": (diagnosis.next_step,),
        "remark": diagnosis.remarks,
    }
    for part, findings in parts.items():
        for finding in filter(None, findings):
            ranks = ",".join(rank_ranges(finding.ranks)) or None
            yield (part, finding.kind, ranks, finding.seconds, finding.share, finding.sentence)


def _functions(summary: Summary) -> Iterator[tuple[Any, ...]]:
    for name, total in summary.functions.items():
        ends = [
            (None, None) if end is None else (end.rank, end.seconds)
            for end in (total.most, total.least)
        ]
        yield (name, *_fields(total, (*_LOAD, *_PENDING)), *ends[0], *ends[1])


_HOST: Columns = {"host": (VARCHAR, "node")}
_RANK: Columns = {
    "rank": (BIGINT, "rank in MPI_COMM_WORLD"),
    **_HOST,
    "cpus": (VARCHAR, "CPUs that the rank may run on, as `0-3,8`"),
    **_recorded(RANK_FIELDS),
    "mpi_seconds": (DOUBLE, "time in MPI, without MPI_Init and MPI_Finalize [s]"),
    "application_seconds": (DOUBLE, "time outside MPI, of all threads that called it [s]"),
    "sync_seconds": (DOUBLE, "of `mpi_seconds`: time in the barriers of `--split-sync` [s]"),
    "mpi_threads": (BIGINT, "threads that called MPI"),
    "progress_threads": (BIGINT, "of these, threads that only make progress"),
}
_NODE: Columns = {**_HOST, **_recorded(NODE_FIELDS)}


def _ranks(summary: Summary) -> Iterator[tuple[Any, ...]]:
    return (_fields(rank, _RANK) for rank in summary.per_rank or ())


def _nodes(summary: Summary) -> Iterator[tuple[Any, ...]]:
    return (_fields(node, _NODE) for node in summary.nodes)


def _rank_functions(summary: Summary) -> Iterator[tuple[Any, ...]]:
    for rank in summary.per_rank or ():
        for name, function in rank.functions.items():
            yield (rank.rank, name, *_fields(function, (*_LOAD, *_PENDING)))


def _sizes(summary: Summary) -> Iterator[tuple[Any, ...]]:
    for name, total in summary.functions.items():
        yield from ((name, *size) for size in total.sizes)


def _matrix(summary: Summary, types: Mapping[str, str]) -> dict[str, Column]:
    """The columns of the pairs of ranks with an amount in one of the matrices."""
    matrices = (summary.matrix, summary.collective_matrix)
    amounts = [pairs.array for matrix in matrices for pairs in (matrix.bytes, matrix.messages)]
    # Ranks are below 2^32, so that one number identifies a pair.
    keys = [array[:, 0] << np.uint64(32) | array[:, 1] for array in amounts]
    pairs = np.unique(np.concatenate(keys))
    columns = [pairs >> np.uint64(32), pairs & np.uint64(2**32 - 1)]
    for key, array in zip(keys, amounts, strict=True):
        column = np.zeros(len(pairs), dtype=np.uint64)
        np.add.at(column, np.searchsorted(pairs, key), array[:, 2])
        columns.append(column)
    return dict(zip(types, columns, strict=True))


_SITE = ("place", "module", "address", "function", "ranks")


def _call_sites(summary: Summary) -> Iterator[tuple[Any, ...]]:
    for site in summary.call_sites:
        yield (*_fields(site, (*_SITE, *_LOAD)), site.most.rank, site.most.seconds)


def _communicators(summary: Summary) -> Iterator[tuple[Any, ...]]:
    for number, communicator in enumerate(summary.communicators):
        for name, function in communicator.functions.items():
            about = (
                number,
                communicator.name,
                communicator.size,
                communicator.ranks,
                communicator.intercommunicator,
            )
            yield (*about, name, *_fields(function, _LOAD))


def _phases(summary: Summary) -> Iterator[tuple[Any, ...]]:
    names = ("phase", "name", "entries", "seconds", "max_seconds", "max_rank")
    return (_fields(phase, names) for phase in summary.phases)


def _waits(summary: Summary) -> Iterator[tuple[Any, ...]]:
    for rank in summary.waits.ranks if summary.waits else ():
        yield from ((rank.rank, kind, seconds) for kind, seconds in rank.seconds.items())


def _place(place: CallPlace | None) -> tuple[str | None, str | None]:
    return (None, None) if place is None else (place.function, place.place)


def _causes(summary: Summary) -> Iterator[tuple[Any, ...]]:
    measures = ("seconds", "mpi_share", "calls", "direct_seconds", "most_waiting_rank")
    for cause in summary.waits.causes if summary.waits else ():
        places = (cause.before, cause.after)
        yield (
            *(cause.wait, *_place(cause.waiting), cause.causing_rank, cause.computing),
            *(part for place in places for part in _place(place)),
            *_fields(cause, measures),
        )


def _pairs(summary: Summary) -> Sequence[tuple[Any, ...]]:
    return summary.waits.pairs if summary.waits else ()


def _critical_path(summary: Summary) -> Iterator[tuple[Any, ...]]:
    for part in summary.waits.critical_path if summary.waits else ():
        yield (part.rank, part.computing, *_place(part.place), part.seconds)


def _named(*names: str) -> Columns:
    """The columns of a function's name and place."""
    return {
        f"{name}_{part}": (VARCHAR, f"{part} of the call {about}")
        for name, about in zip(names[::2], names[1::2], strict=True)
        for part in ("function", "place")
    }


_FUNCTION: Columns = {"function": (VARCHAR, "MPI function")}

TABLES: dict[str, Table] = {
    "findings": Table(
        "A row for each sentence of the diagnosis.",
        {
            "part": (VARCHAR, "`finding`, `cause`, `next step` or `remark`"),
            "kind": (VARCHAR, "what it is about, as `waiting`"),
            "ranks": (VARCHAR, "ranks that it is about, as `0-3,8`; null where it is all of them"),
            "seconds": (DOUBLE, "time that it is about, of all ranks; of a next step, gain [s]"),
            "share": (DOUBLE, "of the time of all ranks; of a next step, of the run time"),
            "sentence": (VARCHAR, "the sentence"),
        },
        _from_rows(_findings),
    ),
    "functions": Table(
        "A row for each MPI function, summed over ranks.",
        {
            **_FUNCTION,
            **_LOAD,
            **_PENDING,
            **_MOST,
            "least_rank": (BIGINT, "of the ranks that called it, the one with the shortest time"),
            "least_seconds": (DOUBLE, "time of that rank [s]"),
        },
        _from_rows(_functions),
    ),
    "ranks": Table("A row for each rank.", _RANK, _from_rows(_ranks)),
    "nodes": Table("A row for each node.", _NODE, _from_rows(_nodes)),
    "rank_functions": Table(
        "A row for each MPI function of each rank.",
        {"rank": _RANK["rank"], **_FUNCTION, **_LOAD, **_PENDING},
        _from_rows(_rank_functions),
    ),
    "sizes": Table(
        "A row for each MPI function and range of message sizes.",
        {
            **_FUNCTION,
            "upper_bytes": (BIGINT, "largest size in the range, inclusive [B]"),
            "calls": _LOAD["calls"],
            "seconds": _LOAD["seconds"],
        },
        _from_rows(_sizes),
    ),
    "matrix": Table(
        "A row for each pair of ranks of which one sent to the other.",
        {
            "source": (BIGINT, "rank that sent"),
            "destination": (BIGINT, "rank that it sent to"),
            "bytes": (BIGINT, "payload of point-to-point messages [B]"),
            "messages": (BIGINT, "point-to-point messages"),
            "collective_bytes": (BIGINT, "payload that collectives sent [B]"),
            "collective_messages": (BIGINT, "messages of collectives"),
        },
        _matrix,
    ),
    "call_sites": Table(
        "A row for each MPI function and place that it was called from (`--callsites`).",
        {
            "place": (VARCHAR, "function, file and line, as `solve at cg.c:131`"),
            "module": (VARCHAR, "file that the code was loaded from"),
            "address": (VARCHAR, "return address in that file, in hexadecimal"),
            **_FUNCTION,
            "ranks": (BIGINT, "ranks that called it there"),
            **_LOAD,
            **_MOST,
        },
        _from_rows(_call_sites),
    ),
    "communicators": Table(
        "A row for each communicator and collective function on it.",
        {
            "communicator": (BIGINT, "number of the communicator, from 0"),
            "name": (VARCHAR, "name of the communicator"),
            "size": (BIGINT, "processes; null for all communicators that are not counted singly"),
            "members": (VARCHAR, "its ranks in MPI_COMM_WORLD, as `0-14:2` for every second"),
            "intercommunicator": (BOOLEAN, "size and members are those of the remote group"),
            **_FUNCTION,
            **_LOAD,
        },
        _from_rows(_communicators),
    ),
    "phases": Table(
        "A row for each phase between calls of MPI_Pcontrol.",
        {
            "phase": (BIGINT, "level that MPI_Pcontrol was called with"),
            "name": (VARCHAR, "name of the phase"),
            "entries": (BIGINT, "times that it was entered, by the rank with most"),
            "seconds": (DOUBLE, "mean time over ranks [s]"),
            "max_seconds": (DOUBLE, "time of the rank that was in it longest [s]"),
            "max_rank": (BIGINT, "that rank"),
        },
        _from_rows(_phases),
    ),
    "waits": Table(
        "A row for each rank and kind of waiting.",
        {
            "rank": (BIGINT, "rank that waited"),
            "kind": (VARCHAR, _KIND),
            "seconds": (DOUBLE, "time that it waited [s]"),
        },
        _from_rows(_waits),
        traced=True,
    ),
    "wait_causes": Table(
        "A row for each cause of waiting, the largest first.",
        {
            "kind": (VARCHAR, _KIND),
            **_named("waiting", "that waited"),
            "causing_rank": (BIGINT, "rank on which the delay arose"),
            "computing": (BOOLEAN, "the delay lies between two calls of that rank, not in one"),
            **_named("before", "before the delay", "after", "after the delay, or in which it lies"),
            "seconds": (DOUBLE, "time that all ranks waited [s]"),
            "mpi_share": (DOUBLE, "the same, as a share of all ranks' time in MPI"),
            "calls": (BIGINT, "calls that waited"),
            "direct_seconds": (DOUBLE, "of `seconds`: caused by that rank itself [s]"),
            "most_waiting_rank": (BIGINT, "rank that waited longest"),
        },
        _from_rows(_causes),
        traced=True,
    ),
    "wait_pairs": Table(
        "A row for each pair of ranks of which one waited for the other.",
        {
            "waiting": (BIGINT, "rank that waited"),
            "awaited": (BIGINT, "rank that it waited for"),
            "seconds": (DOUBLE, "time that it waited [s]"),
            "calls": (BIGINT, "calls that waited"),
        },
        _from_rows(_pairs),
        traced=True,
    ),
    "critical_path": Table(
        "A row for each place on the critical path, the longest first.",
        {
            "rank": (BIGINT, "rank"),
            "computing": (BOOLEAN, "the path lies between this call and the next, not in it"),
            "function": (VARCHAR, "MPI function of the call; null before the first"),
            "place": (VARCHAR, "where it was called"),
            "seconds": (DOUBLE, "time that the path spends there [s]"),
        },
        _from_rows(_critical_path),
        traced=True,
    ),
}
"""Name -> table of a run's summary."""
