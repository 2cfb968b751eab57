"""Pairs of ranks, and the amount that one sent to the other."""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, overload

from pydantic import PlainSerializer, PlainValidator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Pair = tuple[int, int, int]
"""(source world rank, destination world rank, bytes or messages)."""


class Pairs(Sequence[Pair]):
    """Pairs in one array: a job of 16,384 ranks has a million of them."""

    def __init__(self, pairs: Iterable[Pair] | NDArray[np.uint64] | memoryview) -> None:
        self._numbers = _numbers(pairs)
        """Source, destination and amount of each pair, one after the other; read-only."""

    @cached_property
    def array(self) -> NDArray[np.uint64]:
        """The array of shape (n, 3): source, destination, amount; read-only."""
        import numpy as np  # imported late: few commands compute with pairs

        return np.asarray(self._numbers).reshape(-1, 3)

    def heaviest(self, limit: int) -> list[Pair]:
        """The `limit` pairs that sent most, the largest amount first, then by rank."""
        sent = ((amount, -source, -to) for source, to, amount in self if amount > 0)
        return [(-source, -to, amount) for amount, source, to in heapq.nlargest(limit, sent)]

    def amount(self, source: int, destination: int) -> int:
        """The amount that `source` sent to `destination`."""
        return sum(n for a, b, n in self if a == source and b == destination)

    def __len__(self) -> int:
        return len(self._numbers) // 3

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> Pairs: ...
    def __getitem__(self, index: int | slice) -> Pair | Pairs:
        if isinstance(index, slice):
            return Pairs(self[i] for i in range(*index.indices(len(self))))
        begin = 3 * range(len(self))[index]
        source, destination, amount = self._numbers[begin : begin + 3]
        return source, destination, amount

    def __iter__(self) -> Iterator[Pair]:
        numbers = self._numbers
        return zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pairs) and self._numbers == other._numbers

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(bytes(self._numbers))


def _numbers(pairs: Any) -> memoryview:
    """The numbers of all pairs in one dimension; `pairs` is an argument of `Pairs`."""
    try:
        view = memoryview(pairs)  # of the bindings or of NumPy
    except TypeError:
        view = memoryview(array("Q", chain.from_iterable(pairs)))
    octets = view.cast("B") if view.nbytes else memoryview(b"")
    return octets.cast("Q").toreadonly()


def _pairs(value: Any) -> Pairs:
    return value if isinstance(value, Pairs) else Pairs(value)


def as_tuple(values: Iterable[Any]) -> tuple[Any, ...]:
    """Call `tuple`; pydantic would have to parse the signature of `tuple` itself."""
    return tuple(values)


PairsField = Annotated[
    Pairs,
    PlainValidator(_pairs),
    PlainSerializer(as_tuple, return_type=tuple[Pair, ...]),
]
