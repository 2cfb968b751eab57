"""The settings of virtual clocks."""

from __future__ import annotations

from pathlib import PurePath

from pydantic import Field

from waywiser.errors import InvalidCommand
from waywiser.model.base import Model
from waywiser.model.machine import LogGP, Machine

LONGEST_EAGER_BYTES = 2**62
"""Eager limit where a machine file names none: all messages are sent at once."""


class VirtualSettings(Model):
    """The settings of the clocks of one machine."""

    machine: str
    title: str
    cpu: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    ranks_per_node: int | None = Field(default=None, gt=0)
    within: tuple[LogGP, ...]
    within_eager_bytes: int
    between: tuple[LogGP, ...]
    between_eager_bytes: int
    validation_error: float | None = None
    remarks: tuple[str, ...] = ()

    def text(self) -> str:
        """The settings in the form that native/virtual/settings.hpp reads."""
        lines = [f"cpu {self.cpu!r}", f"ranks_per_node {self.ranks_per_node or 0}"]
        for name, eager_bytes, costs in (
            ("within", self.within_eager_bytes, self.within),
            ("between", self.between_eager_bytes, self.between),
        ):
            lines.append(f"{name} {eager_bytes}")
            lines += [f"{name}_cost {_words(cost)}" for cost in costs]
        return "\n".join(lines) + "\n"


def _words(cost: LogGP) -> str:
    up_to = -1 if cost.up_to_bytes is None else cost.up_to_bytes
    times_ns = (
        cost.latency_us * 1e3,
        cost.overhead_us * 1e3,
        cost.gap_us * 1e3,
        1 / cost.bandwidth_GBps,
        cost.overhead_ns_per_byte,
    )
    return " ".join(map(repr, (up_to, *times_ns)))


def virtual_settings(
    name: str, machine: Machine, cpu: float, ranks_per_node: int | None
) -> VirtualSettings:
    """Return the settings of a machine's clocks.

    Raises:
        InvalidCommand: the machine file lacks the costs of messages between nodes.
    """
    network, node = machine.network, machine.node
    if not network.loggp:
        raise InvalidCommand(
            f"{PurePath(name).name}: network.loggp is missing, without which it is not known what "
            "messages cost; `waywiser machine calibrate` measures it"
        )
    remarks: tuple[str, ...] = ()
    within, within_eager = node.loggp, node.eager_limit_bytes
    if not within:
        within, within_eager = network.loggp, network.eager_limit_bytes
        remarks = ("node.loggp is missing: messages within a node cost what those between do",)
    return VirtualSettings(
        machine=name,
        title=machine.title,
        cpu=cpu,
        ranks_per_node=ranks_per_node,
        within=within,
        within_eager_bytes=LONGEST_EAGER_BYTES if within_eager is None else within_eager,
        between=network.loggp,
        between_eager_bytes=LONGEST_EAGER_BYTES
        if network.eager_limit_bytes is None
        else network.eager_limit_bytes,
        validation_error=machine.prediction_error("network"),
        remarks=remarks,
    )
