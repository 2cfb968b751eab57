"""The recipes of packaging/ ask for what pyproject.toml asks for, and for files that are locked."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterable
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import Specifier
from rattler_build import Stage0Recipe, VariantConfig

from tests.definition import sections
from tests.support import ROOT
from tests.unit.test_locks import ENTRY, lock_text, locked

PACKAGING = ROOT / "packaging"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
BUILD = [Requirement(text) for text in PYPROJECT["build-system"]["requires"]]
RUN = [Requirement(text) for text in PROJECT["dependencies"]]
PYTHON = Requirement(f"python{PROJECT['requires-python']}")
CMAKE = "3.25"
"""Version that CMakeLists.txt requires; pip installs CMake and Ninja, recipes must name them."""


def hashes(package: str) -> set[str]:
    """Hashes of the files of a package that locks/ allow."""
    text = lock_text("build", "python")
    entry = next(entry for entry in ENTRY.finditer(text) if entry[1] == package)
    return set(re.findall(r"sha256:(\w+)", entry[4]))


def bound(requirement: Requirement) -> Specifier:
    """The only bound of a requirement, such as >=2.4."""
    (specifier,) = requirement.specifier
    return specifier


# Spack


def recipe_of_spack(name: str) -> ast.ClassDef:
    path = PACKAGING / f"spack/spack_repo/waywiser/packages/{name}/package.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (recipe,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    return recipe


def directives(recipe: ast.ClassDef, name: str) -> list[tuple[str, dict[str, Any]]]:
    """First argument and keywords of each call of a directive."""
    calls = [node.value for node in recipe.body if isinstance(node, ast.Expr)]
    return [
        (
            ast.literal_eval(call.args[0]),
            {word.arg or "": ast.literal_eval(word.value) for word in call.keywords},
        )
        for call in calls
        if isinstance(call, ast.Call) and ast.unparse(call.func) == name
    ]


def spec(requirement: Requirement) -> str:
    """A requirement as Spack writes it: py-numpy@2: for numpy>=2."""
    operator, version = bound(requirement).operator, bound(requirement).version
    prefix = "" if requirement.name == "python" else "py-"
    return f"{prefix}{requirement.name}@{version}{ {'>=': ':', '==': ''}[operator] }"


def test_spack_asks_for_what_pyproject_asks_for() -> None:
    recipe = recipe_of_spack("waywiser")
    requirements = {name: words["type"] for name, words in directives(recipe, "depends_on")}

    ((version, _),) = directives(recipe, "version")
    assert version == PROJECT["version"]
    both = [requirement for requirement in BUILD if requirement in RUN]
    tools = {"c": "build", "cxx": "build", f"cmake@{CMAKE}:": "build", "ninja": "build"}
    assert requirements == {
        **tools,
        **{spec(requirement): "build" for requirement in BUILD},
        **{spec(requirement): "run" for requirement in RUN},
        **{spec(requirement): ("build", "run") for requirement in (PYTHON, *both)},
    }


def packages_of_spack() -> list[str]:
    directories = (PACKAGING / "spack/spack_repo/waywiser/packages").glob("py_*")
    return sorted(directory.name for directory in directories)


@pytest.mark.parametrize("directory", packages_of_spack())
def test_what_spack_lacks_is_added_in_the_locked_version(directory: str) -> None:
    recipe = recipe_of_spack(directory)
    package = directory.removeprefix("py_").replace("_", "-")

    ((version, words),) = directives(recipe, "version")

    assert version == locked("build", "python")[package]
    assert words["sha256"] in hashes(package)
    archive = f"{package}/{package}-{version}.tar.gz"
    assert any(archive in ast.unparse(node) for node in recipe.body if isinstance(node, ast.Assign))


# EasyBuild

PROVIDED = {
    "numpy": "SciPy-bundle",
    "jinja2": "Python-bundle-PyPI",
    "nanobind": "nanobind",
    "pydantic": "pydantic",
    "scikit-build-core": "scikit-build-core",
}
"""Package of Python -> the module of EasyBuild's that has it."""


