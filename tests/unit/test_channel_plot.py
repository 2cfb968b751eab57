"""tools/channel.py: both halves of a channel as one, in wall units."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tools import channel

AVERAGES = {
    "steps": 1000,
    "friction_velocity": 0.1,
    "bulk_velocity": 1.0,
    "stress_residual": 0.02,
    "y_centre": [0.25, 0.75, 1.25, 1.75],
    "u": [0.9, 1.1, 1.3, 0.7],
    "uu": [0.04, 0.01, 0.01, 0.12],
    "ww": [0.01, 0.01, 0.01, 0.01],
    "y_face": [0.5, 1.0, 1.5, 2.0],
    "vv": [0.0025, 0.0025, 0.0025, 0.0],
    "uv": [-0.004, 0.0, 0.006, 0.0],
}


def test_halves_of_a_channel_are_averaged_in_wall_units(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, image = tmp_path / "channel.jsonl", tmp_path / "channel.svg"
    earlier = json.dumps(AVERAGES | {"steps": 1})
    file.write_text(f"{earlier}\n{json.dumps(AVERAGES)}\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["channel.py", str(file), str(image), "--re=100"])

    channel.main()

    assert capsys.readouterr().out == (
        "1000 steps: shear Reynolds number 10.0, C_f 0.02000, U+ 12.00 in the centre, u'+ at most "
        "2.83 at y+ 2.5, stress off its line by 0.020\n"
    )
    assert image.read_text(encoding="utf-8").startswith("<svg")
    drawn = channel.Channel(AVERAGES, 100)
    assert drawn.u == pytest.approx([8, 12])
    assert drawn.y_face == pytest.approx([5, 10])
    assert drawn.rms["vv"] == pytest.approx([0.5, 0.5])
    assert drawn.uv == pytest.approx([0.5, 0])
