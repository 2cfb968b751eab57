"""Transports of ww-mpibench's messages, as its reader combines the samples of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import ROOT
from waywiser.apps.application import Output
from waywiser.apps.table import find

SAMPLES = (ROOT / "tests/golden/apps/mpibench/mpibench.json").read_text(encoding="utf-8")
LATENCY = SAMPLES.splitlines()[0]
"""A sample of a version that did not record the transport."""


def sample(size: int, carriers: str | None) -> str:
    result = json.loads(LATENCY)
    result["parameters"]["bytes"] = size
    result["details"]["carriers"] = carriers
    return json.dumps(result)


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        ([LATENCY], ""),
        ([sample(8, None)], ""),
        ([sample(8, "TCP"), sample(4096, "TCP")], "TCP"),
        (
            [sample(8, "shared memory"), sample(4096, "shared memory"), sample(8192, "CMA")],
            "shared memory (8 B to 4 KiB); CMA (8 KiB)",
        ),
    ],
)
def test_carriers_are_reported_with_their_sizes(
    samples: list[str], expected: str, tmp_path: Path
) -> None:
    (tmp_path / "mpibench.json").write_text("\n".join(samples) + "\n", encoding="utf-8")

    assert find("mpibench").read(Output("", "", tmp_path)).transport == expected
