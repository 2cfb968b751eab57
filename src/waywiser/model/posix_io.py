"""The files that a rank reads and writes beside MPI."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class IoFunction(BaseModel):
    """One of libc's functions, with its variants (`open` and `open64`), on regular files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: int
    bytes: int
    """Read or written; stdio's when they enter its buffer."""

    seconds: float
    max_seconds: float
    """Of the longest call."""


class PosixIo(BaseModel):
    """Between MPI_Init and MPI_Finalize, without what happens within MPI calls (MPI-IO)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seconds: float
    bytes: int
    functions: dict[str, IoFunction]
