"""The offline installer, without network and in a directory of its own, as docs/install.md says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.definition import sections
from tests.support import ROOT, MpiLibrary, assert_refused, captured
from waywiser import __version__


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that `make bundle` fills."""
    directory = tmp_path_factory.mktemp("bundle")
    subprocess.run(
        [sys.executable, ROOT / "tools" / "bundle.py", "--output", directory],
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=900,
    )
    return directory


def commands_of(page: str, heading: str) -> list[str]:
    """Commands after $ in the console blocks of a section."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```console\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
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
        *commands_of("clusters.md", "Without Python on the compute nodes"),
        *commands_of("install.md", "Offline sites"),
        "waywiser/bin/waywiser profile -o run -- " + " ".join(minife),
        "waywiser/bin/waywiser report run -o report.html",
        "waywiser/bin/ww-show run",
    ]

    done = captured(
        ["unshare", "--net", "bash", "-ec", "ip link set lo up\n" + "\n".join(commands)],
        cwd=tmp_path,
        env={"PYTHON": f"{sys.base_prefix}/bin/python3", "PIP_NO_CACHE_DIR": "1"},
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
        ([], sys.executable, "with the directory for the installation"),
        (["."], sys.executable, ". exists already"),
        (["new"], "/bin/false", "set PYTHON to one that is"),
    ],
)
def test_what_cannot_work_is_reported(
    bundle: Path, tmp_path: Path, arguments: list[str], python: str, says: str
) -> None:
    (installer,) = bundle.glob("*.sh")

    done = captured(["sh", installer, *arguments], cwd=tmp_path, env={"PYTHON": python})

    assert_refused(done, says)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_a_module_serves_all_users(bundle: Path, tmp_path: Path) -> None:
    """Only Waywiser's programs of all that is installed are in PATH; others stay the user's."""
    modules = Path("/usr/share/modules/init/bash")
    if not modules.exists():
        pytest.skip("environment-modules is not installed")
    for path in (*bundle.iterdir(), ROOT / "packaging"):
        (tmp_path / path.name).symlink_to(path)
    first, *others = commands_of("install.md", "One module for all users")
    commands = [
        f". {modules}",
        first.replace("/apps", f"{tmp_path}/apps"),
        *others,
        "ls $apps/waywiser/$version/bin",
        "echo ${PATH%%:*}",
    ]

    done = captured(
        ["bash", "-ec", "\n".join(commands)],
        cwd=tmp_path,
        env={"PYTHON": f"{sys.base_prefix}/bin/python3", "MODULEPATH": ""},
        timeout=600,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    programs = ["waywiser", "ww-collector", "ww-exec", "ww-merge", "ww-show"]
    version, _, _, *output = done.stdout.splitlines()[1:]
    assert version == f"waywiser {__version__}"
    assert output == [
        *programs,
        f"{tmp_path}/apps/waywiser/{__version__}/bin",
    ]


@pytest.mark.long
def test_the_container_definition_makes_an_image(bundle: Path, tmp_path: Path) -> None:
    """%post and %test run in a bare Debian tree with the files of %files."""
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        pytest.skip("a bare Debian tree needs root and mmdebstrap")
    definition = sections(ROOT / "packaging" / "apptainer" / "waywiser.def")
    source, inside = definition["files"].split()
    tree = tmp_path / "tree"
    shell = f"chroot {tree} /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -e"
    commands = [
        f"mmdebstrap --quiet --variant=apt bookworm {tree} /etc/apt/sources.list.d/*.sources",
        f"for directory in proc dev; do mount --rbind /$directory {tree}/$directory; done",
        f"cp -L /etc/resolv.conf {tree}/etc/",
        f"cp {bundle / Path(source).name} {tree}{inside}",
        *(f"{shell} <<'END'\n{definition[name]}END" for name in ("post", "test")),
    ]

    done = captured(["unshare", "--mount", "bash", "-ec", "\n".join(commands)], timeout=1800)

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"\nwaywiser {__version__}\ncore built with " in done.stdout
