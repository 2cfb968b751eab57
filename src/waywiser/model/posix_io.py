"""The files that a rank reads and writes beside MPI."""

from __future__ import annotations

from waywiser.model.base import Model


class IoFunction(Model):
    """One of libc's functions, with its variants (`open` and `open64`), on regular files."""

    calls: int
    bytes: int
    """Number of bytes read or written; stdio's count when they enter its buffer."""

    seconds: float
    max_seconds: float
    """Time of the longest call."""


class PosixIo(Model):
    """POSIX I/O between MPI_Init and MPI_Finalize, without I/O within MPI calls (MPI-IO)."""

    seconds: float
    bytes: int
    functions: dict[str, IoFunction]
