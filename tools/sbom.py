"""Writes the bill of materials that `make wheel` puts beside the wheel: CycloneDX, as JSON.

It lists the components inside the wheel and the reports, and the packages that pip installs with
the wheel. Versions and hashes are those of locks/, licences those that the packages state.
"""

from __future__ import annotations

import json
import platform
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path
from typing import Any

import vl_convert
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("build", "python", "test")
"""Lock files of the packages that Waywiser needs or can use."""

Component = dict[str, Any]


def _component(name: str, number: str, url: str, license_: str, why: str) -> Component:
    return {
        "type": "library",
        "bom-ref": url,
        "name": name,
        "version": number,
        "purl": url,
        "description": why,
        "licenses": [{"expression": license_}],
    }


def inside() -> Iterator[Component]:
    """Components by other authors in the wheel and the reports; NOTICE has the licences."""
    runtime = "linked into compiled files of the wheel"
    compiler = platform.python_compiler()
    nanobind = version("nanobind")
    yield _component("nanobind", nanobind, f"pkg:pypi/nanobind@{nanobind}", "BSD-3-Clause", runtime)
    yield _component("robin-map", nanobind, f"pkg:generic/robin-map@{nanobind}", "MIT", runtime)
    gcc = (re.search(r"\d+(\.\d+)+", compiler) or ["unknown"])[0]
    exception = "GPL-3.0-or-later WITH GCC-exception-3.1"
    yield _component("libstdc++", gcc, f"pkg:generic/libstdcxx@{gcc}", exception, runtime)
    libc = platform.libc_ver()[1] or "unknown"
    static = "linked into the programs ww-* of the wheel"
    yield _component("glibc", libc, f"pkg:generic/glibc@{libc}", "LGPL-2.1-or-later", static)
    library = "drawing library inside reports"
    vega_lite = max(
        vl_convert.get_vegalite_versions(), key=lambda text: [*map(int, text.split("."))]
    )
    for name, number in (
        ("vega", vl_convert.get_vega_version()),
        ("vega-lite", vega_lite),
        ("vega-embed", vl_convert.get_vega_embed_version()),
    ):
        yield _component(name, number, f"pkg:npm/{name}@{number}", "BSD-3-Clause", library)


def locked() -> dict[str, tuple[str, list[str]]]:
    """Package -> version and hashes of its files."""
    text = "".join((ROOT / "locks" / f"{name}.txt").read_text(encoding="utf-8") for name in LOCKS)
    entries = re.findall(r"^([\w.-]+)==([\w.]+)[^\\\n]*((?: \\\n    --hash=\S+)*)$", text, re.M)
    return {name: (number, re.findall(r"sha256:(\w+)", hashes)) for name, number, hashes in entries}


def _licenses(package: str) -> list[dict[str, Any]]:
    fields = metadata(package)
    if fields["License-Expression"]:
        return [{"expression": fields["License-Expression"]}]
    marks = [line for line in fields.get_all("Classifier") or () if line.startswith("License :: ")]
    names = [mark.rpartition(" :: ")[2] for mark in marks] or (fields["License"] or "").split("\n")
    return [{"license": {"name": names[0]}}] if names[0] else []


def _needs(package: str, extras: Iterable[str] = ("",)) -> set[str]:
    """The dependencies of a package on this machine."""
    requirements = [Requirement(line) for line in requires(package) or ()]
    return {
        canonicalize_name(requirement.name)
        for requirement in requirements
        if requirement.marker is None
        or any(requirement.marker.evaluate({"extra": extra}) for extra in extras)
    }


def beside() -> Iterator[tuple[Component, set[str]]]:
    """The packages that pip installs for the wheel and its extras, with their dependencies."""
    lock = locked()
    required = _needs("waywiser")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    todo = sorted(required | _needs("waywiser", extras["optional-dependencies"]))
    seen: dict[str, set[str]] = {}
    while todo:
        package = todo.pop()
        if package in seen or package not in lock:
            continue
        try:
            seen[package] = _needs(package) & lock.keys()
        except PackageNotFoundError:
            seen[package] = set()
        todo += seen[package]
    always = set(required)
    while grown := {need for package in always for need in seen[package]} - always:
        always |= grown
    for package, needs in sorted(seen.items()):
        number, hashes = lock[package]
        url = f"pkg:pypi/{package}@{number}"
        component: Component = {
            "type": "library",
            "bom-ref": url,
            "name": package,
            "version": number,
            "purl": url,
            "scope": "required" if package in always else "optional",
            "hashes": [{"alg": "SHA-256", "content": digest} for digest in hashes],
        }
        with suppress(PackageNotFoundError):
            component["licenses"] = _licenses(package)
        yield component, {f"pkg:pypi/{need}@{lock[need][0]}" for need in needs}


def bill() -> dict[str, Any]:
    number = version("waywiser")
    own = f"pkg:generic/waywiser@{number}"
    within, others = list(inside()), list(beside())
    first = {f"pkg:pypi/{name}@{locked()[name][0]}" for name in _needs("waywiser")}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": "waywiser",
                "version": number,
                "purl": own,
                "licenses": [{"expression": "Apache-2.0"}],
                "components": within,
            }
        },
        "components": [component for component, _ in others],
        "dependencies": [
            {"ref": own, "dependsOn": sorted(first)},
            *(
                {"ref": component["bom-ref"], "dependsOn": sorted(needs)}
                for component, needs in others
            ),
        ],
    }


def main() -> None:
    """Writes the bill into a directory, and prints its name."""
    path = Path(sys.argv[1]) / f"waywiser-{version('waywiser')}.cdx.json"
    path.write_text(json.dumps(bill(), indent=1) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
