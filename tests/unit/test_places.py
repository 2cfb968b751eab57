"""The machine's facts that ranks read, and the commands that may name a machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import exit_code_of
from tests.written_traces import CASES
from waywiser.machines.library import machine_from_text
from waywiser.machines.places import places_text

MACHINE = (CASES / "mistakes" / "ring.toml").read_text(encoding="utf-8")


def test_everything_that_a_placement_depends_on_is_there() -> None:
    assert places_text(machine_from_text(MACHINE, "ring.toml"), "ring.toml").splitlines() == [
        "title A ring of four nodes",
        "topology graph",
        "number nodes 4",
        "number switches 0",
        "row edges 0 1",
        "row edges 1 2",
        "row edges 2 3",
        "row edges 3 0 2",
        "level 2 0",
        "level 4 1",
        "failed 1 2 0",
        "hosts n0 n1 n2 n3",
    ]


def test_the_verb_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "six.places"
    assert exit_code_of(("machine", "places", "rig-6", "-o", str(output))) == 0
    assert capsys.readouterr().out == f"wrote {output}: Six nodes on three switches\n"
    assert output.read_text().endswith("\nhosts n0 n1 n2 n3 n4 n5\n")
