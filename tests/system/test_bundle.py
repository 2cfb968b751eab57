"""The offline installer, without network and in a folder of its own, as docs/clusters.md says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT, MpiLibrary, assert_refused, environment


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make bundle` fills."""
    folder = tmp_path_factory.mktemp("bundle")
    subprocess.run(
        [sys.executable, ROOT / "tools" / "bundle.py", "--output", folder],
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=900,
    )
    return folder


def page_commands() -> list[str]:
    page = (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return re.findall(r"^\$ (.*)$", "\n".join(blocks), re.MULTILINE)


@pytest.mark.long
def test_the_pages_commands_install_without_network(
    bundle: Path, openmpi: MpiLibrary, tmp_path: Path
) -> None:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("a network of one's own, with nothing in it, needs root and unshare")
    for path in bundle.iterdir():
        (tmp_path / path.name).symlink_to(path)
    minife = openmpi.command(2, openmpi.program("ww-minife"), "--nx", "6")
    commands = [
        *page_commands(),
        "waywiser/bin/waywiser profile -o run -- " + " ".join(minife),
        "waywiser/bin/waywiser report run -o report.html",
        "waywiser/bin/ww-show run",
    ]

    done = subprocess.run(
        ["unshare", "--net", "bash", "-ec", "ip link set lo up\n" + "\n".join(commands)],
        cwd=tmp_path,
        env=environment({"PYTHON": f"{sys.base_prefix}/bin/python3", "PIP_NO_CACHE_DIR": "1"}),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert len(commands) == 6
    assert (tmp_path / "report.html").stat().st_size > 500_000
    assert re.search(r"^MPI_Allreduce +\d+", done.stdout, re.MULTILINE)


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "python", "says"),
    [
        ([], sys.executable, "with the folder for the installation"),
        (["."], sys.executable, ". exists already"),
        (["new"], "/bin/false", "set PYTHON to one that is"),
    ],
)
def test_what_cannot_work_is_said(
    bundle: Path, tmp_path: Path, arguments: list[str], python: str, says: str
) -> None:
    (installer,) = bundle.glob("*.sh")

    done = subprocess.run(
        ["sh", installer, *arguments],
        cwd=tmp_path,
        env=environment({"PYTHON": python}),
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )

    assert_refused(done, says)
    assert list(tmp_path.iterdir()) == []
