"""Lines of ww-mpibench of a network whose LogGP parameters are known."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

EAGER_LIMIT = 8192
SIZES = [2**power for power in range(23)]


@dataclass(frozen=True)
class Truth:
    """In s, and s/B."""

    latency: float
    overhead: float
    gap: float
    per_byte: float
    overhead_per_byte: float

    def one_way(self, size: float) -> float:
        return self.latency + 2 * self.overhead + self.per_byte * size

    def busy(self, size: float) -> float:
        return self.overhead + self.overhead_per_byte * size

    def interval(self, size: float) -> float:
        return self.gap + self.per_byte * size


EAGER = Truth(1.1e-6, 0.4e-6, 0.6e-6, 1 / 6e9, 1 / 20e9)
RENDEZVOUS = Truth(2.9e-6, 0.5e-6, 0.9e-6, 1 / 11.8e9, 0.0)


def truth(size: float) -> Truth:
    return EAGER if size <= EAGER_LIMIT else RENDEZVOUS


def line(variant: str, size: int, seconds: float, hosts: int = 2, **details: Any) -> dict[str, Any]:
    return {
        "workload": "mpibench",
        "variant": variant,
        "parameters": {"bytes": size, "window": details.pop("window", None), "pairs": "half"},
        "ranks": details.pop("ranks", 2),
        "threads": 1,
        "seconds": seconds,
        "verified": details.pop("verified", None),
        "details": {"library": "Some MPI 1.0", "transport": "tcp", "hosts": hosts, **details},
    }


def loggp_lines(
    noise: float = 0.0, *, sizes: Iterable[int] = SIZES, hosts: int = 2, seed: int = 1
) -> list[dict[str, Any]]:
    """
    Args:
        noise: relative standard deviation of each of the measured times.
    """
    rng = np.random.default_rng(seed)
    lines = []
    for size in sizes:
        true = truth(size)
        factors = np.exp(noise * rng.standard_normal(4))
        late = 20 * true.one_way(size) + 1e-3
        waited = late if size > EAGER_LIMIT else 0.0
        details = {
            "sender_busy_ns": 1e9 * true.busy(size) * factors[0],
            "receiver_busy_ns": 1e9 * true.busy(size) * factors[3],
            "interval_ns": 1e9 * true.interval(size) * factors[1],
            "late_send_ns": 1e9 * (true.busy(size) + waited),
            "late_by_ns": 1e9 * late,
        }
        lines.append(line("loggp", size, true.one_way(size) * factors[2], hosts, **details))
    return lines


def written(path: Path, lines: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in lines), encoding="utf-8")
    return path
