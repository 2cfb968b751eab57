"""The profile of a rank's reads and writes of files."""

from __future__ import annotations

from waywiser.model.posix_io import IoFunction, PosixIo
from waywiser.native._native import RankProfile

NS = 1e-9


def posix_io_of(rank: RankProfile) -> PosixIo | None:
    """The rank's reads and writes; None if there were none, or --posix-io was not given."""
    functions = {
        function.name: IoFunction(
            calls=function.load.calls,
            bytes=function.load.bytes,
            seconds=function.load.ns * NS,
            max_seconds=function.load.max_ns * NS,
        )
        for function in rank.io
    }
    if not functions:
        return None
    return PosixIo(
        seconds=sum(function.seconds for function in functions.values()),
        bytes=sum(function.bytes for function in functions.values()),
        functions=functions,
    )
