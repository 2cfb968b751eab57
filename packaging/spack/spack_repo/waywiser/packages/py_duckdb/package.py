from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import depends_on, license, version


class PyDuckdb(PythonPackage):
    """The Python interface of DuckDB, with the database in it."""

    pypi = "duckdb/duckdb-2.0.0.tar.gz"

    license("MIT")

    version("2.0.0", sha256="09de511ef0dc76a5213e8d3d87a8b89bb4d3e8a6fe73a9f60dc001269946b44f")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.29:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-scikit-build-core@0.11.4:", type="build")
    depends_on("py-nanobind@3:", type="build")
    depends_on("py-numpy@2:", type="build")
