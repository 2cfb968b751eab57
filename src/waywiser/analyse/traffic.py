"""The pattern of messages between ranks, for which a placement is made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from waywiser.errors import NotEnoughData
from waywiser.model.summary import Summary
from waywiser.store.matrix_market import CommunicationMatrix


@dataclass(frozen=True)
class Traffic:
    """The messages between ranks; entries of the same pair add up."""

    ranks: int
    sources: NDArray[np.uint32]
    """Sending ranks, shape (entries,) as all arrays here."""

    targets: NDArray[np.uint32]
    bytes: NDArray[np.uint64]
    messages: NDArray[np.uint64]
    remarks: tuple[str, ...] = ()


def traffic_of_run(summary: Summary, name: str) -> Traffic:
    """Return point-to-point messages, and collectives by their logical pattern.

    Raises:
        NotEnoughData: no rank sent anything to another.
    """
    both = (summary.matrix, summary.collective_matrix)
    sent = np.concatenate([matrix.bytes.array for matrix in both])
    messages = np.concatenate([matrix.messages.array for matrix in both])
    ends = np.concatenate([sent, messages])[:, :2].astype(np.uint32)
    nothing = np.zeros_like
    if not np.any(ends[:, 0] != ends[:, 1]):
        unknown = "; ".join(summary.collective_remarks)
        raise NotEnoughData(
            f"{name}: the communication matrix is not known: {unknown}"
            if unknown
            else f"{name}: no rank sent anything to another, so any order is as good"
        )
    return Traffic(
        summary.ranks,
        np.ascontiguousarray(ends[:, 0]),
        np.ascontiguousarray(ends[:, 1]),
        np.concatenate([sent[:, 2], nothing(messages[:, 2])]),
        np.concatenate([nothing(sent[:, 2]), messages[:, 2]]),
        tuple(f"{name}: {remark}" for remark in summary.collective_remarks),
    )


def traffic_of_matrix(
    matrix: CommunicationMatrix, messages: CommunicationMatrix | None = None
) -> Traffic:
    """
    Args:
        messages: numbers of messages between the same ranks; None if unknown.
    """
    if messages is None:
        none = np.zeros_like(matrix.bytes)
        return Traffic(
            matrix.ranks, matrix.sources, matrix.targets, matrix.bytes, none, matrix.remarks
        )
    return Traffic(
        matrix.ranks,
        np.concatenate([matrix.sources, messages.sources]),
        np.concatenate([matrix.targets, messages.targets]),
        np.concatenate([matrix.bytes, np.zeros_like(messages.bytes)]),
        np.concatenate([np.zeros_like(matrix.bytes), messages.bytes]),
        matrix.remarks,
    )
