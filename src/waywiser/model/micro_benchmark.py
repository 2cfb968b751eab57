"""The lines that ww-mpibench writes by `--json FILE`: one for each benchmark and size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from waywiser.errors import InvalidCommand


class _Read(BaseModel):
    """The program may tell more."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Parameters(_Read):
    bytes: int | None = None
    """Of one message."""

    window: int | None = None
    """Messages between two answers."""

    pairs: str | None = None
    """Who talks to whom, as `--pairs` says it: "inside" are ranks of one host, "between" of two."""


class Details(_Read):
    library: str
    transport: str | None = None
    hosts: int
    """On which the ranks ran."""

    sender_busy_ns: float | None = None
    """Of `loggp`, as the next four: in MPI's calls for one message of a sender who computes
    between them, without the time of tests that find nothing."""

    receiver_busy_ns: float | None = None
    """Time in MPI's calls for one message of a receiver; None in files older than this figure."""

    interval_ns: float | None = None
    """Between two messages of a sender who does nothing else."""

    late_send_ns: float | None = None
    """How long a blocking send took whose receiver came late."""

    late_by_ns: float | None = None
    bandwidth_Bps: float | None = None


class Measurement(_Read):
    """One line."""

    workload: Literal["mpibench"]
    variant: str
    """The benchmark."""

    parameters: Parameters
    ranks: int
    seconds: float
    verified: bool | None = None
    details: Details


def read_measurements(path: Path) -> Iterator[Measurement]:
    """
    Raises:
        InvalidCommand: the file cannot be read, or a line is none of ww-mpibench's.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InvalidCommand(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidCommand(f"{path} is not valid JSON: {error}") from error
    for number, line in enumerate(lines, 1):
        try:
            yield Measurement.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(map(str, first["loc"])) or "line"
            raise InvalidCommand(
                f"{path}, line {number}: {key}: {first['msg']}; expected what"
                " `ww-mpibench --json FILE` writes"
            ) from error
