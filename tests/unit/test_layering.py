"""The layering script: the tree obeys it, and an upward use of a room is refused by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT

SCRIPT = ROOT / "tools" / "check_layering.py"


def check(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(root)], capture_output=True, text=True, check=False
    )


def test_this_tree_is_layered() -> None:
    done = check(ROOT)

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        (
            "native/base/a.hpp",
            '#include "trace/records/profile.hpp"\n',
            "base may use no other room",
        ),
        ("native/trace/a.cpp", "#include <mpi.h>\n", "trace may not include mpi.h"),
        ("native/attic/a.cpp", "\n", "native/attic is no room"),
        ("src/waywiser/model/a.py", "from waywiser.store import read_run\n", "not store"),
        ("src/waywiser/report/a.py", "import waywiser.cli.main\n", "not cli"),
        ("src/waywiser/report/drawing/a.py", "import waywiser.report.run.page\n", "not report/run"),
        ("src/waywiser/store/a.py", "from waywiser import report\n", "not report"),
        ("native/base/b.hpp", '#include "../trace/profile.hpp"\n', "without '..'"),
        ("src/waywiser/model/b.py", "from ..store import read_run\n", "without leading dots"),
        ("src/waywiser/attic/a.py", "\n", "src/waywiser/attic is no room"),
    ],
)
def test_a_room_that_reaches_up_is_named(tmp_path: Path, file: str, text: str, says: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(text)

    done = check(tmp_path)

    assert done.returncode == 1
    assert says in done.stderr
    assert str(path) in done.stderr
