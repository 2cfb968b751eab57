"""Optional packages: the purpose of each extra of pyproject.toml, and the command to install it."""

from __future__ import annotations

import shlex
import sys
from importlib.metadata import PackageNotFoundError, requires

EXTRAS = {
    "mesh": "waywiser mesh: making, reading and cutting meshes",
    "otf2": "export --to otf2 and import: traces of other tools",
}
"""Extra -> its purpose."""


def packages(extra: str) -> list[str]:
    """The requirements of an extra, e.g. "gmsh>=4.13"."""
    try:
        lines = [line.partition(";") for line in requires("waywiser") or ()]
    except PackageNotFoundError:  # not installed: an unpacked archive
        lines = []
    marked = {f"extra == '{extra}'", f'extra == "{extra}"'}
    return [name.strip() for name, _, marker in lines if marker.strip() in marked]


def install_command(extra: str) -> str:
    """The command that installs an extra, for any installation of Waywiser.

    It names the packages, not waywiser[EXTRA]: no index has Waywiser under that name.
    """
    return shlex.join([sys.executable, "-m", "pip", "install", *(packages(extra) or [extra])])
