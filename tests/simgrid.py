"""SimGrid's replay of a trace that was exported to it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="h" suffix="" radical="0-{last}" speed="1Gf"
           bw="{bandwidth}" lat="{latency}"/>
</platform>
"""

needs_simgrid = pytest.mark.skipif(
    not shutil.which("smpirun"), reason="needs SimGrid (libsimgrid-dev)"
)


def replayed_seconds(trace: Path, ranks: int, bandwidth: str, latency: str) -> float:
    """Simulated, with each rank on a host of its own."""
    platform = PLATFORM.format(last=ranks - 1, bandwidth=bandwidth, latency=latency)
    (trace.parent / "platform.xml").write_text(platform)
    (trace.parent / "hosts").write_text("".join(f"h{rank}\n" for rank in range(ranks)))
    done = subprocess.run(
        [
            *("smpirun", "-np", str(ranks), "-platform", "platform.xml"),
            *("-hostfile", "hosts", "-replay", trace.name),
        ],
        cwd=trace.parent,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    simulated = re.search(r"Simulation time ([0-9.]+)", done.stdout + done.stderr)
    assert simulated is not None, done.stderr
    return float(simulated[1])
