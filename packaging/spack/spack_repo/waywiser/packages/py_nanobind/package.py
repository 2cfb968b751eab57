from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import depends_on, license, version


class PyNanobind(PythonPackage):
    """Small C++ bindings for Python; this version builds py-duckdb, too."""

    pypi = "nanobind/nanobind-3.1.0.tar.gz"

    license("BSD-3-Clause")

    version("3.1.0", sha256="6661e3dc1434d78781ccf7913442d90361dab395c3424efadb63bbb6ddea7ea3")

    depends_on("cxx", type="build")
    depends_on("python@3.10:", type=("build", "run"))
    depends_on("py-scikit-build-core@0.10:", type="build")
