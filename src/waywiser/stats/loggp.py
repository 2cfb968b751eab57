"""LogGP's parameters from measured costs of messages, in pieces by message size.

In LogGP a message of s bytes takes L + 2o + G s from one program to the other. A sender that does
nothing else sends one message every g + G s. The CPU is busy for o + O s at each end: O is
the part of o that grows with the size, as where the CPU copies. Squares of *relative* errors
of all three are summed, so that 8 B and 4 MiB weigh the same, and no parameter is negative.

Sources: A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, "LogGP: incorporating long messages
into the LogP model", SPAA 1995. T. Kielmann, H. Bal, K. Verstoep, "Fast measurement of LogP
parameters for message passing platforms", IPDPS workshops 2000. T. Hoefler, A. Lichei, W. Rehm,
"Low-overhead LogGP parameter assessment for modern interconnection networks", IPDPS 2007. O:
T. Hoefler, T. Schneider, A. Lumsdaine, "LogGOPSim: simulating large-scale applications in the
LogGOPS model", HPDC 2010.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from waywiser.errors import NotEnoughData
from waywiser.stats.scaling import Estimate

Floats = NDArray[np.float64]

SIZES_NEEDED = 3
"""Smallest number of sizes in a piece: nine measured costs determine five parameters."""

_MOST_PIECES = 6
_UNSEEN = 0.01
"""Share of a message's time below which differences cannot be resolved."""
_SHORT = 0.05
"""Smallest error of an overhead, as a share of a message's time: overheads are differences between
times of messages."""
_REPLICATES = 1000
_RIDGE = 1e-12
_SUBSETS = [terms for size in range(5, 0, -1) for terms in combinations(range(5), size)]


@dataclass(frozen=True)
class MessageCosts:
    """The measured costs of messages, by rising sizes; arrays of shape (sizes,)."""

    bytes: Floats
    overhead_s: Floats
    """Time that the CPU is busy at each end: the mean of sending and receiving."""
    one_way_s: Floats
    """Time from the start of the send to the end of the receive."""
    interval_s: Floats
    """Interval between two messages of a sender that does nothing else."""


@dataclass(frozen=True)
class Piece:
    """LogGP's parameters of messages up to a size, each with its 95 % interval."""

    up_to_bytes: int | None
    """The longest message with these parameters; None for the last piece."""
    latency_s: Estimate
    overhead_s: Estimate
    gap_s: Estimate
    seconds_per_byte: Estimate
    overhead_s_per_byte: Estimate
    sizes: int
    """Number of sizes that the piece was fitted to."""
    relative_error: float
    """Root of the mean square of (fitted - measured) / measured."""


def fit_loggp(
    costs: MessageCosts, eager_limit_bytes: float | None = None, *, seed: int = 0
) -> tuple[Piece, ...]:
    """Fit as many pieces as the measured costs justify by Schwarz's criterion. One piece ends at
    the eager limit if it is one of the sizes.

    Args:
        eager_limit_bytes: the longest message that is sent before its receive is posted.
        seed: of the bootstrap, so that a calibration can be made again.

    Raises:
        NotEnoughData: fewer than 3 sizes, or fewer than 3 on one side of the eager limit; times
            of messages that are not > 0.

    Source: Y.-C. Yao, "Estimating the number of change-points via Schwarz' criterion", Statistics
    & Probability Letters 6(3), 1988.
    """
    times = np.minimum(costs.one_way_s, costs.interval_s)
    unusable = costs.bytes[~(np.isfinite(times) & (times > 0))]
    if unusable.size:
        raise NotEnoughData(
            f"the time of a message of {unusable[0]:g} B, or the interval between two, is not above"
            " 0 s: measure again, with a core for each rank"
        )
    size = costs.bytes
    last = None
    if eager_limit_bytes is not None and size[0] <= eager_limit_bytes < size[-1]:
        last = int(np.searchsorted(size, eager_limit_bytes, side="right"))
    sides = [size.size] if last is None else [last, size.size - last]
    if min(sides) < SIZES_NEEDED:
        beside = (
            "" if last is None else f" on each side of the eager limit, {eager_limit_bytes:g} B"
        )
        raise NotEnoughData(f"LogGP needs {SIZES_NEEDED} sizes of messages{beside}")
    ends = _ends(costs, last)
    limits: list[int | None] = [int(size[end - 1]) for end in ends[:-1]]
    if last is not None and eager_limit_bytes is not None:
        limits[ends.index(last)] = int(eager_limit_bytes)
    rng = np.random.default_rng(seed)
    return tuple(
        _piece(limit, costs, begin, end, rng)
        for limit, begin, end in zip([*limits, None], [0, *ends[:-1]], ends, strict=True)
    )


