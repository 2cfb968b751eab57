"""What the benchmarks share: their file of raw samples, and bars with their report."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from waywiser.launch import host

Record = dict[str, Any]


def machine() -> Record:
    """Where and when samples were taken; the first line of every file of samples."""
    now = {"load_average": os.getloadavg()[0], "time": datetime.now(UTC).isoformat("T", "seconds")}
    return host.machine().model_dump() | now


def add_output_options(parser: argparse.ArgumentParser, name: str) -> None:
    """`--out` and `--bars` of the benchmark `name`."""
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(__file__).parent / "results" / f"{name}.jsonl",
        help=f"raw samples, as JSON lines (default: bench/results/{name}.jsonl)",
    )
    parser.add_argument(
        "--bars", action="store_true", help="print one JSON line a bar instead of the summary"
    )


@contextmanager
def raw_samples(path: Path) -> Iterator[Callable[[Record], None]]:
    """Writes a file of samples, which begins with the machine; yields what adds one sample."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as out:

        def add(record: Record) -> None:
            out.write(json.dumps(record) + "\n")

        add(machine())
        yield add


def at_most(limit: float, name: str, kind: str, value: float, **beside: float) -> Record:
    """A bar that holds up to `limit`; `beside` are figures that help to judge it."""
    wanted = {"wanted": f"<= {limit:.4g}", "holds": value <= limit}
    return {"bar": name, "kind": kind, "value": value, **wanted, **beside}


def at_least(limit: float, name: str, kind: str, value: float, **beside: float) -> Record:
    """The same, from `limit` on."""
    wanted = {"wanted": f">= {limit:.4g}", "holds": value >= limit}
    return {"bar": name, "kind": kind, "value": value, **wanted, **beside}


def report_bars(bars: list[Record], *, print_all: bool) -> int:
    """Prints bars as JSON lines.

    Returns:
        The benchmark's exit code: 1 if one does not hold.
    """
    for bar in bars:
        if print_all or not bar["holds"]:
            print(json.dumps(bar))
    return int(not all(bar["holds"] for bar in bars))
