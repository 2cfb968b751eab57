"""Errors of a machine's predictions: found, kept in its file, and quoted."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import pytest

from tests.closed_form_replay import MS, Program, base_on_paper
from waywiser.analyse.validation import validated
from waywiser.analyse.whatif.answer import Base
from waywiser.analyse.whatif.network import of_machine
from waywiser.cli.main import main
from waywiser.errors import InvalidCommand
from waywiser.machines.library import machine_from_text, read_machine
from waywiser.machines.text import machine_text
from waywiser.model.machine import Validation
from waywiser.report.machines.validation import validation_text

DATE = datetime.date(2026, 11, 22)


MPI_S = 1e-3


def base(recorded_ms: float) -> Base:
    """Four ranks compute 1 ms; then two of them take 1000 messages of 1 us + 2 * 0.25 us + 8 ns
    between nodes. Each rank was measured to be 1 ms in MPI."""
    program = Program((1 * MS,) * 4, 1000, 8, recorded_ms * MS, {})
    paper_base = base_on_paper(program, (0, 0, 1, 1))
    summary = paper_base.recorded.summary.replace(mpi_seconds=(MPI_S,) * 4)
    return replace(paper_base, recorded=replace(paper_base.recorded, summary=summary))


def test_errors_are_relative_to_what_was_measured() -> None:
    bases = {"fast": base(2.0)}
    bases["slow"] = base(5.0)

    new, report = validated(read_machine("rig-3"), "rig-3", bases, DATE)

    fast, slow = report.programs
    assert fast.predicted_seconds == pytest.approx(2.508e-3)
    assert fast.time_error_per_cent == pytest.approx(25.4)
    assert slow.time_error_per_cent == pytest.approx(-49.84)
    assert report.error_per_cent == pytest.approx(((25.4**2 + 49.84**2) / 2) ** 0.5)
    # Every rank waits for the slowest messages, or takes them: 1.508 ms where 1 ms was measured.
    assert fast.mpi_error_per_cent == pytest.approx(50.8)
    assert {validation.part for validation in new.validation} == {"network"}
    assert "+25.4 %" in validation_text(report)
    assert "-49.8 %" in validation_text(report)


def test_a_machine_that_was_not_quiet_is_remarked() -> None:
    bases = {name: base(2.0) for name in ("ring", "minife")}
    busy = "other programs used 1.3 of the 2 CPUs (at most 0.1 is quiet)"

    _, quiet = validated(read_machine("rig-3"), "rig-3", bases, DATE, {"ring": (), "minife": ()})
    _, report = validated(
        read_machine("rig-3"), "rig-3", bases, DATE, {"ring": (), "minife": (busy, "more")}
    )

    assert quiet.remarks == ()
    (remark,) = report.remarks
    assert remark.startswith(f"the machine was not quiet in 1 of 2 runs (minife: {busy}), so that")
    assert "Note: The machine was not quiet" in validation_text(report)


def test_a_program_without_mpi_cannot_validate_a_machine() -> None:
    measured = base(2.0)
    summary = measured.recorded.summary.replace(mpi_seconds=(0.0,) * 4)
    alone = replace(measured, recorded=replace(measured.recorded, summary=summary))

    with pytest.raises(InvalidCommand, match="ring: it spent no time in MPI, so nothing can be"):
        validated(read_machine("rig-3"), "rig-3", {"ring": alone}, DATE)


def test_a_program_is_validated_anew_and_others_are_kept() -> None:
    first, _ = validated(
        read_machine("rig-3"),
        "rig-3",
        {name: base(2.0) for name in ("ring", "minife")},
        DATE,
    )

    second, _ = validated(first, "rig-3", {"ring": base(5.0)}, DATE)

    errors = {
        validation.program: validation.time_error_per_cent for validation in second.validation
    }
    assert errors == {"minife": 25.4, "ring": -49.84}
    assert len(second.validation) == 2
    assert machine_from_text(machine_text(second), "file") == second


def test_what_if_quotes_the_root_of_the_mean_square() -> None:
    def entry(part: str, error: float) -> Validation:
        return Validation.model_validate(
            {
                **{"program": f"{part} {error}", "part": part, "ranks": 2, "date": "2026"},
                **{"document": "here", "time_error_per_cent": error, "mpi_error_per_cent": 0.0},
            }
        )

    rig = read_machine("rig-3")
    known = rig.replace(
        validation=(entry("network", 3.0), entry("network", -4.0), entry("node", 9.0))
    )

    assert of_machine(known).between.error == pytest.approx((12.5**0.5) / 100)
    assert of_machine(rig).between.error is None


def test_a_launcher_that_is_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["machine", "validate", "rig-3", "-o", "new.toml", "--", "nosuchrun"]) != 0

    error = capsys.readouterr().err
    assert "nosuchrun" in error
    assert len(error.splitlines()) == 1
    assert not (tmp_path / "new.toml").exists()
