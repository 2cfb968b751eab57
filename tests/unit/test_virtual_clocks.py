"""Remarks on a run on virtual clocks: how far its time can be trusted."""

from __future__ import annotations

import pytest

from tests.system.virtual_clocks import MACHINE
from waywiser.machines.library import machine_from_text
from waywiser.model.virtual import VirtualClocks
from waywiser.model.virtual_settings import virtual_settings
from waywiser.report.run.virtual import virtual_lines

CALIBRATION = """
[[calibration]]
part = "network"
date = "2026-11"
document = "a test"
error_per_cent = 30.0
"""
VALIDATION = """
[[validation]]
program = "{}"
part = "{}"
ranks = 2
date = "2026-11"
document = "a test"
time_error_per_cent = {}
mpi_error_per_cent = 50.0
"""
PROGRAMS = (("ring", "network", 3.0), ("halo", "network", -4.0), ("ring", "node", 90.0))


@pytest.mark.parametrize(
    ("measured", "error", "sentence"),
    [
        ("", None, "not validated here"),
        (CALIBRATION, 0.3, "predictions on this machine were wrong by 30 %"),
        (
            CALIBRATION + "".join(VALIDATION.format(*program) for program in PROGRAMS),
            12.5**0.5 / 100,
            "predictions on this machine were wrong by 3.5 %",
        ),
    ],
)
def test_the_time_says_how_far_predictions_were_off(
    measured: str, error: float | None, sentence: str
) -> None:
    machine = machine_from_text(MACHINE + measured, "made up")
    settings = virtual_settings("made-up.toml", machine, 1.0, None)

    assert settings.validation_error == (None if error is None else pytest.approx(error))
    first, *_ = virtual_lines(
        VirtualClocks(
            machine=settings.machine,
            title=settings.title,
            cpu=1.0,
            seconds=2.0,
            validation_error=settings.validation_error,
            real_seconds=1.0,
            messages=0,
            handshakes=0,
            senders_seconds=0.0,
            stamps=0,
            stamp_bytes=0,
            functions={},
            per_rank=(),
        )
    )
    assert first == f"virtual clocks on Made-up machine: 2 s, here 1 s; {sentence}"
