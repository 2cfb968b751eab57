"""Parsing of peers' output by benches."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from bench import spectral
from tests.support import executable

ECTRANS = """\
 ======= Start of time step stats =======

Inverse transforms
------------------
avg  (s):   0.0975
min  (s):   0.0512
max  (s):   0.1419
med  (s):   0.0993

Inverse-direct transforms
-------------------------
avg  (s):   0.1939
min  (s):   0.1322
max  (s):   0.2585
med  (s):   0.1909
loop (s):   0.5822
"""


def test_of_ectrans_the_fastest_round_trip_counts() -> None:
    assert spectral.peer_seconds(ECTRANS) == 0.1322


def test_another_programs_output_is_refused() -> None:
    with pytest.raises(SystemExit, match="is it ecTrans"):
        spectral.peer_seconds("Inverse transforms\nmin (s): 1.0\n")


def test_ectrans_runs_in_each_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    peer = tmp_path / "ectrans-benchmark-cpu-dp"
    executable(peer, f"#!/bin/sh\necho \"$@\" >>{tmp_path}/asked\ncat <<'END'\n{ECTRANS}END\n")

    def run_once(*_: object) -> list[dict[str, Any]]:
        details = {"legendre": {"fraction": 0.7}, "tries_s": [0.5, 0.2644]}
        return [{"phase": "round-trip", "details": details}]

    monkeypatch.setattr(spectral, "run_once", run_once)
    args = Namespace(peer=peer, truncation=79, levels=8, tries=3, rounds=2)
    samples: list[dict[str, Any]] = []

    rounds = spectral.measure(args, tmp_path, samples.append)
    _, of_peer = spectral.bars(args, rounds)

    assert of_peer["value"] == pytest.approx(2)
    assert not of_peer["holds"]
    assert (tmp_path / "asked").read_text().splitlines() == ["-t 79 -g O80 -l 8 -f 1 -n 3"] * 2
    assert [sample.get("name") for sample in samples] == ["ectrans", None] * 2
