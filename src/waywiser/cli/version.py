"""The text of `waywiser --version`: the version, the build of the core, and the libraries."""

from __future__ import annotations

import os
import platform
import sys

import waywiser

LIBRARIES = (
    *("altair", "duckdb", "jinja2", "numpy", "pydantic", "pyelftools", "shtab", "typst"),
    "vl-convert-python",
)
"""Libraries that pyproject.toml names."""


def version_text() -> str:
    with open(f"{waywiser.__path__[0]}/native/build.txt", encoding="utf-8") as file:
        built = file.read().strip()
    installed = _installed()
    libraries = ", ".join(f"{name} {installed.get(name, '(missing)')}" for name in LIBRARIES)
    return (
        f"waywiser {waywiser.__version__}\n"
        f"core built with {built}\n"
        f"Python {platform.python_version()}: {libraries}\n"
    )


def _installed() -> dict[str, str]:
    """Package -> version, by the names of directories: importlib.metadata takes as long to import
    as Python takes to start."""
    versions: dict[str, str] = {}
    for directory in reversed([path for path in sys.path if os.path.isdir(path)]):
        for entry in os.listdir(directory):
            if entry.endswith(".dist-info"):
                name, _, version = entry.removesuffix(".dist-info").partition("-")
                versions[name.lower().replace("_", "-")] = version
    return versions
