"""The times of a run on virtual clocks, which are those of another machine."""

from __future__ import annotations

from waywiser.model.base import Model


class VirtualFunction(Model):
    """An MPI function on the virtual clocks, summed over all ranks."""

    calls: int
    seconds: float
    waiting_seconds: float
    """Time in the function before the partner came."""

    transfer_seconds: float
    """Time in the function since the partner came."""


class VirtualRank(Model):
    """Times of one rank: seconds = compute + waiting + transfer + overhead."""

    rank: int
    seconds: float
    """Time from the end of MPI_Init until all ranks have met in MPI_Finalize."""

    compute_seconds: float
    waiting_seconds: float
    transfer_seconds: float
    overhead_seconds: float
    """Time of the CPU's own work in MPI calls, and of calls without other participants."""

    real_seconds: float
    """Time here from the end of MPI_Init to the start of MPI_Finalize, with `following_seconds`."""

    following_seconds: float
    """Part of `real_seconds` that the clocks took."""


class VirtualClocks(Model):
    """A run on the clocks of another machine, which followed the run here."""

    machine: str
    """Machine, as the user named it to --virtual."""

    title: str
    cpu: float
    """Speed of computation as a multiple of this machine's speed."""

    ranks_per_node: int | None = None
    """Number of ranks on a node; None: as in the run here."""

    seconds: float | None
    """Time of the rank that takes longest. None where a rank was not followed to its end; then
    `functions` and `per_rank` are empty, and `remarks` begins with the reason."""

    validation_error: float | None = None
    """Relative error of predicted messages between the machine's nodes; None: not validated."""

    real_seconds: float
    messages: int
    """Number of messages, without the steps of collectives."""

    handshakes: int
    """Messages above the eager limit."""

    senders_seconds: float
    """Upper bound of the time that senders of `handshakes` would have waited for their receivers,
    summed over ranks. The clocks omit this time, because only the receiver knows of it."""

    stamps: int
    """Number of messages that the clocks sent themselves."""

    stamp_bytes: int
    functions: dict[str, VirtualFunction]
    """MPI functions, the longest time first."""

    per_rank: tuple[VirtualRank, ...]
    remarks: tuple[str, ...] = ()
    """One sentence for each thing that was approximated or left out."""
