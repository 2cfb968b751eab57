"""What the benchmarks share: the machine's description, and how bars are reported."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import Any

from waywiser.launch import host

Record = dict[str, Any]


def machine() -> Record:
    """Where and when samples were taken; the first line of every file of samples."""
    now = {"load_average": os.getloadavg()[0], "time": datetime.now(UTC).isoformat("T", "seconds")}
    return host.machine().model_dump() | now


def report_bars(bars: list[Record], *, print_all: bool) -> int:
    """Prints bars as JSON lines.

    Returns:
        The benchmark's exit code: 1 if one does not hold.
    """
    for bar in bars:
        if print_all or not bar["holds"]:
            print(json.dumps(bar))
    return int(not all(bar["holds"] for bar in bars))
