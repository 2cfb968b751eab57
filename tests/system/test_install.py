"""`pip install .` gives the whole tool: command, bindings, profiler, shim and page templates."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support import ROOT, MpiLibrary, environment


@pytest.mark.long
def test_an_installed_wheel_profiles_outside_the_tree(tmp_path: Path, openmpi: MpiLibrary) -> None:
    built = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"),
            *("--no-build-isolation", "--wheel-dir", str(tmp_path)),
            *("--config-settings", f"build-dir={tmp_path / 'build'}", str(ROOT)),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert built.returncode == 0, built.stderr
    wheel = next(tmp_path.glob("waywiser-*.whl"))
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(site)
    (site / "waywiser" / "native" / "ww-exec").chmod(0o755)  # zipfile drops what pip keeps
    (site / "waywiser" / "native" / "ww-keeper").chmod(0o755)
    assert not [name for name in names if name.startswith("waywiser/native/profile")]

    command = [sys.executable, "-P", "-m", "waywiser.cli.main"]
    minife = openmpi.command(2, openmpi.program("ww-minife"), "--nx", "6")
    for words in (
        ["profile", "-o", "run", "--", *minife],
        ["report", "run", "-o", "report.html"],
    ):
        done = subprocess.run(
            [*command, *words],
            cwd=tmp_path,
            env=environment({"PYTHONPATH": str(site)}),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "report.html").stat().st_size > 500_000
