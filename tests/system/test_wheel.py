"""`make wheel`: all of the source tree's package data is in the wheel, and its tag is true."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.support import ROOT, captured, unpack

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

COMPILED = {
    "_analysis.pyi",
    "_native.pyi",
    "build.txt",
    *(
        f"libwaywiser-{name}.so"
        for name in ("posix-io", "profile", "rerank", "topologies", "virtual")
    ),
    "unwrapped_calls.txt",
    "version.txt",
    *(f"ww-{name}" for name in ("exec", "collector", "merge", "show")),
}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that `make wheel` fills."""
    directory = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, ROOT / "tools" / "wheel.py", "--output", directory],
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=300,
    )
    return directory


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (path,) = dist.glob("waywiser-*.whl")
    return path


def tracked(*directories: str) -> list[str]:
    """Files of the source tree, new ones too."""
    done = captured(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *directories],
        cwd=ROOT,
        check=True,
    )
    return [name for name in done.stdout.splitlines() if (ROOT / name).exists()]


def of_source_tree() -> set[str]:
    """Files of the wheel's package, by their names there."""
    package = {name.removeprefix("src/") for name in tracked("src/waywiser")}
    bindings = {f"native/{Path(name).name}" for name in tracked("native/bind/*.py")}
    machines = {f"native/{name}" for name in tracked("machines/*.toml")}
    sources = {
        name.replace("native/", "native/sources/", 1)
        for name in tracked("native/base", "native/workloads")
        if Path(name).name != "CMakeLists.txt"
    }
    extension = f"_*.cpython-{sys.version_info[0]}{sys.version_info[1]}-*.so"
    modules = [path.name for path in (ROOT / "src" / "waywiser" / "native").glob(extension)]
    assert len(modules) == 2
    native = {f"native/{name}" for name in (*COMPILED, *modules)}
    return package | {f"waywiser/{name}" for name in bindings | machines | sources | native}


def files_of(wheel: Path) -> dict[str, int]:
    """File -> its mode."""
    with zipfile.ZipFile(wheel) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    return {entry.filename: entry.external_attr >> 16 & 0o777 for entry in entries}


def test_the_wheel_has_the_package_and_nothing_else(wheel: Path) -> None:
    files = files_of(wheel)
    package = {name for name in files if ".dist-info/" not in name}

    assert package == of_source_tree()
    licenses = {name for name in files if ".dist-info/licenses/" in name}
    assert {Path(name).name for name in licenses} == {"LICENSE", "NOTICE"}
    programs = {name for name, mode in files.items() if mode & 0o111 and not name.endswith(".so")}
    assert programs == {f"waywiser/native/{name}" for name in COMPILED if name.startswith("ww-")}


def test_auditwheel_confirms_the_tag(wheel: Path) -> None:
    tag = "manylinux_2_17_" + wheel.stem.partition("manylinux_2_17_")[2]

    done = captured([Path(sys.prefix) / "bin" / "auditwheel", "show", wheel], check=True)

    assert f'platform tag: "{tag}"' in " ".join(done.stdout.split())


def test_the_source_distribution_is_the_tree(dist: Path) -> None:
    (path,) = dist.glob("waywiser-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}

    assert names - {"PKG-INFO"} == {name for name in tracked() if not name.startswith("shared/")}


def test_data_files_are_found_where_it_is_unpacked(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)

    needed = sysconfig.get_path("purelib")

    def says(*words: str) -> str:
        # -S: or the checkout's editable installation would be imported.
        done = captured(
            [sys.executable, "-S", "-P", "-m", "waywiser.cli.main", *words],
            cwd=tmp_path,
            env={"PYTHONPATH": f"{tmp_path}:{needed}"},
        )
        assert not done.stderr
        return done.stdout

    assert str(tmp_path) in json.loads(says("doctor", "--json"))["profiler"]
    assert "rupture" in says("build", "--help")
    assert re.search(r"^frontier\b", says("machine", "list"), re.MULTILINE)


def test_the_bill_of_materials_is_cyclonedx_and_complete(dist: Path) -> None:
    (path,) = dist.glob("waywiser-*.cdx.json")
    text = path.read_text(encoding="utf-8")
    bill = json.loads(text)

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    required = {
        component["name"] for component in bill["components"] if component["scope"] == "required"
    }
    direct = {re.split("[<>=]", requirement)[0] for requirement in PROJECT["dependencies"]}
    assert direct < required
    assert all(component["hashes"] and component["licenses"] for component in bill["components"])
    inside = {component["name"] for component in bill["metadata"]["component"]["components"]}
    assert {"glibc", "libstdc++", "nanobind", "robin-map", "vega", "vega-lite"} < inside


@pytest.mark.long
def test_a_bare_machine_without_compiler_uses_the_wheel(wheel: Path, tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        pytest.skip("a bare Debian tree needs root and mmdebstrap")

    done = captured(
        ["unshare", "--mount", ROOT / "tools/fresh_machine.sh", tmp_path / "tree", "wheel", wheel],
        timeout=1800,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"all of it works from {wheel.name}" in done.stdout


@pytest.mark.long
def test_the_source_distribution_gives_the_same_wheel(
    dist: Path, wheel: Path, tmp_path: Path
) -> None:
    (path,) = dist.glob("waywiser-*.tar.gz")
    unpack(path, tmp_path)
    (tree,) = tmp_path.glob("waywiser-*/")

    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"),
            *("--no-build-isolation", "--wheel-dir", tmp_path, tree),
        ],
        check=True,
        timeout=1200,
    )

    (built,) = tmp_path.glob("waywiser-*.whl")
    assert files_of(built).keys() == files_of(wheel).keys()
