"""Lists of CPUs as the kernel writes them."""

from __future__ import annotations

import re

_CPU_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


def cpu_mask(cpus: str) -> int | None:
    """The CPUs of a kernel's list as bits ("0-1,3" is 0b1011); None for any other text."""
    mask = 0
    for part in cpus.split(","):
        match = _CPU_RANGE.fullmatch(part)
        if match is None:
            return None
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            return None
        mask |= ((1 << (last - first + 1)) - 1) << first
    return mask
