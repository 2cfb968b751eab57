"""The rounds of bench.tbl, with programs that are made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench import common, tbl

OUTPUT = """\
 Compiler version: GCC version 12.2.0
 Compiler options: -O3
 MPI version: Open MPI v4.1.4
 Average, minimum & maximum elapsed time:
  0.3  0.3  0.3
 Time step #           1
 Average, minimum & maximum elapsed time:
  2.4E-002  2.4E-002  2.4E-002
"""


def executable(path: Path) -> Path:
    path.write_bytes(b"made up")
    path.chmod(0o755)
    return path


def run_tbl(_args: object, _name: str, _directory: Path, ranks: int = 1) -> dict[str, Any]:
    return {"details": {"steps_s": [0.006, 0.01], "transposed_bytes": 300 * (ranks - 1)}}


def test_a_step_counts_by_the_fastest_of_its_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tbl, "run_tbl", run_tbl)
    monkeypatch.setattr(common, "run", lambda *_: OUTPUT)
    monkeypatch.setattr(tbl, "peer_bytes", lambda *_: 400.0)
    program, peer = (executable(tmp_path / name) for name in ("ww-tbl", "cans"))
    size = ["--cells", "10", "10", "20", "--rounds=2"]
    args = tbl.parse([f"--program={program}", f"--peer={peer}", *size])
    samples: list[dict[str, Any]] = []

    times = tbl.measure(args, tmp_path, samples.append)
    sent = tbl.transposed(args, tmp_path, samples.append)
    tbl.show((times, sent))
    [time, transposed, *of_passes] = tbl.bars(args, (times, sent))

    assert times["ww-tbl"] == [3000, 3000]
    assert times["cans explicit"] == pytest.approx([12000, 12000])
    assert time["value"] == pytest.approx(0.25)
    assert transposed["value"] == pytest.approx(0.75)
    assert [bar["value"] for bar in of_passes] == pytest.approx([0.25, 0.75])
    of_peer = [sample for sample in samples if "compiler_options" in sample]
    assert {sample["compiler_options"] for sample in of_peer} == {"-O3"}
    assert len(of_peer) == 6
    text = (tmp_path / "implicit-1-20" / "input.nml").read_text(encoding="utf-8")
    assert "ng(1:3) = 10, 20, 10\n" in text
    assert "is_impdiff = T, is_impdiff_1d = F" in text
    text = (tmp_path / "implicit-between-walls-1-20" / "input.nml").read_text(encoding="utf-8")
    assert "is_impdiff = T, is_impdiff_1d = T" in text


def test_a_peer_without_times_is_refused() -> None:
    with pytest.raises(SystemExit, match="printed no elapsed times"):
        tbl.peer_steps_s("Time step #")


def test_a_peer_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = executable(tmp_path / "ww-tbl")

    with pytest.raises(SystemExit):
        tbl.parse([f"--program={program}", f"--peer={tmp_path / 'absent'}"])

    assert "give the path of a cans" in capsys.readouterr().err
