"""Times of calls come back from a trace as they were written, of whatever size."""

from __future__ import annotations

import random
from pathlib import Path

from tests.job import Job
from tests.unfolded import calls_of
from waywiser.native._native import TraceFile


def test_rare_times_may_be_far_longer_than_usual_ones(tmp_path: Path) -> None:
    """Most have some bits, few of them any number up to 50: a code then fills more than a word."""
    chance = random.Random(1)
    job = Job(1)
    times = []
    now = 0
    for usual_bits in range(1, 30):
        for _ in range(60):
            most = usual_bits if chance.random() < 0.95 else chance.randrange(51)
            gap, length = chance.getrandbits(most), chance.getrandbits(most)
            times.append((now + gap, now + gap + length))
            now += gap + length
            job.call(0, "Barrier", *times[-1])

    read = calls_of(TraceFile(job.write(tmp_path / "trace.ww")), 0)

    assert [(call["begin_ns"], call["end_ns"]) for call in read] == times
