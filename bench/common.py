"""What the benchmarks share: the machine's description, and how bars are reported."""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Record = dict[str, Any]


def machine() -> Record:
    """Where and when samples were taken; the first line of every file of samples."""
    cpu = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    return {
        "machine": platform.node(),
        "cpu": cpu,
        "cpus": os.cpu_count(),
        "system": platform.platform(),
        "load_average": os.getloadavg()[0],
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def report_bars(bars: list[Record], *, print_all: bool) -> int:
    """Prints bars as JSON lines.

    Returns:
        The benchmark's exit code: 1 if one does not hold.
    """
    for bar in bars:
        if print_all or not bar["holds"]:
            print(json.dumps(bar))
    return int(not all(bar["holds"] for bar in bars))
