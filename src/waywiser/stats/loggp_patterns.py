"""LogGP's predictions for patterns of messages that its parameters were not fitted to.

Two ranks have a full-duplex link each, as ww-mpibench runs them. The messages of a window are
sent one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from waywiser.stats.loggp import Piece


def piece_of(pieces: Sequence[Piece], size: float) -> Piece:
    """Return the parameters of messages of `size` bytes."""
    for piece in pieces:
        if piece.up_to_bytes is None or size <= piece.up_to_bytes:
            return piece
    return pieces[-1]


def one_way_s(pieces: Sequence[Piece], size: float) -> float:
    piece = piece_of(pieces, size)
    overheads = 2 * piece.overhead_s.value
    return piece.latency_s.value + overheads + piece.seconds_per_byte.value * size


def busy_s(pieces: Sequence[Piece], size: float) -> float:
    """Time that the CPU of a sender, or of a receiver, is busy with a message [s]."""
    piece = piece_of(pieces, size)
    return piece.overhead_s.value + piece.overhead_s_per_byte.value * size


def interval_s(pieces: Sequence[Piece], size: float) -> float:
    """Interval between two messages of a sender that does nothing else [s]."""
    piece = piece_of(pieces, size)
    return piece.gap_s.value + piece.seconds_per_byte.value * size


def _bandwidth(pieces: Sequence[Piece], size: float, window: int) -> float:
    """Time of a window of messages, and of the short reply [s]."""
    each = max(interval_s(pieces, size), busy_s(pieces, size))
    return (window - 1) * each + one_way_s(pieces, size) + one_way_s(pieces, 1)


def _bibandwidth(pieces: Sequence[Piece], size: float, window: int) -> float:
    """Time of a window of messages in both directions [s]: each CPU sends and receives."""
    each = max(interval_s(pieces, size), 2 * busy_s(pieces, size))
    return (window - 1) * each + one_way_s(pieces, size)


PATTERNS: Mapping[str, Callable[[Sequence[Piece], float, int], float]] = {
    "latency": lambda pieces, size, _window: one_way_s(pieces, size),
    "bandwidth": _bandwidth,
    "bibandwidth": _bibandwidth,
}
"""ww-mpibench's benchmarks of one pair: pieces, bytes of a message and window -> seconds."""