def eager_limit(sizes: ArrayLike, send_s: ArrayLike, late_s: ArrayLike) -> int | None:
    """Return the longest of the measured messages that is sent before its receive is posted.

    Args:
        sizes: rising, in bytes.
        send_s: time of a blocking send whose receiver came late.
        late_s: delay of the receiver.

    Returns:
        None if all sends waited for their receivers; the longest size if no send waited.
    """
    waited = np.asarray(send_s, float) > np.asarray(late_s, float) / 2
    before = np.asarray(sizes)[: int(np.argmax(waited)) if waited.any() else waited.size]
    return int(before[-1]) if before.size else None


def _ends(costs: MessageCosts, forced: int | None) -> list[int]:
    """Ends of the pieces, as numbers of sizes. Dynamic programming finds the least squares for each
    count of pieces; the criterion chooses the count."""
    sizes = costs.bytes.size
    squares = np.full((sizes + 1, sizes + 1), np.inf)
    for begin in range(sizes):
        for end in range(begin + SIZES_NEEDED, sizes + 1):
            if forced is None or not begin < forced < end:
                squares[begin, end] = _solve(*_system(costs, begin, end))[1][0]
    equations = 3 * sizes
    best, chosen = np.inf, [sizes]
    total, paths = squares[0].copy(), [[end] for end in range(sizes + 1)]
    for count in range(1, _MOST_PIECES + 1):
        if np.isfinite(total[sizes]):
            left = total[sizes] / equations + _UNSEEN**2
            # Five parameters and an end for each piece.
            score = equations * np.log(left) + 6 * count * np.log(equations)
            if score < best:
                best, chosen = score, paths[sizes]
        through = total[:, None] + squares
        via = np.argmin(through, axis=0)
        total = through[via, np.arange(sizes + 1)]
        paths = [[*paths[middle], end] for end, middle in enumerate(via)]
    return chosen


def _piece(
    limit: int | None, costs: MessageCosts, begin: int, end: int, rng: np.random.Generator
) -> Piece:
    design, measured = _system(costs, begin, end)
    parameters, squares = _solve(design, measured)
    freedom = measured.size - int((parameters[0] > 0).sum())
    # The scatter is itself an estimate, from few sizes: each replicate draws it anew.
    scatter = np.sqrt(squares / rng.chisquare(max(1, freedom), _REPLICATES))
    errors = scatter[:, None] * rng.standard_normal((_REPLICATES, measured.size))
    drawn, _ = _solve(design, design @ parameters[0] + errors)
    # A rate too high to be measured is not infinite.
    least = _UNSEEN * costs.one_way_s[end - 1] / costs.bytes[end - 1]
    parameters[:, 3], drawn[:, 3] = (
        np.maximum(parameters[:, 3], least),
        np.maximum(drawn[:, 3], least),
    )
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    latency, overhead, gap, per_byte, overhead_per_byte = (
        Estimate(float(value), float(min(value, a)), float(max(value, b)))
        for value, a, b in zip(parameters[0], low, high, strict=True)
    )
    error = float(np.sqrt(squares[0] / measured.size))
    return Piece(limit, latency, overhead, gap, per_byte, overhead_per_byte, end - begin, error)


def _system(costs: MessageCosts, begin: int, end: int) -> tuple[Floats, Floats]:
    """Equations of L, o, g, G, O in relative errors: rows of the design, and measured values."""
    part = slice(begin, end)
    size, one_way = costs.bytes[part], costs.one_way_s[part]
    zeros, ones = np.zeros_like(size), np.ones_like(size)
    design = np.concatenate(
        [
            np.stack([zeros, ones, zeros, zeros, size], axis=1),
            np.stack([ones, 2 * ones, zeros, size, zeros], axis=1),
            np.stack([zeros, zeros, ones, size, zeros], axis=1),
        ]
    )
    measured = np.concatenate([costs.overhead_s[part], one_way, costs.interval_s[part]])
    weight = np.maximum(measured, np.concatenate([_SHORT * one_way, zeros, zeros]))
    return design / weight[:, None], measured / weight


def _solve(design: Floats, measured: Floats) -> tuple[Floats, Floats]:
    """Least squares without negative parameters, for each row of `measured`.

    All sets of positive parameters are tried, which are few for five parameters.

    Returns:
        parameters, shape (rows, parameters), and sums of squares, shape (rows,).
    """
    rows = np.atleast_2d(measured)
    # Columns are scaled to length 1, since bytes and ones are of different sizes.
    length = np.linalg.norm(design, axis=0)
    unit = design / length
    normal = unit.T @ unit + _RIDGE * np.eye(unit.shape[1])
    right = rows @ unit
    best = np.zeros((len(rows), design.shape[1]))
    squares = (rows**2).sum(axis=1)
    for terms in _SUBSETS:
        solution = np.linalg.solve(normal[np.ix_(terms, terms)], right[:, terms].T).T
        residual = ((rows - solution @ unit[:, terms].T) ** 2).sum(axis=1)
        better = (solution >= 0).all(axis=1) & (residual < squares)
        full = np.zeros_like(best)
        full[:, terms] = solution / length[list(terms)]
        best[better], squares[better] = full[better], residual[better]
        if len(terms) == len(length) and better.all():
            break  # no parameter is at its bound
    return best, squares
