"""Other load on the node while a command ran: programs, and a hypervisor that took CPU time."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waywiser.model.run import Conditions

STAT = Path("/proc/stat")
_FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")


class Watch:
    """A watch over the node, which gains `conditions` when the command has ended."""

    conditions: Conditions | None = None


@contextmanager
def watched() -> Iterator[Watch]:
    """Watches the node while the body runs a command and waits for its processes."""
    watch = Watch()
    load, before, began = os.getloadavg()[0], _node_seconds(), time.monotonic()
    ours = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        yield watch
    finally:
        wall, after = time.monotonic() - began, _node_seconds()
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        watch.conditions = Conditions(
            wall_seconds=wall,
            cpu_seconds=now.ru_utime + now.ru_stime - ours.ru_utime - ours.ru_stime,
            busy_seconds=max(0.0, after[0] - before[0]),
            stolen_seconds=max(0.0, after[1] - before[1]),
            involuntary_switches=now.ru_nivcsw - ours.ru_nivcsw,
            load_average=load,
        )


def _node_seconds() -> tuple[float, float]:
    """Return the CPU time that was used, and that was stolen, since boot, over all CPUs (proc(5),
    /proc/stat); zeros if the kernel does not report it."""
    try:
        words = STAT.read_text().split("\n", 1)[0].split()[1:]
        ticks = dict(zip(_FIELDS, map(int, words), strict=False))
        per_second = os.sysconf("SC_CLK_TCK")
        used = sum(ticks[name] for name in ("user", "nice", "system", "irq", "softirq"))
        return used / per_second, ticks["steal"] / per_second
    except (OSError, KeyError, ValueError):
        return 0.0, 0.0