def easyconfig(machine: str) -> dict[str, Any]:
    """The parameters of the recipe for EasyBuild, which is a Python file with a few constants."""
    (path,) = (PACKAGING / "easybuild").glob("*.eb")
    parameters: dict[str, Any] = {"ARCH": machine, "SOURCE_PY3_WHL": "%(name)s-%(version)s-py3.whl"}
    exec(path.read_text(encoding="utf-8"), parameters)
    toolchain = parameters["toolchain"]
    name = (
        f"{parameters['name']}-{parameters['version']}-{toolchain['name']}-{toolchain['version']}"
    )
    assert path.stem == name
    return parameters


def test_easybuild_has_what_pyproject_asks_for() -> None:
    recipe = easyconfig("x86_64")
    modules = {name: version for name, version in recipe["builddependencies"]}
    modules |= {name: version for name, version in recipe["dependencies"]}
    extensions = {name: version for name, version, _ in recipe["exts_list"]}

    assert recipe["version"] == extensions.pop("waywiser") == PROJECT["version"]
    for requirement in (*BUILD, *RUN):
        module = PROVIDED.get(requirement.name, "")
        assert (module in modules) != (requirement.name in extensions), requirement
        if module == requirement.name:
            assert requirement.specifier.contains(modules[module]), requirement
    assert PYTHON.specifier.contains(modules["Python"])
    assert extensions.keys() - {requirement.name for requirement in (*BUILD, *RUN)} == {"narwhals"}
    assert {"CMake", "Ninja"} < modules.keys()


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_extensions_of_easybuild_are_the_locked_files(machine: str) -> None:
    for name, version, options in easyconfig(machine)["exts_list"]:
        if name == "waywiser":
            assert "checksums" not in options  # a file cannot hold the hash of its own archive
            continue
        assert version == locked("build", "python")[name]
        (checksum,) = options["checksums"]
        if isinstance(checksum, dict):
            values = {"name": name, "version": version}
            assert options["source_tmpl"] % values in checksum
            assert set(checksum.values()) <= hashes(name)
        else:
            assert checksum in hashes(name)


# conda

FORGE_NAMES = {"duckdb": "python-duckdb", "typst": "typst-py"}
"""PyPI's name -> conda-forge's, where these differ."""


def of_conda(requirements: Iterable[Requirement]) -> set[str]:
    return {f"{FORGE_NAMES.get(r.name, r.name)} {bound(r)}" for r in requirements}


def test_conda_asks_for_what_pyproject_asks_for() -> None:
    """rattler-build itself reads the recipe, and refuses unknown fields."""
    recipe = Stage0Recipe.from_file(PACKAGING / "conda/recipe.yaml")
    (variant,) = recipe.render(VariantConfig())
    rendered = variant.recipe.to_dict()
    requirements = rendered["requirements"]
    without = [requirement for requirement in BUILD if requirement.name != "pympistandard"]

    assert rendered["package"] == {"name": "waywiser", "version": PROJECT["version"]}
    assert {*requirements["run"]} == of_conda([PYTHON, *RUN])
    assert {*requirements["host"]} == of_conda([PYTHON, *without]) | {"pip"}
    assert f"cmake >={CMAKE}" in requirements["build"]
    checkout, wheel = rendered["source"]
    assert (PACKAGING / "conda" / checkout["path"]).resolve() == ROOT
    assert wheel["sha256"] in hashes("pympistandard")
    assert f"pympistandard-{locked('build', 'python')['pympistandard']}-" in wheel["path"]


# Module and container


def test_the_modulefile_is_of_this_version() -> None:
    assert [path.name for path in (PACKAGING / "modulefiles/waywiser").iterdir()] == [
        PROJECT["version"]
    ]


def test_the_container_takes_what_make_bundle_writes() -> None:
    definition = sections(PACKAGING / "apptainer/waywiser.def")
    installer, inside = definition["files"].split()

    assert re.search(r"^Bootstrap: \w+\nFrom: debian:bookworm$", definition[""], re.M)
    assert installer == f"dist/waywiser-{PROJECT['version']}-linux-x86_64-cp311.sh"
    assert f"sh {inside} /opt/waywiser\n" in definition["post"]
    assert f"Version {PROJECT['version']}\n" in definition["labels"]
    for name in ("post", "environment", "runscript", "test"):
        subprocess.run(["sh", "-n"], input=definition[name], text=True, check=True)


def test_cmake_is_requested_in_the_same_version_everywhere() -> None:
    lists = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")

    assert f"cmake_minimum_required(VERSION {CMAKE})" in lists
