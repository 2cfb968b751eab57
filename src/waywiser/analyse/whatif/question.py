"""A question: every change against the recorded run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from waywiser.analyse.whatif.quantity import UNLIMITED, Change
from waywiser.model.whatif import Progress
from waywiser.units import bytes_text, counted, percent_text, seconds_text, size_text, three_digits


@dataclass(frozen=True)
class Question:
    """The options of `waywiser whatif`; None and "" change nothing."""

    machine: str = ""
    """A machine file, or the name of a machine."""

    topology: str = ""
    """A machine file, or the name of a machine, whose links messages between nodes share."""

    latency: Change | None = None
    """Latency of short messages [ns]; None: unchanged."""

    bandwidth: Change | None = None
    """Bandwidth of long messages [B/s]; None: unchanged."""

    eager_limit_bytes: int | None = None
    placement: str = ""
    """"best", "random", "round-robin", or a file of `waywiser place`."""

    ranks_per_node: int | None = None
    collectives: Mapping[str, str] = field(default_factory=dict)
    """Algorithm by collective: {"allreduce": "ring"}."""

    cpu: float = 1.0
    """Factor by which computation is sped up: 2 is twice as fast."""

    noise: float = 0.0
    """Mean delay of each computation interval, as a share of it."""

    early_sends: bool = False
    """True: sends precede the computation before them."""

    join_messages: bool = False
    """True: consecutive messages from a rank to the same rank are one."""

    no_noise: bool = False
    """True: no rank computes longer than the median of its repetitions, except where all do."""

    ideal_network: bool = False
    balanced: bool = False
    progress: Progress | None = None
    seed: int = 1

    @property
    def changes_computation(self) -> bool:
        """True if ranks compute in another time than recorded."""
        return self.cpu != 1 or self.noise != 0 or self.no_noise or self.balanced

    @property
    def changes_messages(self) -> bool:
        """True if messages of all kinds take another time, or other ways."""
        return replace(self, collectives={}) != Question()

    @property
    def changes(self) -> tuple[str, ...]:
        """Return the changes in words."""
        return tuple(self._changes())

    def _changes(self) -> Iterator[str]:
        if self.machine:
            yield f"on {self.machine}"
        if self.topology:
            yield f"messages share the links of {self.topology}"
        if self.ideal_network:
            yield "messages take no time"
        if self.latency:
            yield f"latency {_change_text(self.latency, lambda ns: seconds_text(ns / 1e9))}"
        if self.bandwidth:
            yield f"bandwidth {_change_text(self.bandwidth, rate_text)}"
        if self.eager_limit_bytes is not None:
            limit = self.eager_limit_bytes
            yield f"eager limit {'none' if limit == UNLIMITED else size_text(limit)}"
        if self.ranks_per_node:
            yield f"{counted(self.ranks_per_node, 'rank')} on each node"
        if self.placement:
            yield f"placement {self.placement}"
        for collective, algorithm in self.collectives.items():
            yield f"{collective} by {algorithm}"
        if self.cpu != 1:
            yield f"computation {three_digits(self.cpu)} times as fast"
        if self.noise:
            yield f"noise {percent_text(self.noise)} of computation"
        if self.early_sends:
            yield "sends posted before the computation that precedes them"
        if self.join_messages:
            yield "consecutive messages to the same rank joined"
        if self.no_noise:
            yield "no rank computes longer than the median of its repetitions, except where all do"
        if self.balanced:
            yield "computation balanced over the ranks"
        if self.progress:
            yield {
                "asynchronous": "messages progress while ranks compute",
                "in-calls": "messages progress in MPI calls only",
            }[self.progress]


def _change_text(change: Change, text: Callable[[float], str]) -> str:
    return f"x {three_digits(change.value)}" if change.relative else text(change.value)


def rate_text(rate: float) -> str:
    """Return a bandwidth in B/s, as "12.5 GB/s"."""
    return f"{bytes_text(rate)}/s"
