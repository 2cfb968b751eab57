"""Waywiser for Spack 1.0 or newer.

Waywiser has no published source address yet: Spack clones the checkout that this file lies in, at
its branch `main`. tests/unit/test_packaging.py compares the packages here with pyproject.toml and
locks/.
"""

from pathlib import Path

from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import depends_on, license, version


class Waywiser(PythonPackage):
    """Profiles unmodified MPI programs; explains, predicts and improves where their time goes."""

    git = f"file://{Path(__file__).resolve().parents[6]}"

    license("Apache-2.0")

    version("0.1.0", branch="main")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")

    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-jinja2@3.1:", type=("build", "run"))
    depends_on("py-scikit-build-core@0.11:", type="build")
    depends_on("py-nanobind@2.4:", type="build")
    depends_on("py-pympistandard@0.2.0", type="build")

    depends_on("py-altair@6:", type="run")
    depends_on("py-duckdb@1.2:", type="run")
    depends_on("py-numpy@2:", type="run")
    depends_on("py-pydantic@2.10:", type="run")
    depends_on("py-pyelftools@0.32:", type="run")
    depends_on("py-shtab@1.13:", type="run")
    depends_on("py-typst@0.14:", type="run")
    depends_on("py-vl-convert-python@1.9:", type="run")
