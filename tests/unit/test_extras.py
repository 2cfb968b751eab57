"""Optional packages: the command that is named works for a wheel, a checkout and an archive."""

from __future__ import annotations

import shlex
import sys
import tomllib
from importlib import metadata, util

import pytest

from tests.support import ROOT, document, printed
from waywiser import extras

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize("extra", PROJECT["optional-dependencies"])
def test_the_command_names_what_an_index_has(extra: str) -> None:
    """The package itself is on no index: waywiser[EXTRA] would be somebody else's."""
    command = shlex.split(extras.install_command(extra))

    expected = PROJECT["optional-dependencies"][extra]
    assert command == [sys.executable, "-m", "pip", "install", *expected]
    assert extra in extras.EXTRAS


def test_an_unpacked_archive_has_a_command_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(extras, "requires", missing)

    assert extras.install_command("otf2").endswith("-m pip install otf2")


def test_doctor_says_what_is_missing_and_what_it_would_add(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find = util.find_spec
    monkeypatch.setattr(
        util, "find_spec", lambda name, *rest: None if name == "gmsh" else find(name, *rest)
    )

    by_name = {extra["name"]: extra for extra in document("doctor")["extras"]}
    text = printed("doctor")

    assert by_name.keys() == PROJECT["optional-dependencies"].keys()
    assert by_name["mesh"]["missing"] == ["gmsh>=4.13"]
    assert f"install with {extras.install_command('mesh')}  (waywiser mesh" in text
