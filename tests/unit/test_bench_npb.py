"""The rounds of bench.npb, with programs that are made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench import common, npb
from tests.support import ROOT

SP = (ROOT / "tests/golden/apps/nas-sp/stdout").read_text(encoding="utf-8")
"""Class S, 74.14 Mop/s."""


def run_variants(_args: object, benchmark: str, *_: object) -> list[dict[str, Any]]:
    mops = {"baseline": 100.0, "vector": 296.56}
    return [
        {
            "phase": benchmark,
            "variant": name,
            "details": {"mops": rate, "roofline": {"fraction": rate / 1000}},
        }
        for name, rate in mops.items()
    ]


def executable(path: Path) -> Path:
    path.write_bytes(b"NPB Version 3.4.3")
    path.chmod(0o755)
    return path


@pytest.fixture
def peer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(npb, "run_variants", run_variants)
    monkeypatch.setattr(common, "run", lambda *_: SP)
    return executable(tmp_path / "sp.S.x")


def test_ratios_are_those_of_the_rounds(
    peer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = executable(tmp_path / "ww-npb")
    options = [f"--program={program}", "--class=S", "--rounds=2", f"--peer=sp={peer}"]
    args = npb.parse([*options, "--benchmarks", "sp", "lu"])
    samples: list[dict[str, Any]] = []

    rounds = npb.measure(args, tmp_path, samples.append)
    npb.show(rounds)
    [over_baseline, over_npb, of_lu] = npb.bars(args, rounds)

    assert rounds[0]["sp"]["npb"] == [74.14, 74.14]
    assert "sp vector reaches 0.297 of what" in capsys.readouterr().out
    assert over_baseline["value"] == pytest.approx(2.9656)
    assert over_npb["value"] == pytest.approx(4.0)
    assert "lu" in of_lu["bar"]
    builds = [sample["build"] for sample in samples if "build" in sample]
    assert [build["versions"] for build in builds] == [["NPB Version 3.4.3"]] * 2


def test_a_peer_of_another_class_is_refused(peer: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="is not of class A"):
        npb.run_peer(peer, "A", tmp_path)


def test_a_peer_is_named_by_its_benchmark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = executable(tmp_path / "ww-npb")

    with pytest.raises(SystemExit):
        npb.parse([f"--program={program}", f"--peer={program}"])

    assert "--peer: takes bt=PATH, sp=PATH or lu=PATH of a program" in capsys.readouterr().err
