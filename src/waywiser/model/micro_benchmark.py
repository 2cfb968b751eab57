"""The lines that ww-mpibench writes by `--json FILE`: one for each benchmark and size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from waywiser.errors import InvalidCommand, not_read


class _Read(BaseModel):
    """The base of the lines, whose other keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Parameters(_Read):
    bytes: int | None = None
    """Size of one message."""

    window: int | None = None
    """Number of messages between two replies."""

    pairs: str | None = None
    """Ranks that exchange messages, in the words of `--pairs`: "inside" pairs ranks of one host,
    "between" ranks of two hosts."""


class Details(_Read):
    library: str
    transport: str | None = None
    hosts: int
    """Number of hosts on which the ranks ran."""

    sender_busy_ns: float | None = None
    """Time in MPI calls for one message of a sender that computes between the calls, without tests
    that find nothing. Only the benchmark `loggp` has this field and the next four."""

    receiver_busy_ns: float | None = None
    """Time in MPI's calls for one message of a receiver; None in files older than this metric."""

    interval_ns: float | None = None
    """Interval between two messages of a sender that does nothing else."""

    late_send_ns: float | None = None
    """Time of a blocking send whose receiver came late."""

    late_by_ns: float | None = None
    bandwidth_Bps: float | None = None


class Measurement(_Read):
    """One line of ww-mpibench's output."""

    workload: Literal["mpibench"]
    variant: str
    """Name of the benchmark."""

    parameters: Parameters
    ranks: int
    seconds: float
    verified: bool | None = None
    details: Details


def read_measurements(path: Path) -> Iterator[Measurement]:
    """
    Raises:
        InvalidCommand: the file cannot be read, or a line is not from ww-mpibench.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InvalidCommand(not_read(path, error)) from error
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
