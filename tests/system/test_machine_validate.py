"""`waywiser machine validate` runs programs here, and `whatif` quotes how far it was off."""

from __future__ import annotations

import json
from pathlib import Path

from tests.machine_files import machine_file
from tests.support import MpiLibrary, Waywiser
from waywiser.machines.library import read_machine
from waywiser.measure.validation import PROGRAMS

NODE = machine_file(
    2,
    cores=2,
    node="loggp = [{ latency_us = 0.2, overhead_us = 0.1, bandwidth_GBps = 5.0 }]",
    network="loggp = [{ latency_us = 10.0, overhead_us = 1.0, bandwidth_GBps = 1.0 }]",
)


def test_programs_are_run_predicted_and_quoted(
    openmpi: MpiLibrary, waywiser: Waywiser, tmp_path: Path
) -> None:
    (tmp_path / "node.toml").write_text(NODE)
    launch = openmpi.command(2, Path("program"))[:-1]
    words = ["node.toml", "-o", "ours.toml", "--runs", "runs", "--json"]

    done = waywiser.succeeds("machine", "validate", *words, "--", *launch, timeout=300)

    assert "ww-collector" not in done.stderr
    report = json.loads(done.stdout)
    assert [program["program"] for program in report["programs"]] == list(PROGRAMS)
    assert all(program["measured_mpi_seconds"] > 0 for program in report["programs"])
    machine = read_machine(str(tmp_path / "ours.toml"))
    assert {(validation.part, validation.ranks) for validation in machine.validation} == {
        ("node", 2)
    }
    assert {validation.document.split()[0] for validation in machine.validation} == {"Open"}
    (first,) = (tmp_path / "runs").glob("0-*")
    again = waywiser.here("whatif", first, "--on", "ours.toml", "--cpu", "2")
    assert "not validated here" not in again.stdout
    # Beside other work the replay may miss the recorded time: then there is no prediction.
    predicted = "Run time, predicted" in again.stdout
    assert ("predictions on this machine were wrong by" in again.stdout) == predicted
    assert predicted or "than the recorded" in " ".join(again.stdout.split())


def test_a_program_that_fails_says_so(
    openmpi: MpiLibrary, waywiser: Waywiser, tmp_path: Path
) -> None:
    done = waywiser(
        *("machine", "validate", "rig-3", "-o", "ours.toml", "--"),
        *(openmpi.bin / "mpirun", "--no-such-option"),
    )

    assert done.returncode == 2
    assert not (tmp_path / "ours.toml").exists()
    assert "ring of 1 KiB" in done.stderr.splitlines()[-1]
